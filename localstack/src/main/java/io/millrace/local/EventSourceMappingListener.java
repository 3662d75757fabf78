package io.millrace.local;

import java.util.List;
import software.amazon.awssdk.services.kinesis.model.Record;

/** Observes a mapping. Called from the mapping's threads, in order within a shard; must be quick and thread-safe. */
public interface EventSourceMappingListener {
    /** An invocation is about to begin. {@code redelivery}: the mapping has delivered these records before. */
    default void invoking(String shardId, List<Record> records, boolean redelivery) {}

    /** An invocation ended. */
    default void invoked(String shardId, List<Record> records, InvocationOutcome outcome) {}

    /** The checkpoint moved behind these records. */
    default void acknowledged(String shardId, List<Record> records) {}

    /** A failed batch was split: the records behind {@code at} are a batch of their own now. */
    default void split(String shardId, List<Record> records, int at) {}

    /** A batch, or the rest of one, was given up. */
    default void discarded(DiscardedBatch batch) {}

    /** The failure destination refused the report on a discarded batch. */
    default void deliveryFailed(DiscardedBatch batch, RuntimeException failure) {}

    /** Listing or reading the stream failed; the mapping tries again. */
    default void readFailed(String shardId, RuntimeException failure) {}

    /** A closed shard was read to its end and every batch of it was acknowledged or given up. */
    default void shardFinished(String shardId) {}
}
