package io.millrace.local.internal.dynamodb;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What can be refused in a bound condition without looking at an item: operand types and equal operands. */
final class ConditionCheck {
    private final ExpressionKind kind;

    ConditionCheck(ExpressionKind kind) {
        this.kind = kind;
    }

    void check(Condition condition) {
        if (condition instanceof Condition.And and) {
            check(and.left());
            check(and.right());
        } else if (condition instanceof Condition.Or or) {
            check(or.left());
            check(or.right());
        } else if (condition instanceof Condition.Not not) {
            check(not.condition());
        } else if (condition instanceof Condition.Comparison comparison) {
            checkComparison(comparison);
        } else if (condition instanceof Condition.Between between) {
            checkBetween(between);
        } else if (condition instanceof Condition.In in) {
            checkOperand(in.operand());
            in.candidates().forEach(this::checkOperand);
        } else if (condition instanceof Condition.Predicate predicate) {
            checkPredicate(predicate.call());
        }
    }

    private void checkComparison(Condition.Comparison comparison) {
        String symbol = comparison.operator().symbol();
        checkOperand(comparison.left());
        checkOperand(comparison.right());
        requireDistinct(symbol, comparison.left(), comparison.right());
        if (comparison.operator() != Condition.Operator.EQUAL
                && comparison.operator() != Condition.Operator.NOT_EQUAL) {
            requireOrdered(symbol, comparison.left());
            requireOrdered(symbol, comparison.right());
        }
    }

    private void requireOrdered(String symbol, Operand operand) {
        AttributeType type = typeOf(operand);
        if (type != null && !type.isOrdered()) {
            throw kind.invalid(
                    "Incorrect operand type for operator or function; operator: " + symbol + ", operand type: " + type);
        }
    }

    private void checkBetween(Condition.Between between) {
        for (Operand operand : List.of(between.operand(), between.lower(), between.upper())) {
            checkOperand(operand);
            requireOrdered("BETWEEN", operand);
        }
        if (between.lower() instanceof Operand.Constant lower && between.upper() instanceof Operand.Constant upper) {
            if (lower.value().type() != upper.value().type()) {
                throw kind.invalid("The BETWEEN operator requires same data type for lower and upper bounds; "
                        + bounds(lower.value(), upper.value()));
            }
            if (ScalarOrder.compare(lower.value(), upper.value()) > 0) {
                throw kind.invalid("The BETWEEN operator requires upper bound to be greater than or equal to lower "
                        + "bound; " + bounds(lower.value(), upper.value()));
            }
        }
    }

    private static String bounds(Value lower, Value upper) {
        return "lower bound operand: AttributeValue: " + inMessage(lower) + ", upper bound operand: AttributeValue: "
                + inMessage(upper);
    }

    private static String inMessage(Value value) {
        return "{" + value.type() + ":"
                + ValueWriter.value(value).get(value.type().name()).asText() + "}";
    }

    private void checkPredicate(Operand.Call call) {
        List<Operand> arguments = call.arguments();
        arguments.forEach(this::checkOperand);
        if (arguments.size() > 1) {
            requireDistinct(call.function(), arguments.get(0), arguments.get(1));
        }
        switch (call.function()) {
            case "attribute_exists", "attribute_not_exists" -> requirePath(call);
            case "attribute_type" -> checkAttributeType(call);
            case "begins_with" -> {
                for (Operand argument : arguments) {
                    AttributeType type = typeOf(argument);
                    if (type != null && type != AttributeType.S && type != AttributeType.B) {
                        throw wrongType(call, type.name());
                    }
                }
            }
            default -> {}
        }
    }

    private void requirePath(Operand.Call call) {
        if (!(call.arguments().get(0) instanceof Operand.Attribute)) {
            throw kind.invalid(
                    "Operator or function requires a document path; operator or function: " + call.function());
        }
    }

    private void checkAttributeType(Operand.Call call) {
        if (!(call.arguments().get(1) instanceof Operand.Constant constant)) {
            throw wrongType(call, "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
        }
        if (!(constant.value() instanceof Value.Text text)) {
            throw wrongType(call, constant.value().type().name());
        }
        boolean known = Arrays.stream(AttributeType.values())
                .anyMatch(type -> type.name().equals(text.text()));
        if (!known) {
            throw kind.invalid("Invalid attribute type name found; type: " + text.text()
                    + ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}");
        }
    }

    private void checkOperand(Operand operand) {
        if (operand instanceof Operand.Call call) {
            AttributeType type = typeOf(call.arguments().get(0));
            if (type == AttributeType.N || type == AttributeType.BOOL || type == AttributeType.NULL) {
                throw wrongType(call, type.name());
            }
        }
    }

    private RuntimeException wrongType(Operand.Call call, String type) {
        return kind.invalid("Incorrect operand type for operator or function; operator or function: " + call.function()
                + ", operand type: " + type);
    }

    private void requireDistinct(String operator, Operand left, Operand right) {
        if (left instanceof Operand.Attribute attribute && left.equals(right)) {
            throw kind.invalid("The first operand must be distinct from the remaining operands for this operator or "
                    + "function; operator: " + operator + ", first operand: "
                    + attribute.path().inMessages());
        }
    }

    /** The type of an operand as far as it is known without an item. */
    private static @Nullable AttributeType typeOf(Operand operand) {
        if (operand instanceof Operand.Constant constant) {
            return constant.value().type();
        }
        return operand instanceof Operand.Call ? AttributeType.N : null;
    }
}
