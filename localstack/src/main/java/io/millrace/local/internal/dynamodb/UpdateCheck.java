package io.millrace.local.internal.dynamodb;

/** What can be refused in a bound update expression without looking at an item: operand types and overlapping paths. */
final class UpdateCheck {
    private static final ExpressionKind KIND = ExpressionKind.UPDATE;

    private UpdateCheck() {}

    static void check(UpdateExpression update) {
        Path.requireSeparate(update.paths(), KIND);
        update.adds().forEach(action -> checkAddOrDelete("ADD", action.operand()));
        update.deletes().forEach(action -> checkAddOrDelete("DELETE", action.operand()));
        update.sets().forEach(action -> checkOperand(action.operand()));
    }

    private static void checkAddOrDelete(String section, Operand operand) {
        AttributeType type = ((Operand.Constant) operand).value().type();
        boolean allowed = type.isSet() || (section.equals("ADD") && type == AttributeType.N);
        if (!allowed) {
            throw KIND.invalid("Incorrect operand type for operator or function; operator: " + section
                    + ", operand type: " + type.longName() + ", typeSet: ALLOWED_FOR_" + section + "_OPERAND");
        }
    }

    private static void checkOperand(Operand operand) {
        if (operand instanceof Operand.Arithmetic arithmetic) {
            requireType(arithmetic.sign().symbol(), arithmetic.left(), AttributeType.N);
            requireType(arithmetic.sign().symbol(), arithmetic.right(), AttributeType.N);
            checkOperand(arithmetic.left());
            checkOperand(arithmetic.right());
        } else if (operand instanceof Operand.Call call) {
            for (Operand argument : call.arguments()) {
                if (call.function().equals("list_append")) {
                    requireType(call.function(), argument, AttributeType.L);
                }
                checkOperand(argument);
            }
        }
    }

    private static void requireType(String function, Operand operand, AttributeType required) {
        if (operand instanceof Operand.Constant constant && constant.value().type() != required) {
            throw KIND.invalid("Incorrect operand type for operator or function; operator or function: " + function
                    + ", operand type: " + constant.value().type());
        }
    }
}
