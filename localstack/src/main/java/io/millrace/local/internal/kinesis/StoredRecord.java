package io.millrace.local.internal.kinesis;

/** A record in a shard. */
final class StoredRecord {
    private final long number;
    private final String partitionKey;
    private final byte[] data;
    private final int partitionKeyBytes;
    private final long arrivalMillis;

    StoredRecord(long number, PutEntry entry, long arrivalMillis) {
        this.number = number;
        this.partitionKey = entry.partitionKey();
        this.data = entry.data();
        this.partitionKeyBytes = entry.sizeBytes() - data.length;
        this.arrivalMillis = arrivalMillis;
    }

    /** Its place in the shard: the first record is number 1. */
    long number() {
        return number;
    }

    String partitionKey() {
        return partitionKey;
    }

    byte[] data() {
        return data;
    }

    int sizeBytes() {
        return data.length + partitionKeyBytes;
    }

    long arrivalMillis() {
        return arrivalMillis;
    }
}
