package io.millrace.local.internal.dynamodb;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an item satisfies a bound condition. A comparison with an attribute that does not exist is false, but
 * {@code <>} is true; comparing values of different types for order is false. The size of a string is its number of
 * UTF-16 units.
 */
final class ConditionEvaluator {
    private ConditionEvaluator() {}

    static boolean test(Condition condition, MapValue item) {
        if (condition instanceof Condition.And and) {
            return test(and.left(), item) && test(and.right(), item);
        }
        if (condition instanceof Condition.Or or) {
            return test(or.left(), item) || test(or.right(), item);
        }
        if (condition instanceof Condition.Not not) {
            return !test(not.condition(), item);
        }
        if (condition instanceof Condition.Comparison comparison) {
            return compare(resolve(comparison.left(), item), comparison.operator(), resolve(comparison.right(), item));
        }
        if (condition instanceof Condition.Between between) {
            Value value = resolve(between.operand(), item);
            return compare(value, Condition.Operator.GREATER_OR_EQUAL, resolve(between.lower(), item))
                    && compare(value, Condition.Operator.LESS_OR_EQUAL, resolve(between.upper(), item));
        }
        if (condition instanceof Condition.In in) {
            Value value = resolve(in.operand(), item);
            return value != null
                    && in.candidates().stream().anyMatch(candidate -> value.equals(resolve(candidate, item)));
        }
        return testPredicate(((Condition.Predicate) condition).call(), item);
    }

    private static boolean compare(@Nullable Value left, Condition.Operator operator, @Nullable Value right) {
        if (operator == Condition.Operator.EQUAL) {
            return left != null && left.equals(right);
        }
        if (operator == Condition.Operator.NOT_EQUAL) {
            return left == null || !left.equals(right);
        }
        return left != null
                && right != null
                && ScalarOrder.comparable(left, right)
                && operator.accepts(ScalarOrder.compare(left, right));
    }

    private static boolean testPredicate(Operand.Call call, MapValue item) {
        Value first = resolve(call.arguments().get(0), item);
        return switch (call.function()) {
            case "attribute_exists" -> first != null;
            case "attribute_not_exists" -> first == null;
            case "attribute_type" ->
                first != null
                        && resolve(call.arguments().get(1), item) instanceof Value.Text type
                        && first.type().name().equals(type.text());
            case "begins_with" -> beginsWith(first, resolve(call.arguments().get(1), item));
            default -> contains(first, resolve(call.arguments().get(1), item));
        };
    }

    static boolean beginsWith(@Nullable Value value, @Nullable Value prefix) {
        if (value instanceof Value.Text text && prefix instanceof Value.Text start) {
            return text.text().startsWith(start.text());
        }
        return value instanceof Value.Binary binary && prefix instanceof Value.Binary start && binary.startsWith(start);
    }

    private static boolean contains(@Nullable Value container, @Nullable Value part) {
        if (part == null) {
            return false;
        }
        if (container instanceof Value.Text text) {
            return part instanceof Value.Text piece && text.text().contains(piece.text());
        }
        if (container instanceof Value.Binary binary) {
            return part instanceof Value.Binary piece && binary.contains(piece);
        }
        if (container instanceof Value.Members set) {
            return set.members().contains(part);
        }
        return container instanceof Value.Sequence list && list.elements().contains(part);
    }

    private static @Nullable Value resolve(Operand operand, MapValue item) {
        if (operand instanceof Operand.Constant constant) {
            return constant.value();
        }
        if (operand instanceof Operand.Attribute attribute) {
            return attribute.path().in(item);
        }
        if (operand instanceof Operand.Call call) {
            return size(resolve(call.arguments().get(0), item));
        }
        throw new IllegalStateException("not an operand of a bound condition: " + operand);
    }

    /** The size of a value as a number: characters, bytes or elements; null for a type that has no size. */
    private static @Nullable Value size(@Nullable Value value) {
        int size;
        if (value instanceof Value.Text text) {
            size = text.text().length();
        } else if (value instanceof Value.Binary binary) {
            size = binary.length();
        } else if (value instanceof Value.Sequence list) {
            size = list.elements().size();
        } else if (value instanceof Value.Members set) {
            size = set.members().size();
        } else if (value instanceof MapValue map) {
            size = map.count();
        } else {
            return null;
        }
        return ValueReader.number(BigDecimal.valueOf(size));
    }
}
