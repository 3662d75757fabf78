package io.millrace.local.internal.kinesis;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The hash keys that a shard takes, both ends included; hash keys are unsigned 128-bit numbers. */
record HashKeyRange(BigInteger start, BigInteger end) {
    /** How a request writes a hash key. */
    static final Pattern HASH_KEY = Pattern.compile("0|([1-9]\\d{0,38})");

    private static final BigInteger HASH_KEYS = BigInteger.ONE.shiftLeft(128);
    static final BigInteger HASH_KEY_MAX = HASH_KEYS.subtract(BigInteger.ONE);

    /** The hash key of a partition key: the unsigned MD5 of its UTF-8 bytes. */
    static BigInteger hashKeyOf(String partitionKey) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(partitionKey.getBytes(StandardCharsets.UTF_8));
            return new BigInteger(1, digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }

    /** All hash keys in that many ranges of one size, the last one with the remainder. */
    static List<HashKeyRange> divide(int count) {
        BigInteger width = HASH_KEYS.divide(BigInteger.valueOf(count));
        List<HashKeyRange> ranges = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            BigInteger start = width.multiply(BigInteger.valueOf(i));
            BigInteger end = i == count - 1 ? HASH_KEY_MAX : start.add(width).subtract(BigInteger.ONE);
            ranges.add(new HashKeyRange(start, end));
        }
        return ranges;
    }

    /** Whether the other range begins where this one ends. */
    boolean endsBefore(HashKeyRange other) {
        return end.add(BigInteger.ONE).equals(other.start);
    }

    /** Kinesis splits only where both halves have more than one hash key. */
    boolean canSplitAt(BigInteger newStart) {
        return newStart.compareTo(start.add(BigInteger.ONE)) > 0 && newStart.compareTo(end) < 0;
    }
}
