package io.millrace.local.internal.dynamodb;

import io.millrace.local.internal.dynamodb.KeySchema.KeyAttribute;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a query: one value of the partition key, and perhaps a condition on the sort key.
 *
 * @param sortCondition a condition on the sort key alone, or null
 * @param lowest the lowest sort key that can satisfy it, or null for no bound
 * @param highest the highest sort key that can satisfy it, or null for no bound
 */
record KeyCondition(
        Value partition,
        @Nullable Condition sortCondition,
        @Nullable Value lowest,
        @Nullable Value highest) {
    private static final ExpressionKind KIND = ExpressionKind.KEY_CONDITION;
    private static final int CONDITIONS_MAX = 2;

    /** Reads a bound key condition against the schema of the table or index. */
    static KeyCondition of(Condition condition, KeySchema keys) {
        List<Condition> parts = new ArrayList<>();
        flatten(condition, parts);
        Set<String> names = new HashSet<>();
        for (Condition part : parts) {
            if (!names.add(attributeOf(part))) {
                throw KIND.invalid("KeyConditionExpressions must only contain one condition per key");
            }
        }
        if (parts.size() > CONDITIONS_MAX) {
            throw ServiceErrors.validation("Conditions can be of length 1 or 2 only");
        }
        Condition partition = require(parts, keys.partition());
        if (!(partition instanceof Condition.Comparison comparison)
                || comparison.operator() != Condition.Operator.EQUAL) {
            throw ServiceErrors.validation("Query key condition not supported");
        }
        Value partitionValue = constant(comparison.right());
        requireNotEmpty(partitionValue, keys.partition());
        if (parts.size() == 1) {
            return new KeyCondition(partitionValue, null, null, null);
        }
        KeyAttribute sort = keys.sort();
        if (sort == null) {
            throw ServiceErrors.validation("Query key condition not supported");
        }
        return withSort(partitionValue, require(parts, sort));
    }

    private static void flatten(Condition condition, List<Condition> parts) {
        if (condition instanceof Condition.And and) {
            flatten(and.left(), parts);
            flatten(and.right(), parts);
            return;
        }
        String refused = refusedOperator(condition);
        if (refused != null) {
            throw KIND.invalid("Invalid operator used in KeyConditionExpression: " + refused);
        }
        parts.add(condition);
    }

    private static @Nullable String refusedOperator(Condition condition) {
        if (condition instanceof Condition.Or) {
            return "OR";
        }
        if (condition instanceof Condition.Not) {
            return "NOT";
        }
        if (condition instanceof Condition.In) {
            return "IN";
        }
        if (condition instanceof Condition.Comparison comparison
                && comparison.operator() == Condition.Operator.NOT_EQUAL) {
            return "<>";
        }
        if (condition instanceof Condition.Predicate predicate
                && !predicate.call().function().equals("begins_with")) {
            return predicate.call().function();
        }
        return null;
    }

    private static List<Operand> operands(Condition part) {
        if (part instanceof Condition.Comparison comparison) {
            return List.of(comparison.left(), comparison.right());
        }
        if (part instanceof Condition.Between between) {
            return List.of(between.operand(), between.lower(), between.upper());
        }
        return ((Condition.Predicate) part).call().arguments();
    }

    private static String operatorOf(Condition part) {
        if (part instanceof Condition.Comparison comparison) {
            return comparison.operator().symbol();
        }
        return part instanceof Condition.Between ? "BETWEEN" : "begins_with";
    }

    private static String attributeOf(Condition part) {
        List<Operand> operands = operands(part);
        List<Path> paths = new ArrayList<>();
        for (Operand operand : operands) {
            if (operand instanceof Operand.Attribute attribute) {
                paths.add(attribute.path());
            } else if (operand instanceof Operand.Call call) {
                throw KIND.invalid("Invalid operator used in KeyConditionExpression: " + call.function());
            }
        }
        if (paths.isEmpty()) {
            throw KIND.invalid("Invalid condition in KeyConditionExpression: No key attribute specified");
        }
        if (paths.size() > 1) {
            throw KIND.invalid(
                    "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
        }
        if (!(operands.get(0) instanceof Operand.Attribute)) {
            throw KIND.invalid("Invalid condition in KeyConditionExpression: " + operatorOf(part)
                    + " operator must have the key attribute as its first operand");
        }
        if (!paths.get(0).isTopLevel()) {
            throw KIND.invalid("KeyConditionExpressions cannot have conditions on nested attributes");
        }
        return paths.get(0).attribute();
    }

    private static Condition require(List<Condition> parts, KeyAttribute attribute) {
        for (Condition part : parts) {
            if (attributeOf(part).equals(attribute.name())) {
                requireTypes(part, attribute);
                return part;
            }
        }
        throw ServiceErrors.validation("Query condition missed key schema element: " + attribute.name());
    }

    private static void requireTypes(Condition part, KeyAttribute attribute) {
        List<Operand> operands = operands(part);
        for (Operand operand : operands.subList(1, operands.size())) {
            if (constant(operand).type() != attribute.type()) {
                throw ServiceErrors.invalidParameters("Condition parameter type does not match schema type");
            }
        }
    }

    private static void requireNotEmpty(Value value, KeyAttribute attribute) {
        if (KeySchema.isEmpty(value)) {
            throw ServiceErrors.validation("One or more parameter values are not valid. The AttributeValue for a key "
                    + "attribute cannot contain an empty " + KeySchema.kind(value) + " value. Key: "
                    + attribute.name());
        }
    }

    private static Value constant(Operand operand) {
        if (operand instanceof Operand.Constant constant) {
            return constant.value();
        }
        throw KIND.invalid(
                "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
    }

    private static KeyCondition withSort(Value partition, Condition sort) {
        if (sort instanceof Condition.Between between) {
            return new KeyCondition(partition, sort, constant(between.lower()), constant(between.upper()));
        }
        if (sort instanceof Condition.Predicate predicate) {
            Value prefix = constant(predicate.call().arguments().get(1));
            return new KeyCondition(partition, sort, prefix, null);
        }
        Condition.Comparison comparison = (Condition.Comparison) sort;
        Value bound = constant(comparison.right());
        return switch (comparison.operator()) {
            case LESS, LESS_OR_EQUAL -> new KeyCondition(partition, sort, null, bound);
            case GREATER, GREATER_OR_EQUAL -> new KeyCondition(partition, sort, bound, null);
            default -> new KeyCondition(partition, sort, bound, bound);
        };
    }

    StoredKey lowerBound() {
        return lowest == null ? StoredKey.beforePartition(partition) : StoredKey.beforeSort(partition, lowest);
    }

    StoredKey upperBound() {
        return highest == null ? StoredKey.behindPartition(partition) : StoredKey.behindSort(partition, highest);
    }

    /** Whether an item within the bounds is meant. */
    boolean accepts(MapValue item) {
        return sortCondition == null || ConditionEvaluator.test(sortCondition, item);
    }

    /** Whether no item further up can be meant: the sort keys with a prefix are neighbours. */
    boolean endsBefore(MapValue item, KeySchema keys) {
        KeyAttribute sort = keys.sort();
        Value value = sort == null ? null : item.get(sort.name());
        return sortCondition instanceof Condition.Predicate
                && value != null
                && lowest != null
                && ScalarOrder.compare(value, lowest) > 0
                && !ConditionEvaluator.beginsWith(value, lowest);
    }
}
