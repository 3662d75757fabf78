package io.millrace.aws.internal;

import java.nio.charset.StandardCharsets;

/**
 * The fields of a protobuf message, one after the other: as much of the format as an aggregate needs. A field whose wire
 * type is not the one that is asked for is passed over, as protobuf does with unknown fields. Groups, which nobody has
 * written since 2008, are refused. For one use by one thread.
 */
final class ProtobufFields {
    /** A number of variable length. */
    static final int VARINT = 0;

    /** Bytes behind their length. */
    static final int BYTES = 2;

    private static final int FIXED_64 = 1;
    private static final int FIXED_32 = 5;
    private static final int WIRE_TYPE_BITS = 3;
    private static final int WIRE_TYPE_MASK = 7;
    private static final int VARINT_BYTES_MAX = 10;

    private final byte[] data;
    private final int end;
    private int at;
    private int tag;

    /** The fields of the message in a part of data. */
    ProtobufFields(byte[] data, int from, int to) {
        this.data = data;
        this.at = from;
        this.end = to;
    }

    /** The fields of the message in the current field, which must be one of bytes. */
    ProtobufFields message() throws BrokenAggregateException {
        int length = length();
        ProtobufFields message = new ProtobufFields(data, at, at + length);
        at += length;
        return message;
    }

    /** Goes to the next field; false at the end. Each field must be read or skipped before the next. */
    boolean next() throws BrokenAggregateException {
        if (at >= end) {
            return false;
        }
        tag = (int) number();
        if (tag >>> WIRE_TYPE_BITS == 0) {
            throw new BrokenAggregateException("There is a field number 0 before byte " + at + ".");
        }
        return true;
    }

    /** Whether the current field has this number and wire type. */
    boolean is(int number, int wireType) {
        return tag >>> WIRE_TYPE_BITS == number && (tag & WIRE_TYPE_MASK) == wireType;
    }

    /** The current field as a number; unsigned. */
    long number() throws BrokenAggregateException {
        long value = 0;
        for (int i = 0; i < VARINT_BYTES_MAX; i++) {
            if (at >= end) {
                throw new BrokenAggregateException("A number is cut at byte " + at + ".");
            }
            byte next = data[at++];
            value |= (long) (next & 0x7f) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new BrokenAggregateException(
                "A number has more than " + VARINT_BYTES_MAX + " bytes before byte " + at + ".");
    }

    /** The current field as bytes: a new array. */
    byte[] bytes() throws BrokenAggregateException {
        int length = length();
        byte[] bytes = new byte[length];
        System.arraycopy(data, at, bytes, 0, length);
        at += length;
        return bytes;
    }

    /** The current field as text; bytes that are not UTF-8 are replaced. */
    String text() throws BrokenAggregateException {
        int length = length();
        String text = new String(data, at, length, StandardCharsets.UTF_8);
        at += length;
        return text;
    }

    /** Passes the current field. */
    void skip() throws BrokenAggregateException {
        switch (tag & WIRE_TYPE_MASK) {
            case VARINT -> number();
            case BYTES -> advance(length());
            case FIXED_64 -> advance(Long.BYTES);
            case FIXED_32 -> advance(Integer.BYTES);
            default ->
                throw new BrokenAggregateException(
                        "There is a field of wire type " + (tag & WIRE_TYPE_MASK) + " before byte " + at + ".");
        }
    }

    private void advance(int bytes) throws BrokenAggregateException {
        if (bytes > end - at) {
            throw new BrokenAggregateException("A field is cut at byte " + at + ".");
        }
        at += bytes;
    }

    /** A length, never above what is left. */
    private int length() throws BrokenAggregateException {
        int length = (int) number();
        if (length < 0 || length > end - at) {
            throw new BrokenAggregateException(
                    "A field of " + length + " bytes begins at byte " + at + ", where " + (end - at) + " are left.");
        }
        return length;
    }
}
