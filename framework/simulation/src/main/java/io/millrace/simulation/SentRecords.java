package io.millrace.simulation;

import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** All that was sent, by lane. */
final class SentRecords {
    private final Map<String, SentLane> lanes = new LinkedHashMap<>();
    private final Map<String, SentLane> byFenceName = new HashMap<>();
    private final ShardTree shards = new ShardTree();
    private List<String> sources = List.of();
    private int reshards;

    /** The lane of a shard, which is new if nothing was sent to it. */
    SentLane lane(String stream, String shardId) {
        return lanes.computeIfAbsent(stream + "/" + shardId, name -> new SentLane(stream, shardId));
    }

    /** The lane of this name, stream and shard; null if nothing was sent to it. */
    @Nullable
    SentLane lane(String name) {
        return lanes.get(name);
    }

    /** The lanes that a lane came of, nearly or long ago, as far as something was sent to them. */
    List<SentLane> ancestorsOf(SentLane lane) {
        return shards.ancestorsOf(lane.name()).stream()
                .filter(lanes::containsKey)
                .map(lanes::get)
                .toList();
    }

    /** All shards. */
    ShardTree shards() {
        return shards;
    }

    List<SentLane> lanes() {
        return new ArrayList<>(lanes.values());
    }

    /** The pipeline's sources in their stored order, which names the lanes in fences. */
    void setSources(List<String> newSources) {
        sources = List.copyOf(newSources);
    }

    /** The lane of a fence's entry; null if there is none of this name. */
    @Nullable
    SentLane laneOfFence(String fenceName) {
        SentLane known = byFenceName.get(fenceName);
        if (known != null) {
            return known;
        }
        for (SentLane lane : lanes.values()) {
            int source = sources.indexOf(lane.stream());
            if (source >= 0) {
                byFenceName.put(new Lane(source, lane.stream(), lane.shardId()).fenceName(), lane);
            }
        }
        return byFenceName.get(fenceName);
    }

    /** A fence with the names of lanes and records. */
    String describe(Map<String, Position> fence) {
        StringJoiner text = new StringJoiner(", ", "{", "}");
        fence.forEach((name, position) -> {
            SentLane lane = laneOfFence(name);
            text.add(lane == null ? name + "=" + position : lane + "=" + lane.describe(position));
        });
        return text.toString();
    }

    /** A shard was split, or two were merged. */
    void noteReshard() {
        reshards++;
    }

    int reshards() {
        return reshards;
    }

    boolean areDone() {
        return lanes.values().stream().allMatch(SentLane::isDone);
    }
}
