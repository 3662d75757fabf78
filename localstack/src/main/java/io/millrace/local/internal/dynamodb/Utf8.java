package io.millrace.local.internal.dynamodb;

/** Length and order of strings as their UTF-8 bytes have them, without encoding them. */
final class Utf8 {
    private static final int FIRST_SURROGATE = 0xD800;
    private static final int FIRST_AFTER_SURROGATES = 0xE000;

    private Utf8() {}

    static int lengthBytes(String text) {
        int length = text.length();
        int bytes = length;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x800) {
                // A surrogate pair is four bytes: two for each half.
                bytes += Character.isSurrogate(c) ? 1 : 2;
            } else if (c >= 0x80) {
                bytes++;
            }
        }
        return bytes;
    }

    /** Compares by UTF-8 bytes, which is the order of code points: surrogates sort above all other chars. */
    static int compare(String left, String right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                return Integer.compare(rank(a), rank(b));
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    private static int rank(char c) {
        if (c < FIRST_SURROGATE) {
            return c;
        }
        return c < FIRST_AFTER_SURROGATES ? c + 0x10000 : c;
    }
}
