package io.millrace.local.internal.mapping;

import java.util.List;

/** A shard as the stream lists it; the parents are none, one (after a split) or two (after a merge). */
public record SourceShard(String shardId, List<String> parents) {}
