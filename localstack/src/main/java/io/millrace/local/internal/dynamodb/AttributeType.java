package io.millrace.local.internal.dynamodb;

/** The type of an attribute value, named as on the wire. */
enum AttributeType {
    S("STRING"),
    N("NUMBER"),
    B("BINARY"),
    BOOL("BOOLEAN"),
    NULL("NULL"),
    L("LIST"),
    M("MAP"),
    SS("STRING_SET"),
    NS("NUMBER_SET"),
    BS("BINARY_SET");

    private final String longName;

    AttributeType(String longName) {
        this.longName = longName;
    }

    /** The name in messages about update expressions. */
    String longName() {
        return longName;
    }

    /** Whether values of this type are ordered: only these may be keys or operands of {@code <}. */
    boolean isOrdered() {
        return this == S || this == N || this == B;
    }

    boolean isSet() {
        return this == SS || this == NS || this == BS;
    }
}
