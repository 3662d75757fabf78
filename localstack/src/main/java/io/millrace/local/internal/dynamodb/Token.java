package io.millrace.local.internal.dynamodb;

/** A token of an expression with its place in the text. */
record Token(Kind kind, String text, int start, int end) {
    /** What a token is. */
    enum Kind {
        /** A bare name or keyword. */
        NAME,
        /** {@code #name}. */
        NAME_PLACEHOLDER,
        /** {@code :value}. */
        VALUE_PLACEHOLDER,
        NUMBER,
        SYMBOL,
        /** A character that belongs to no token. */
        INVALID,
        END
    }

    boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    boolean isKeyword(String keyword) {
        return kind == Kind.NAME && text.equalsIgnoreCase(keyword);
    }
}
