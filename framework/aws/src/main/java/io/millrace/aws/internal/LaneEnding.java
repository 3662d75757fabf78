package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.Position;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Marks lanes as finished, by proof only: reading from the cursor reaches the closed shard's end, or the stream does not list
 * the shard any more. First a lane's children have their records, with its watermark. Thread-safe.
 */
final class LaneEnding {
    private final StageLanes lanes;
    private final LaneDiscovery discovery;
    private final StageRuntime runtime;

    LaneEnding(StageLanes lanes, LaneDiscovery discovery, StageRuntime runtime) {
        this.lanes = lanes;
        this.discovery = discovery;
        this.runtime = runtime;
    }

    /** A lane that is not proven finished. */
    record Unfinished(Lane lane, @Nullable Position cursor, LaneTail tail) {}

    /**
     * Finishes a lane, and those that it came of, if it is proven that nothing comes of them any more, or an operator has
     * decided to go on without it.
     *
     * @return the lane that is not finished, this one or one that it came of; null if all are
     */
    @Nullable
    Unfinished finish(String shardId, ShardList shards, BatchReport report) {
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            LaneRecord record = lanes.read(shardId);
            if (record.version() == null || record.lineage().finished()) {
                return null;
            }
            for (String parent : record.lineage().openParents()) {
                Unfinished unfinished = finish(parent, shards, report);
                if (unfinished != null) {
                    return unfinished;
                }
            }
            Lane lane = lanes.lane(shardId);
            LaneTail tail = shards.holds(shardId)
                    ? runtime.contiguity.tail(lane, record.cursor())
                    : LaneTail.of(LaneTail.Kind.GONE);
            boolean isProven = runtime.rules.isFinished(tail);
            Set<String> children = shards.childrenOf(shardId);
            boolean isLost = !isProven && isGivenUp(lane, record, tail, children);
            // A list from before the shard was closed names no children.
            boolean areChildrenListed = !children.isEmpty() || tail.kind() == LaneTail.Kind.GONE;
            if (!(isProven || isLost) || !areChildrenListed) {
                return new Unfinished(lane, record.cursor(), tail);
            }
            LaneRecord last = isLost ? givenUp(lane, record, tail, shards) : record;
            if (runtime.rules.finish(
                    () -> prepare(children, shards),
                    () -> lanes.write(
                                    shardId,
                                    record,
                                    last.withLineage(last.lineage().finishedWith(children)))
                            != null)) {
                if (isLost) {
                    report.add(Count.GAPS_ACCEPTED, 1);
                    report.add(Count.DEAD_LETTERS, 1);
                }
                return null;
            }
        }
        throw ShellErrors.tooManyRetries("Finishing lane " + lanes.lane(shardId), Backoff.ATTEMPTS_MAX, null);
    }

    /** Only of a closed shard that still holds records an operator can know that they will not come. */
    private boolean isGivenUp(Lane lane, LaneRecord record, LaneTail tail, Set<String> children) {
        return tail.kind() == LaneTail.Kind.RECORDS
                && !children.isEmpty()
                && runtime.decisions.acceptedGaps().contains(GapDecision.toEnd(lane, record.cursor()));
    }

    /** The lane behind its last records, of which a dead letter tells: if they come after all, they are over. */
    private LaneRecord givenUp(Lane lane, LaneRecord record, LaneTail tail, ShardList shards) {
        Position first = Objects.requireNonNull(tail.first());
        runtime.rules.recordLostEnd(
                runtime.deadLetters,
                lane,
                record.cursor(),
                first,
                runtime.plan().uid(),
                lanes.generation());
        return record.advancedTo(
                shards.endOf(lane.shardId(), first),
                runtime.surroundings.clock().instant());
    }

    /** Gives the children their records, and their parents' watermark: the lowest of them, and never below it. */
    private void prepare(Set<String> children, ShardList shards) {
        if (children.isEmpty()) {
            return;
        }
        discovery.run(shards);
        LaneView view = lanes.view();
        for (String child : children) {
            long inherited = LaneDiscovery.watermarkOfParents(child, shards, view);
            lanes.update(child, record -> record.withWatermark(inherited));
        }
    }
}
