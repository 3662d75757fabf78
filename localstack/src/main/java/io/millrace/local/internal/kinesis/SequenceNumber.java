package io.millrace.local.internal.kinesis;

import java.math.BigInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A sequence number of AWS's make: 186 bits, shown as 56 decimal digits.
 *
 * <p>From the highest bit: the constant 2 (2 bits), the second of the shard's creation (36), the low bits of the shard's
 * index (4), the number of the record in its shard (64), zero (8), the second of its arrival (36), the shard's index
 * (32), the constant 2 (4). So the numbers of one shard increase, a child's are above its parent's since it is created
 * in a later second, and comparing the numbers of siblings says nothing about their age.
 */
record SequenceNumber(long shardCreatedSeconds, int shardIndex, long recordNumber, long arrivalSeconds) {
    /** How a request writes a sequence number. */
    static final Pattern DECIMAL = Pattern.compile("0|([1-9]\\d{0,128})");

    private static final long CONSTANT = 2;
    private static final int CONSTANT_BITS = 4;
    private static final int SHARD_BITS = 32;
    private static final int SECONDS_BITS = 36;
    private static final int ZERO_BITS = 8;
    private static final int RECORD_BITS = 64;
    private static final int SHARD_LOW_BITS = 4;
    private static final int ARRIVAL_SHIFT = CONSTANT_BITS + SHARD_BITS;
    private static final int RECORD_SHIFT = ARRIVAL_SHIFT + SECONDS_BITS + ZERO_BITS;
    private static final int SHARD_LOW_SHIFT = RECORD_SHIFT + RECORD_BITS;
    private static final int BITS = SHARD_LOW_SHIFT + SHARD_LOW_BITS + SECONDS_BITS + 2;
    private static final long SECONDS_MASK = (1L << SECONDS_BITS) - 1;
    private static final int SHARD_LOW_MASK = (1 << SHARD_LOW_BITS) - 1;

    /** Reads a decimal number, or returns null if it cannot be a sequence number of these streams. */
    static @Nullable SequenceNumber parse(String text) {
        BigInteger value = new BigInteger(text);
        if (value.bitLength() != BITS || (value.longValue() & ((1 << CONSTANT_BITS) - 1)) != CONSTANT) {
            return null;
        }
        long high = value.shiftRight(SHARD_LOW_SHIFT).longValue();
        SequenceNumber number = new SequenceNumber(
                (high >>> SHARD_LOW_BITS) & SECONDS_MASK,
                value.shiftRight(CONSTANT_BITS).intValue(),
                value.shiftRight(RECORD_SHIFT).longValue(),
                value.shiftRight(ARRIVAL_SHIFT).longValue() & SECONDS_MASK);
        return number.value().equals(value) ? number : null;
    }

    BigInteger value() {
        long high = (CONSTANT << (SECONDS_BITS + SHARD_LOW_BITS))
                | ((shardCreatedSeconds & SECONDS_MASK) << SHARD_LOW_BITS)
                | (shardIndex & SHARD_LOW_MASK);
        long low = (Integer.toUnsignedLong(shardIndex) << CONSTANT_BITS) | CONSTANT;
        return BigInteger.valueOf(high)
                .shiftLeft(RECORD_BITS)
                .or(BigInteger.valueOf(recordNumber))
                .shiftLeft(RECORD_SHIFT - ARRIVAL_SHIFT)
                .or(BigInteger.valueOf(arrivalSeconds & SECONDS_MASK))
                .shiftLeft(ARRIVAL_SHIFT)
                .or(BigInteger.valueOf(low));
    }

    /** The decimal digits, as AWS shows them. */
    String text() {
        return value().toString();
    }
}
