package io.millrace.local.internal.kinesis;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** A checked record on its way into a stream. */
final class PutEntry {
    private final String partitionKey;
    private final BigInteger hashKey;
    private final byte[] data;
    private final int sizeBytes;

    PutEntry(String partitionKey, BigInteger hashKey, byte[] data) {
        this.partitionKey = partitionKey;
        this.hashKey = hashKey;
        this.data = data;
        this.sizeBytes = data.length + partitionKey.getBytes(StandardCharsets.UTF_8).length;
    }

    String partitionKey() {
        return partitionKey;
    }

    /** The explicit hash key, or the partition key's. */
    BigInteger hashKey() {
        return hashKey;
    }

    byte[] data() {
        return data;
    }

    /** What AWS counts: the data and the UTF-8 bytes of the partition key. */
    int sizeBytes() {
        return sizeBytes;
    }
}
