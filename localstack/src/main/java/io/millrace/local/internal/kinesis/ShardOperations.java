package io.millrace.local.internal.kinesis;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.time.Clock;
import java.util.List;

/** The operations on the shards of a stream. */
final class ShardOperations {
    private static final int LISTED_SHARDS_MAX = 1_000;
    private static final int LISTED_SHARDS_LIMIT_MAX = 10_000;

    private final Streams streams;
    private final Clock clock;

    ShardOperations(Streams streams, Clock clock) {
        this.streams = streams;
        this.clock = clock;
    }

    void list(RequestMembers request, ObjectNode response) {
        int limit = request.integer("MaxResults", 1, LISTED_SHARDS_LIMIT_MAX, LISTED_SHARDS_MAX);
        long nowMillis = clock.millis();
        PageToken page = startOf(request, nowMillis);
        Stream stream = streams.get(page.stream());
        long horizonMillis = stream.horizonMillis(nowMillis);
        List<Shard> found = stream.shardsAfter(page.afterShardIndex(), nowMillis).stream()
                .filter(shard -> page.filter().shows(shard, horizonMillis))
                .toList();
        int size = Math.min(Math.min(limit, LISTED_SHARDS_MAX), found.size());
        ArrayNode shards = response.putArray("Shards");
        found.subList(0, size).forEach(shard -> shards.add(shard.toDocument()));
        if (size < found.size()) {
            int last = found.get(size - 1).index();
            response.put("NextToken", new PageToken(page.stream(), last, page.filter(), nowMillis).encode());
        }
    }

    void split(RequestMembers request) {
        String shardId = request.requiredText("ShardToSplit");
        String newStart = request.requiredText("NewStartingHashKey", HashKeyRange.HASH_KEY);
        streams.get(request).split(shardId, new BigInteger(newStart), clock.millis());
    }

    void merge(RequestMembers request) {
        String shardId = request.requiredText("ShardToMerge");
        String adjacentShardId = request.requiredText("AdjacentShardToMerge");
        streams.get(request).merge(shardId, adjacentShardId, clock.millis());
    }

    private PageToken startOf(RequestMembers request, long nowMillis) {
        String token = request.text("NextToken");
        if (token != null) {
            for (String other : List.of("StreamName", "ExclusiveStartShardId", "StreamCreationTimestamp")) {
                if (request.has(other)) {
                    throw KinesisErrors.invalidArgument("NextToken and " + other + " cannot be provided together.");
                }
            }
            return PageToken.decode(token, nowMillis);
        }
        RequestMembers filter = request.structure("ShardFilter");
        ShardFilter shardFilter = ShardFilter.of(filter);
        String start = request.text("ExclusiveStartShardId");
        if (filter != null && shardFilter.type() == ShardFilter.Type.AFTER_SHARD_ID) {
            start = filter.requiredText("ShardId");
        }
        int afterShardIndex = start == null ? -1 : Shard.indexOf(start);
        return new PageToken(streams.get(request).name(), afterShardIndex, shardFilter, nowMillis);
    }
}
