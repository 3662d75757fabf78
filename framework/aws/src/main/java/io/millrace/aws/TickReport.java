package io.millrace.aws;

import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.internal.Tick;
import io.millrace.time.WatermarkStrategy;
import org.jspecify.annotations.Nullable;

/** What a tick did, in numbers. Its getters are what Lambda shows as the function's answer. Immutable. */
public final class TickReport {
    private final Tick.Outcome outcome;
    private final int timersFired;
    private final int timersFailed;
    private final int deadLetters;
    private final @Nullable Throwable failure;

    TickReport(Tick.Outcome outcome, BatchReport counts) {
        this.outcome = outcome;
        this.timersFired = counts.get(Count.TIMERS);
        this.timersFailed = counts.get(Count.TIMER_FAILURES);
        this.deadLetters = counts.get(Count.DEAD_LETTERS);
        this.failure = counts.failure();
    }

    /** Lanes of shards that were not known before. */
    public int getLanesDiscovered() {
        return outcome.lanesDiscovered();
    }

    /** Lanes of closed shards that were proven to be committed to their ends. */
    public int getLanesFinished() {
        return outcome.lanesFinished();
    }

    /** Idle lanes whose watermarks were raised; at the end of the input, all lanes that it ended. */
    public int getLanesRaised() {
        return outcome.lanesRaised();
    }

    /** Timers that fired. */
    public int getTimersFired() {
        return timersFired;
    }

    /** Failures of timers, those that became dead letters included. */
    public int getTimersFailed() {
        return timersFailed;
    }

    /** Timers that became dead letters. */
    public int getDeadLetters() {
        return deadLetters;
    }

    /** The stage's watermark in milliseconds since the epoch; null if it has none yet. */
    public @Nullable Long getWatermark() {
        return outcome.watermark() == WatermarkStrategy.NO_WATERMARK ? null : outcome.watermark();
    }

    /**
     * Whether everything that was due has been met. False if the time did not suffice, or if another tick or invocation is at
     * it: the next tick goes on. At the end of the input also false as long as timers fail that are not given up.
     */
    public boolean isSweepComplete() {
        return outcome.isSweepComplete();
    }

    /** What a timer met that failed last; null if none failed. */
    public @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public String toString() {
        return "watermark " + getWatermark() + ", lanes: " + getLanesDiscovered() + " discovered, " + getLanesFinished()
                + " finished, " + getLanesRaised() + " raised; timers: " + timersFired + " fired, " + timersFailed
                + " failed, " + deadLetters + " dead letters; sweep "
                + (isSweepComplete() ? "complete" : "not complete");
    }
}
