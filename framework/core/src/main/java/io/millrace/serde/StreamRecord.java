package io.millrace.serde;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A record as a {@link RecordDecoder} sees it: a Kinesis record, or one user record of an aggregate. Immutable and
 * thread-safe; whatever a decoder does with what it gets from here, the record is the same when it is decoded again.
 */
public final class StreamRecord {
    private static final String NO_SEQUENCE_NUMBER = "0";

    private final byte[] payload;
    private final @Nullable String partitionKey;
    private final Instant arrival;
    private final String sequenceNumber;
    private final int subSequence;

    private StreamRecord(
            byte[] payload, @Nullable String partitionKey, Instant arrival, String sequenceNumber, int subSequence) {
        this.payload = payload;
        this.partitionKey = partitionKey;
        this.arrival = arrival;
        this.sequenceNumber = sequenceNumber;
        this.subSequence = subSequence;
    }

    /**
     * A record of a payload, without a partition key, that arrived in 1970 at sequence number 0; for tests of decoders.
     *
     * @param payload kept as it is, so it must not be changed any more
     */
    public static StreamRecord of(byte[] payload) {
        return new StreamRecord(payload, null, Instant.EPOCH, NO_SEQUENCE_NUMBER, 0);
    }

    /**
     * The same record with another payload; for decoders around others, such as {@link Gzip}.
     *
     * @param newPayload kept as it is, so it must not be changed any more
     */
    public StreamRecord withPayload(byte[] newPayload) {
        return new StreamRecord(newPayload, partitionKey, arrival, sequenceNumber, subSequence);
    }

    /** The same record with another partition key. */
    public StreamRecord withPartitionKey(@Nullable String newPartitionKey) {
        return new StreamRecord(payload, newPartitionKey, arrival, sequenceNumber, subSequence);
    }

    /** The same record with another time of arrival. */
    public StreamRecord withArrival(Instant newArrival) {
        return new StreamRecord(payload, partitionKey, newArrival, sequenceNumber, subSequence);
    }

    /** The same record at another place of its shard. */
    public StreamRecord withPosition(String newSequenceNumber, int newSubSequence) {
        return new StreamRecord(payload, partitionKey, arrival, newSequenceNumber, newSubSequence);
    }

    /** Its bytes: a new array at each call. */
    public byte[] payload() {
        return payload.clone();
    }

    /** How many bytes it has. */
    public int size() {
        return payload.length;
    }

    /**
     * The key by which its producer chose the shard; a user record of an aggregate has its own. Null where the stream has
     * none, which streams of some AWS services do not.
     */
    public @Nullable String partitionKey() {
        return partitionKey;
    }

    /** When it arrived in the stream, by Kinesis's clock, to the millisecond. */
    public Instant arrival() {
        return arrival;
    }

    /**
     * The sequence number of its Kinesis record: decimal digits, unique in its shard. A producer's retry is a new record
     * with another one, so it does not tell duplicates.
     */
    public String sequenceNumber() {
        return sequenceNumber;
    }

    /** Its index in its aggregate; 0 unless it is aggregated. */
    public int subSequence() {
        return subSequence;
    }

    /** Place and size; not the payload, since it may be secret. */
    @Override
    public String toString() {
        return "record " + sequenceNumber + (subSequence == 0 ? "" : ":" + subSequence) + " of " + payload.length
                + " bytes";
    }
}
