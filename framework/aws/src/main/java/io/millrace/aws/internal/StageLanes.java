package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The lanes of a stage: their records, which ones there are, and the stage's watermark, by the protocol page ("Lanes come and
 * go", "Event time"). Thread-safe.
 */
final class StageLanes {
    /** How old the stage's watermark may be before it is found anew. */
    static final Duration WATERMARK_AGE_MAX = Duration.ofSeconds(1);

    private final StageRuntime runtime;
    private final PipelineControl control;
    private final String stage;
    private final String stream;
    private final Backoff backoff;
    private final LaneDiscovery discovery;
    private final LaneEnding ending;

    StageLanes(StageRuntime runtime, PipelineControl control) {
        this.runtime = runtime;
        this.control = control;
        this.stage = runtime.plan().uid();
        this.stream = runtime.plan().source().stream();
        this.backoff = new Backoff(runtime.surroundings);
        this.discovery = new LaneDiscovery(this, runtime);
        this.ending = new LaneEnding(this, discovery, runtime);
    }

    /** How many lanes were found, and how many are over. */
    record Changes(int discovered, int finished) {}

    /** Brings the lanes in line with the stream's shards: makes records of those that have none, and finishes those that are over. */
    Changes bringUpToDate(BatchReport report) {
        // Read before the list: a shard that this lacks is gone only if its lane was known before.
        Set<String> known = view().byShard().keySet();
        ShardList shards = shards();
        int discovered = discovery.run(shards);
        int finished = 0;
        for (String shardId : view().unfinished().keySet()) {
            boolean isInDoubt = !shards.holds(shardId) && !known.contains(shardId);
            if (!isInDoubt && shards.isOver(shardId) && ending.finish(shardId, shards, report) == null) {
                finished++;
            }
        }
        return new Changes(discovered, finished);
    }

    /** Makes records of the lanes that have none, if one of those that are there was not discovered or not all are there. */
    void discover() {
        discovery.run(shards());
    }

    /** What proves that lanes are over, and says so. */
    LaneEnding ending() {
        return ending;
    }

    ShardList shards() {
        return ShardList.read(runtime.kinesis, runtime.reads, stream);
    }

    /** All records; which of them there should be was read before. */
    LaneView view() {
        Set<String> complete = namedIn(lanesItem());
        NavigableMap<String, LaneRecord> byShard = new TreeMap<>();
        runtime.lanes.readAll(stage, control.generation()).forEach((name, record) -> {
            if (name.startsWith(stream + "/")) {
                byShard.put(name.substring(stream.length() + 1), record);
            }
        });
        return new LaneView(byShard, runtime.rules.isComplete(complete, byShard.keySet()));
    }

    private Map<String, AttributeValue> lanesItem() {
        return runtime.stageItems.read(stage, control.generation(), StageItems.LANES);
    }

    private static @Nullable Set<String> namedIn(Map<String, AttributeValue> item) {
        return item.isEmpty() ? null : Set.copyOf(Items.required(item, "shards").ss());
    }

    /** Names the lanes whose records are there; written behind the last of them. */
    void writeComplete(Set<String> shardIds) {
        Map<String, AttributeValue> before = lanesItem();
        if (shardIds.isEmpty() || shardIds.equals(namedIn(before))) {
            return;
        }
        String version = runtime.surroundings.nonce();
        AttributeValue shards = AttributeValue.fromSs(shardIds.stream().sorted().toList());
        // Who comes first may name other lanes: then the next reader sees that they differ, and lists the shards again.
        throwIfRefused(CommitOutcomes.untilKnown(
                backoff,
                () -> runtime.stageItems.write(
                        stage,
                        control.generation(),
                        StageItems.LANES,
                        version,
                        Map.of("shards", shards),
                        StageItems.versionOf(before))));
    }

    long generation() {
        return control.generation();
    }

    Lane lane(String shardId) {
        return runtime.rules.lane(control, stream, shardId);
    }

    LaneRecord read(String shardId) {
        return runtime.lanes.read(stage, control.generation(), lane(shardId));
    }

    /** Stores a change of a lane's record if it still is as it was read; null if it is not. */
    @Nullable
    LaneRecord write(String shardId, LaneRecord read, LaneRecord changed) {
        if (changed.equals(read)) {
            return read;
        }
        LaneRecord written = changed.withVersion(runtime.surroundings.nonce());
        CommitOutcome outcome = CommitOutcomes.untilKnown(
                backoff,
                () -> runtime.lanes.write(
                        stage, control.generation(), lane(shardId), written, read.version(), List.of()));
        throwIfRefused(outcome);
        boolean isWritten =
                outcome instanceof CommitOutcome.Committed || outcome instanceof CommitOutcome.AlreadyCommitted;
        return isWritten ? written : null;
    }

    /** Stores a change of a lane's record, applied to what is there now. It must be right on each. */
    LaneRecord update(String shardId, UnaryOperator<LaneRecord> change) {
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            LaneRecord read = read(shardId);
            LaneRecord written = write(shardId, read, change.apply(read));
            if (written != null) {
                return written;
            }
            backoff.await(attempt);
        }
        throw ShellErrors.tooManyRetries("Changing the record of lane " + lane(shardId), Backoff.ATTEMPTS_MAX, null);
    }

    private static void throwIfRefused(CommitOutcome outcome) {
        if (outcome instanceof CommitOutcome.Refused refused) {
            throw refused.cause();
        }
    }

    /** The lanes that are not finished. */
    Map<Lane, LaneRecord> readUnfinished() {
        Map<Lane, LaneRecord> lanes = new LinkedHashMap<>();
        view().unfinished().forEach((shardId, record) -> lanes.put(lane(shardId), record));
        return lanes;
    }

    /** Whether the stream holds nothing behind a lane's cursor: reading from it to the tip gave nothing. */
    boolean isProvenEmpty(Lane lane, LaneRecord record) {
        return runtime.contiguity.firstBehind(lane, record.cursor()) == null;
    }

    /** The time that a run of the stage sees now; only a stage with event time asks for its watermark. */
    StageTime time() {
        boolean hasEventTime = runtime.plan() instanceof KeyedStagePlan keyed && keyed.eventTime() != null;
        long watermark = hasEventTime ? watermark() : WatermarkStrategy.NO_WATERMARK;
        return new StageTime(runtime.surroundings.clock().instant(), watermark);
    }

    /** The stage's watermark, at most {@link #WATERMARK_AGE_MAX} old: it only rises, so an older one only delays. */
    long watermark() {
        Map<String, AttributeValue> item = watermarkItem();
        if (!item.isEmpty()) {
            Instant found = Instant.parse(Items.required(item, "found").s());
            Duration age = Duration.between(found, runtime.surroundings.clock().instant());
            if (age.abs().compareTo(WATERMARK_AGE_MAX) <= 0) {
                return watermarkOf(item);
            }
        }
        return raiseWatermark(item);
    }

    /** The stage's watermark, found anew. */
    long newWatermark() {
        return raiseWatermark(watermarkItem());
    }

    private Map<String, AttributeValue> watermarkItem() {
        return runtime.stageItems.read(stage, control.generation(), StageItems.WATERMARK);
    }

    private static long watermarkOf(Map<String, AttributeValue> item) {
        return item.isEmpty()
                ? WatermarkStrategy.NO_WATERMARK
                : Long.parseLong(Items.required(item, "watermark").n());
    }

    private long raiseWatermark(Map<String, AttributeValue> before) {
        LaneView view = view();
        if (!view.complete()) {
            discover();
            view = view();
        }
        long found = view.complete() ? view.watermark(runtime.rules) : WatermarkStrategy.NO_WATERMARK;
        long raised = runtime.rules.raisedWatermark(watermarkOf(before), found);
        String version = runtime.surroundings.nonce();
        Map<String, AttributeValue> attributes = Map.of(
                "watermark",
                Items.number(raised),
                "found",
                Items.text(runtime.surroundings.clock().instant().toString()));
        // Who came first has found one of its own; both are right.
        throwIfRefused(runtime.stageItems.write(
                stage, control.generation(), StageItems.WATERMARK, version, attributes, StageItems.versionOf(before)));
        return raised;
    }
}
