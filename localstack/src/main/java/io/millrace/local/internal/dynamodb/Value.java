package io.millrace.local.internal.dynamodb;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;

/**
 * One attribute value, immutable. Its size is what DynamoDB counts against the 400 KB of an item and for capacity units:
 * the bytes of text and binaries, half a byte a digit and one byte (two if negative) for a number, one for a boolean or
 * null, three for a list or map and one more for each element.
 */
sealed interface Value
        permits Value.Text,
                Value.Numeric,
                Value.Binary,
                Value.Bool,
                Value.Null,
                Value.Sequence,
                MapValue,
                Value.Members {
    int CONTAINER_OVERHEAD_BYTES = 3;
    int ELEMENT_OVERHEAD_BYTES = 1;

    AttributeType type();

    int sizeBytes();

    /** A string. */
    record Text(String text) implements Value {
        @Override
        public AttributeType type() {
            return AttributeType.S;
        }

        @Override
        public int sizeBytes() {
            return Utf8.lengthBytes(text);
        }
    }

    /** A number without trailing zeros: two numbers are equal exactly if their records are. */
    record Numeric(BigDecimal number) implements Value {
        @Override
        public AttributeType type() {
            return AttributeType.N;
        }

        @Override
        public int sizeBytes() {
            if (number.signum() == 0) {
                return 1;
            }
            int sign = number.signum() < 0 ? 1 : 0;
            return 1 + (number.precision() + 1) / 2 + sign;
        }

        String text() {
            return number.toPlainString();
        }
    }

    /** A byte array, never handed out: callers get copies. */
    final class Binary implements Value {
        private final byte[] bytes;

        Binary(byte[] bytes) {
            this.bytes = bytes.clone();
        }

        byte[] copy() {
            return bytes.clone();
        }

        int length() {
            return bytes.length;
        }

        int compareBytes(Binary other) {
            return Arrays.compareUnsigned(bytes, other.bytes);
        }

        boolean startsWith(Binary prefix) {
            int length = prefix.bytes.length;
            return bytes.length >= length && Arrays.equals(bytes, 0, length, prefix.bytes, 0, length);
        }

        boolean contains(Binary part) {
            int length = part.bytes.length;
            for (int start = 0; start + length <= bytes.length; start++) {
                if (Arrays.equals(bytes, start, start + length, part.bytes, 0, length)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public AttributeType type() {
            return AttributeType.B;
        }

        @Override
        public int sizeBytes() {
            return bytes.length;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Binary binary && Arrays.equals(bytes, binary.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return "Binary[" + bytes.length + " bytes]";
        }
    }

    /** A boolean. */
    enum Bool implements Value {
        FALSE,
        TRUE;

        static Bool of(boolean value) {
            return value ? TRUE : FALSE;
        }

        @Override
        public AttributeType type() {
            return AttributeType.BOOL;
        }

        @Override
        public int sizeBytes() {
            return 1;
        }
    }

    /** The null value; an attribute that does not exist is another thing. */
    enum Null implements Value {
        NULL;

        @Override
        public AttributeType type() {
            return AttributeType.NULL;
        }

        @Override
        public int sizeBytes() {
            return 1;
        }
    }

    /** A list. */
    record Sequence(List<Value> elements) implements Value {
        public Sequence {
            elements = List.copyOf(elements);
        }

        @Override
        public AttributeType type() {
            return AttributeType.L;
        }

        @Override
        public int sizeBytes() {
            int size = CONTAINER_OVERHEAD_BYTES;
            for (Value element : elements) {
                size += ELEMENT_OVERHEAD_BYTES + element.sizeBytes();
            }
            return size;
        }
    }

    /** A set of strings, numbers or binaries: sorted, without duplicates, never empty in an item. */
    record Members(AttributeType type, List<Value> members) implements Value {
        public Members {
            members = members.stream().sorted(ScalarOrder::compare).toList();
        }

        @Override
        public int sizeBytes() {
            int size = 0;
            for (Value member : members) {
                size += member.sizeBytes();
            }
            return size;
        }
    }
}
