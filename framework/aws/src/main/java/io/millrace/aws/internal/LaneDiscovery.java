package io.millrace.aws.internal;

import io.millrace.internal.engine.LaneLineage;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.time.WatermarkStrategy;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Makes a lane record for each shard before the lane speaks, so that it holds the stage's watermark instead of being
 * forgotten. The item that names all lanes is written last. Any number may run at once. Thread-safe.
 */
final class LaneDiscovery {
    private final StageLanes lanes;
    private final StageRuntime runtime;

    LaneDiscovery(StageLanes lanes, StageRuntime runtime) {
        this.lanes = lanes;
        this.runtime = runtime;
    }

    /** Makes the records that are missing, and returns how many they are. */
    int run(ShardList shards) {
        LaneView view = lanes.view();
        int discovered = 0;
        for (String shardId : shards.parentsFirst()) {
            if (view.of(shardId).lineage().discovered() == null) {
                view = view.with(shardId, discover(shardId, shards, view));
                discovered++;
            }
        }
        if (discovered > 0 || !view.complete()) {
            lanes.writeComplete(lanes.view().byShard().keySet());
        }
        return discovered;
    }

    private LaneRecord discover(String shardId, ShardList shards, LaneView view) {
        Set<String> openParents = shards.parentsOf(shardId).stream()
                .filter(parent -> view.byShard().containsKey(parent)
                        && !view.of(parent).lineage().finished())
                .collect(Collectors.toSet());
        long inherited = watermarkOfParents(shardId, shards, view);
        Instant now = runtime.surroundings.clock().instant();
        return lanes.update(
                shardId,
                record -> record.lineage().discovered() != null
                        ? record
                        : record.withLineage(LaneLineage.discovered(now, openParents))
                                .withWatermark(inherited));
    }

    /** The lowest watermark of the parents that have a record: what comes of them is no further. */
    static long watermarkOfParents(String shardId, ShardList shards, LaneView view) {
        return shards.parentsOf(shardId).stream()
                .filter(view.byShard()::containsKey)
                .mapToLong(parent -> view.of(parent).time().watermark())
                .min()
                .orElse(WatermarkStrategy.NO_WATERMARK);
    }
}
