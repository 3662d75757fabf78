package io.millrace.local.internal.dynamodb;

import java.util.List;

/** An operand of a condition or of a SET action. Binding replaces every placeholder by its constant. */
sealed interface Operand {
    /** The value at a path. */
    record Attribute(Path path) implements Operand {}

    /** {@code :value}, not yet bound. */
    record Placeholder(String name) implements Operand {}

    /** A value of the request. */
    record Constant(Value value) implements Operand {}

    /** A function of other operands. */
    record Call(String function, List<Operand> arguments) implements Operand {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    /** A sum or a difference; only in SET. */
    record Arithmetic(Operand left, Sign sign, Operand right) implements Operand {}

    /** The operator of an {@link Arithmetic}. */
    enum Sign {
        PLUS("+"),
        MINUS("-");

        private final String symbol;

        Sign(String symbol) {
            this.symbol = symbol;
        }

        String symbol() {
            return symbol;
        }
    }
}
