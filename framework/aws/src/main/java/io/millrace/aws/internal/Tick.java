package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * What happens to a stage without a batch, once a minute: its lanes are brought up to date, idle ones raise their watermarks,
 * and what is due fires. Any number of ticks may run at once. For one use by one thread.
 */
public final class Tick {
    /** How many sweeps in a row may find timers that the sweep before has set, when the input has ended. */
    static final int ENDING_SWEEPS_MAX = 100;

    private final StageRuntime runtime;
    private final Deadline deadline;
    private final BatchReport report;
    private final long generation;
    private final StageLanes lanes;

    /** Reads the control item. */
    public Tick(StageRuntime runtime, Deadline deadline, BatchReport report) {
        PipelineControl control = runtime.control.readWithSource(runtime.pipeline, runtime.plan().source().stream());
        if (control.stopReason() != null) {
            throw ShellErrors.stopped(runtime.pipeline, control.stopReason());
        }
        this.runtime = runtime;
        this.deadline = deadline;
        this.report = report;
        this.generation = control.generation();
        this.lanes = new StageLanes(runtime, control);
    }

    /**
     * What a tick did beside what the report counts.
     *
     * @param lanesRaised how many idle lanes raised their watermarks, or were ended
     * @param watermark the stage's
     * @param isSweepComplete whether nothing was left that is due
     */
    public record Outcome(
            int lanesDiscovered, int lanesFinished, int lanesRaised, long watermark, boolean isSweepComplete) {}

    /** Runs a tick. */
    public Outcome run() {
        StageLanes.Changes changes = lanes.bringUpToDate(report);
        int raised = raiseIdle();
        long watermark = lanes.newWatermark();
        Sweep.Result swept = sweep(watermark);
        return new Outcome(changes.discovered(), changes.finished(), raised, watermark, swept.complete());
    }

    private Sweep.Result sweep(long watermark) {
        if (!(runtime.stage instanceof KeyedWork work)) {
            return new Sweep.Result(true, 0, 0);
        }
        StageTime time = new StageTime(runtime.surroundings.clock().instant(), watermark);
        return new Sweep(runtime, work, generation, time, deadline, report).runEverywhere();
    }

    private int raiseIdle() {
        if (!(runtime.plan() instanceof KeyedStagePlan plan) || plan.eventTime() == null) {
            return 0;
        }
        WatermarkStrategy<Object> strategy = plan.eventTime().strategy();
        Duration timeout = strategy.idleness();
        if (timeout == null) {
            return 0;
        }
        Instant now = runtime.surroundings.clock().instant();
        Map<Lane, LaneRecord> read = lanes.readUnfinished();
        Map<Lane, Instant> provenEmpty = proofs(silent(read, now, timeout));
        int raised = 0;
        for (var raise : new Idleness(strategy, timeout, runtime.rules)
                .raises(read, provenEmpty, now)
                .entrySet()) {
            LaneRecord record = Objects.requireNonNull(read.get(raise.getKey()));
            raised +=
                    lanes.write(raise.getKey().shardId(), record, runtime.rules.idled(record, raise.getValue())) != null
                            ? 1
                            : 0;
        }
        return raised;
    }

    /** Only lanes that have been silent for so long need a proof. */
    private static Map<Lane, LaneRecord> silent(Map<Lane, LaneRecord> read, Instant now, Duration timeout) {
        Map<Lane, LaneRecord> silent = new LinkedHashMap<>();
        read.forEach((lane, record) -> {
            if (ShellRules.isSilent(record, now, timeout)) {
                silent.put(lane, record);
            }
        });
        return silent;
    }

    /** The lanes that are proven empty, with the time before which the proof was begun. */
    private Map<Lane, Instant> proofs(Map<Lane, LaneRecord> read) {
        List<Callable<Map.Entry<Lane, Optional<Instant>>>> tasks = new ArrayList<>();
        read.forEach((lane, record) -> tasks.add(() -> {
            Instant begun = runtime.surroundings.clock().instant();
            return Map.entry(lane, lanes.isProvenEmpty(lane, record) ? Optional.of(begun) : Optional.empty());
        }));
        Map<Lane, Instant> proven = new LinkedHashMap<>();
        if (!tasks.isEmpty()) {
            runtime.io.runAll(tasks).forEach(entry -> entry.getValue().ifPresent(at -> proven.put(entry.getKey(), at)));
        }
        return proven;
    }

    /** Ends the input, as {@link io.millrace.aws.TickHandler#endOfInput} says. */
    public Outcome endOfInput() {
        StageLanes.Changes changes = lanes.bringUpToDate(report);
        Map<Lane, LaneRecord> read = lanes.readUnfinished();
        Map<Lane, Instant> provenEmpty = proofs(read);
        for (Lane lane : read.keySet()) {
            if (!provenEmpty.containsKey(lane)) {
                throw notCommitted(lane);
            }
        }
        int raised = 0;
        for (var entry : read.entrySet()) {
            LaneRecord record = entry.getValue();
            if (record.time().watermark() != WatermarkStrategy.END_OF_INPUT) {
                if (lanes.write(entry.getKey().shardId(), record, record.withWatermark(WatermarkStrategy.END_OF_INPUT))
                        == null) {
                    throw notCommitted(entry.getKey());
                }
                raised++;
            }
        }
        long watermark = lanes.newWatermark();
        if (watermark != WatermarkStrategy.END_OF_INPUT) {
            throw new MillraceException("The input of stage '" + runtime.plan().uid()
                    + "' could not be ended: lanes came up meanwhile. Is the stream being resharded? End it again.");
        }
        return new Outcome(changes.discovered(), changes.finished(), raised, watermark, sweepToTheEnd());
    }

    private MillraceException notCommitted(Lane lane) {
        return new MillraceException("The input of stage '" + runtime.plan().uid() + "' cannot be ended: lane " + lane
                + " is not proven to be committed up to the stream's tip. Stop the producers, let the function process what is"
                + " there, and end it again.");
    }

    /** Timers that fire can set others, which are due at once. */
    private boolean sweepToTheEnd() {
        for (int sweeps = 1; sweeps <= ENDING_SWEEPS_MAX; sweeps++) {
            int firedBefore = report.get(Count.TIMERS);
            Sweep.Result swept = sweep(WatermarkStrategy.END_OF_INPUT);
            if (!swept.complete()) {
                return false;
            }
            if (report.get(Count.TIMERS) == firedBefore && swept.skipped() == 0) {
                return swept.failed() == 0;
            }
        }
        throw new MillraceException("Timers of stage '" + runtime.plan().uid() + "' still fire in sweep "
                + ENDING_SWEEPS_MAX
                + " behind the end of the input. Does onTimer register a timer each time? At the end of the"
                + " input the watermark is " + WatermarkStrategy.END_OF_INPUT
                + ", and all are due: register none then.");
    }

    /** Whether the input of the stage has ended, which is final. */
    public boolean isEnded() {
        return lanes.newWatermark() == WatermarkStrategy.END_OF_INPUT;
    }

    /** The stage's watermark. */
    public long watermark() {
        return lanes.watermark();
    }
}
