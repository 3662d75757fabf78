package io.millrace.internal.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user record of a lane, not decoded yet. Nobody may write into the payload.
 *
 * @param arrival when it arrived in the stream, by Kinesis's clock
 * @param partitionKey its own, which is not the one of its aggregate; null where the stream has none
 */
public record InputRecord(
        Position position,
        byte[] payload,
        Instant arrival,
        @Nullable String partitionKey,
        Packing packing) {
    /** A user record without a partition key. */
    public InputRecord(Position position, byte[] payload, Instant arrival) {
        this(position, payload, arrival, null);
    }

    /** A user record. */
    public InputRecord(Position position, byte[] payload, Instant arrival, @Nullable String partitionKey) {
        this(position, payload, arrival, partitionKey, new UserRecord());
    }

    /** What the payload is. */
    public sealed interface Packing {}

    /** What a producer has put, alone or in an aggregate. */
    public record UserRecord() implements Packing {}

    /** An aggregate without user records: it gives no element, and is there for the cursor to pass it. */
    public record EmptyAggregate() implements Packing {}

    /**
     * An aggregate that cannot be taken apart: no decoder meets it, and all of it cannot be decoded.
     *
     * @param defect why
     */
    public record BrokenAggregate(String defect) implements Packing {}
}
