package io.millrace.local.internal.mapping;

import java.time.Duration;
import java.util.List;

/** A stream of shards as the mapping reads it. Thread-safe. */
public interface ShardSource {
    /** All shards that the stream knows, closed ones included. */
    List<SourceShard> listShards();

    /** How long the stream keeps a record. */
    Duration retention();

    /** An iterator at a position. */
    String openIterator(String shardId, ShardPosition position);

    /** The next records of an iterator. */
    ReadOutcome read(String iterator, int limit);
}
