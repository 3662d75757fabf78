package io.millrace.local.internal.mapping;

import java.time.Instant;

/** Where in a shard to begin to read. */
public sealed interface ShardPosition {
    record Oldest() implements ShardPosition {}

    record Newest() implements ShardPosition {}

    record AtTime(Instant time) implements ShardPosition {}

    record After(String sequenceNumber) implements ShardPosition {}
}
