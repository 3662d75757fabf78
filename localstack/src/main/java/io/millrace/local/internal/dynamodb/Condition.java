package io.millrace.local.internal.dynamodb;

import java.util.List;

/** The syntax tree of a condition, filter or key condition. */
sealed interface Condition {
    /** {@code left operator right}. */
    record Comparison(Operand left, Operator operator, Operand right) implements Condition {}

    /** {@code operand BETWEEN lower AND upper}, both bounds included. */
    record Between(Operand operand, Operand lower, Operand upper) implements Condition {}

    /** {@code operand IN (candidates)}. */
    record In(Operand operand, List<Operand> candidates) implements Condition {
        public In {
            candidates = List.copyOf(candidates);
        }
    }

    /** A function that answers true or false. */
    record Predicate(Operand.Call call) implements Condition {}

    record And(Condition left, Condition right) implements Condition {}

    record Or(Condition left, Condition right) implements Condition {}

    record Not(Condition condition) implements Condition {}

    /** A comparison operator. */
    enum Operator {
        EQUAL("="),
        NOT_EQUAL("<>"),
        LESS("<"),
        LESS_OR_EQUAL("<="),
        GREATER(">"),
        GREATER_OR_EQUAL(">=");

        private final String symbol;

        Operator(String symbol) {
            this.symbol = symbol;
        }

        String symbol() {
            return symbol;
        }

        /** Whether the order of two values, as a comparator tells it, satisfies this operator. */
        boolean accepts(int order) {
            return switch (this) {
                case EQUAL -> order == 0;
                case NOT_EQUAL -> order != 0;
                case LESS -> order < 0;
                case LESS_OR_EQUAL -> order <= 0;
                case GREATER -> order > 0;
                case GREATER_OR_EQUAL -> order >= 0;
            };
        }
    }
}
