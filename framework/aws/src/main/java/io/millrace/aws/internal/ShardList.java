package io.millrace.aws.internal;

import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.SequenceNumber;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ListShardsRequest;
import software.amazon.awssdk.services.kinesis.model.ListShardsResponse;
import software.amazon.awssdk.services.kinesis.model.Shard;

/** The shards of a stream as they were listed: all that still hold records, the closed ones among them. Immutable. */
final class ShardList {
    private final Map<String, Shard> shards;

    private ShardList(Map<String, Shard> shards) {
        this.shards = shards;
    }

    /** Lists a stream's shards. */
    static ShardList read(KinesisClient kinesis, RetryingRequest request, String stream) {
        Map<String, Shard> shards = new LinkedHashMap<>();
        String token = null;
        do {
            ListShardsRequest.Builder page = ListShardsRequest.builder();
            if (token == null) {
                page.streamName(stream);
            } else {
                page.nextToken(token);
            }
            ListShardsResponse answer =
                    request.of("Listing the shards of stream " + stream, () -> kinesis.listShards(page.build()));
            answer.shards().forEach(shard -> shards.put(shard.shardId(), shard));
            token = answer.nextToken();
        } while (token != null);
        return new ShardList(shards);
    }

    /** The shards, parents before their children. */
    List<String> parentsFirst() {
        List<String> ordered = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        shards.keySet().forEach(shardId -> addBehindParents(shardId, seen, ordered));
        return ordered;
    }

    private void addBehindParents(String shardId, Set<String> seen, List<String> ordered) {
        if (!shards.containsKey(shardId) || !seen.add(shardId)) {
            return;
        }
        parentsOf(shardId).forEach(parent -> addBehindParents(parent, seen, ordered));
        ordered.add(shardId);
    }

    boolean holds(String shardId) {
        return shards.containsKey(shardId);
    }

    /** Whether a shard takes no more records, or is not listed any more. */
    boolean isOver(String shardId) {
        Shard shard = shards.get(shardId);
        return shard == null || shard.sequenceNumberRange().endingSequenceNumber() != null;
    }

    /** The shards that a shard came of by a split or a merge, whether they are still listed or not. */
    List<String> parentsOf(String shardId) {
        Shard shard = shards.get(shardId);
        return shard == null
                ? List.of()
                : Stream.of(shard.parentShardId(), shard.adjacentParentShardId())
                        .filter(parent -> parent != null && !parent.isEmpty())
                        .toList();
    }

    /** Where a shard ends: behind its last record; at the given record or behind it. */
    Position endOf(String shardId, Position atLeast) {
        Shard shard = shards.get(shardId);
        String digits = shard == null ? null : shard.sequenceNumberRange().endingSequenceNumber();
        Position end = digits == null ? atLeast : new Position(new SequenceNumber(digits), Integer.MAX_VALUE);
        return end.compareTo(atLeast) >= 0 ? end : atLeast;
    }

    /** The shards that came of a shard. */
    Set<String> childrenOf(String shardId) {
        Set<String> children = new HashSet<>();
        shards.keySet().stream()
                .filter(child -> parentsOf(child).contains(shardId))
                .forEach(children::add);
        return children;
    }
}
