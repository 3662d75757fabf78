package io.millrace.internal.engine;

import io.millrace.MillraceException;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * The place of a user record in its lane: the sequence number of its Kinesis record, then its index inside that record
 * (0 unless records are aggregated).
 */
public record Position(SequenceNumber sequenceNumber, int subSequence) implements Comparable<Position> {

    public Position {
        if (subSequence < 0) {
            throw new IllegalArgumentException("subSequence is " + subSequence + "; 0 is the lowest");
        }
    }

    /** The position of a record that is not aggregated. */
    public static Position of(String sequenceNumber) {
        return new Position(new SequenceNumber(sequenceNumber), 0);
    }

    @Override
    public int compareTo(Position other) {
        int bySequence = sequenceNumber.compareTo(other.sequenceNumber);
        return bySequence != 0 ? bySequence : Integer.compare(subSequence, other.subSequence);
    }

    /**
     * The position as bytes whose unsigned order is the positions' order, as DynamoDB compares binary values: each
     * number is its length in bytes, then its big-endian bytes; a sub-sequence of 0 takes none.
     */
    public byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        writeNumber(bytes, new BigInteger(sequenceNumber.digits()));
        if (subSequence > 0) {
            writeNumber(bytes, BigInteger.valueOf(subSequence));
        }
        return bytes.toByteArray();
    }

    /** The position that {@link #encode} turned into these bytes. */
    public static Position decode(byte[] bytes) {
        try {
            int end = 1 + bytes[0];
            String digits = new BigInteger(1, Arrays.copyOfRange(bytes, 1, end)).toString();
            int subSequence = 0;
            if (end != bytes.length) {
                if (end + 1 + bytes[end] != bytes.length) {
                    throw new IllegalArgumentException("the sub-sequence is cut, or has something behind it");
                }
                subSequence = new BigInteger(1, Arrays.copyOfRange(bytes, end + 1, bytes.length)).intValueExact();
            }
            return new Position(new SequenceNumber(digits), subSequence);
        } catch (ArithmeticException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new MillraceException(
                    "A stored position cannot be read: " + Arrays.toString(bytes)
                            + ". Was the cell written by something other than Millrace?",
                    e);
        }
    }

    private static void writeNumber(ByteArrayOutputStream bytes, BigInteger number) {
        byte[] magnitude = number.toByteArray();
        int from = magnitude.length > 1 && magnitude[0] == 0 ? 1 : 0;
        bytes.write(magnitude.length - from);
        bytes.write(magnitude, from, magnitude.length - from);
    }

    /** Digits, and behind a colon the sub-sequence unless it is 0. */
    @Override
    public String toString() {
        return subSequence == 0 ? sequenceNumber.digits() : sequenceNumber.digits() + ":" + subSequence;
    }

    /** The position that {@link #toString} wrote. */
    public static Position parse(String text) {
        int colon = text.indexOf(':');
        return colon < 0
                ? of(text)
                : new Position(
                        new SequenceNumber(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
    }
}
