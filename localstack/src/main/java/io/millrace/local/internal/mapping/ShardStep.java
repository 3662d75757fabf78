package io.millrace.local.internal.mapping;

import io.millrace.local.DiscardedBatch;
import java.time.Instant;

/** What a shard's consumer wants done next. Its result, if it has one, goes back to the consumer. */
public sealed interface ShardStep {
    /** Open an iterator, then call {@code onIterator} or {@code onIteratorFailed}. */
    record OpenIterator(ShardPosition position) implements ShardStep {}

    /** Read, then call {@code onRead}. */
    record Read(String iterator, int limit) implements ShardStep {}

    /** Invoke the function, then call {@code onInvoked}. Other steps may be taken meanwhile. */
    record Invoke(Batch batch) implements ShardStep {}

    /** Report to the failure destination, then call {@code onDelivered}. */
    record Deliver(int lane, DiscardedBatch discarded) implements ShardStep {}

    /** Nothing to do before this time, unless a result comes in. */
    record WaitUntil(Instant time) implements ShardStep {}

    /** Nothing to do before a result comes in. */
    record AwaitResult() implements ShardStep {}

    /** The closed shard is read to its end, and every batch is acknowledged or given up. */
    record Finished() implements ShardStep {}
}
