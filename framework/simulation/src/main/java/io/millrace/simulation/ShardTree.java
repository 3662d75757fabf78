package io.millrace.simulation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import software.amazon.awssdk.services.kinesis.model.Shard;

/** All shards that there ever were, as they came of each other by splits and merges; each by its lane's name. */
final class ShardTree {
    private final Map<String, Set<String>> parents = new LinkedHashMap<>();
    private final Set<String> closed = new TreeSet<>();

    /** Takes note of a stream's shards as they are now. */
    void note(String stream, List<Shard> shards) {
        for (Shard shard : shards) {
            String name = name(stream, shard.shardId());
            Set<String> itsParents = parents.computeIfAbsent(name, none -> new TreeSet<>());
            if (shard.parentShardId() != null) {
                itsParents.add(name(stream, shard.parentShardId()));
            }
            if (shard.adjacentParentShardId() != null) {
                itsParents.add(name(stream, shard.adjacentParentShardId()));
            }
            if (shard.sequenceNumberRange().endingSequenceNumber() != null) {
                closed.add(name);
            }
        }
    }

    private static String name(String stream, String shardId) {
        return stream + "/" + shardId;
    }

    /** Parents before their children. */
    Set<String> lanes() {
        return parents.keySet();
    }

    boolean holds(String lane) {
        return parents.containsKey(lane);
    }

    boolean isClosed(String lane) {
        return closed.contains(lane);
    }

    Set<String> parentsOf(String lane) {
        return parents.getOrDefault(lane, Set.of());
    }

    /** The lanes that a lane came of, and those that they came of, and so on. */
    Set<String> ancestorsOf(String lane) {
        Set<String> ancestors = new TreeSet<>();
        for (String parent : parentsOf(lane)) {
            ancestors.add(parent);
            ancestors.addAll(ancestorsOf(parent));
        }
        return ancestors;
    }

    Set<String> childrenOf(String lane) {
        Set<String> children = new TreeSet<>();
        parents.forEach((child, itsParents) -> {
            if (itsParents.contains(lane)) {
                children.add(child);
            }
        });
        return children;
    }
}
