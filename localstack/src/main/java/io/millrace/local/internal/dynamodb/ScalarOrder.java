package io.millrace.local.internal.dynamodb;

/** The order of values of one ordered type: strings by UTF-8 bytes, numbers by value, binaries by unsigned bytes. */
final class ScalarOrder {
    private ScalarOrder() {}

    /** Compares two values of the same ordered type. */
    static int compare(Value left, Value right) {
        if (left instanceof Value.Text a && right instanceof Value.Text b) {
            return Utf8.compare(a.text(), b.text());
        }
        if (left instanceof Value.Numeric a && right instanceof Value.Numeric b) {
            return a.number().compareTo(b.number());
        }
        if (left instanceof Value.Binary a && right instanceof Value.Binary b) {
            return a.compareBytes(b);
        }
        throw new IllegalArgumentException("no order between types " + left.type() + " and " + right.type());
    }

    /** Whether both values are of one ordered type. */
    static boolean comparable(Value left, Value right) {
        return left.type() == right.type() && left.type().isOrdered();
    }
}
