package io.millrace.local.internal.mapping;

import io.millrace.local.StartingPosition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which shards a mapping knows, and which of them may be read: a shard whose parents are finished, or were trimmed before
 * the mapping ever saw them. Single-threaded.
 */
public final class ShardDirectory {
    /** A shard that may be read from now on, and where to begin. */
    public record Ready(String shardId, ShardPosition start) {}

    private final StartingPosition startingPosition;
    private final Map<String, SourceShard> waiting = new LinkedHashMap<>();
    private final Map<String, ShardPosition> starts = new LinkedHashMap<>();
    private final Set<String> unfinished = new HashSet<>();
    private boolean listedBefore;

    public ShardDirectory(StartingPosition startingPosition) {
        this.startingPosition = startingPosition;
    }

    /** Takes in what the stream lists now. */
    public void onListed(List<SourceShard> shards) {
        for (SourceShard shard : shards) {
            if (!starts.containsKey(shard.shardId())) {
                starts.put(shard.shardId(), start());
                waiting.put(shard.shardId(), shard);
                unfinished.add(shard.shardId());
            }
        }
        listedBefore = true;
    }

    private ShardPosition start() {
        if (startingPosition instanceof StartingPosition.AtTimestamp at) {
            return new ShardPosition.AtTime(at.timestamp());
        }
        // A shard that appeared after the start is new as a whole, so LATEST must not skip its beginning.
        boolean newest = startingPosition instanceof StartingPosition.Latest && !listedBefore;
        return newest ? new ShardPosition.Newest() : new ShardPosition.Oldest();
    }

    /** The shard needs nothing any more: its children may be read. */
    public void onFinished(String shardId) {
        unfinished.remove(shardId);
    }

    /** The shards that became readable since the last call. */
    public List<Ready> takeReady() {
        List<Ready> ready = new ArrayList<>();
        waiting.values().removeIf(shard -> {
            boolean parentsFinished = shard.parents().stream().noneMatch(unfinished::contains);
            if (parentsFinished) {
                ready.add(new Ready(shard.shardId(), starts.getOrDefault(shard.shardId(), new ShardPosition.Oldest())));
            }
            return parentsFinished;
        });
        return ready;
    }

    /** Tells whether a known shard still waits for a parent. */
    public boolean hasWaiting() {
        return !waiting.isEmpty();
    }
}
