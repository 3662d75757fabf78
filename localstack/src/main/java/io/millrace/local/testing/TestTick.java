package io.millrace.local.testing;

import io.millrace.aws.TickReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one tick of a stage came to, or one attempt to end its input: one invocation of the stage's tick function. */
public final class TestTick {
    private final String stage;
    private final @Nullable TickReport report;
    private final @Nullable Throwable error;
    private final boolean crashed;
    private final List<String> requests;

    TestTick(
            String stage,
            @Nullable TickReport report,
            @Nullable Throwable error,
            boolean crashed,
            List<String> requests) {
        this.stage = stage;
        this.report = report;
        this.error = error;
        this.crashed = crashed;
        this.requests = requests;
    }

    /** The stage's uid. */
    public String stage() {
        return stage;
    }

    /** Whether the tick answered, and all that was due has been met. */
    public boolean isComplete() {
        return report != null && report.isSweepComplete();
    }

    /** Whether the tick ended at the crash point that was asked for. */
    public boolean crashed() {
        return crashed;
    }

    /** Why the tick failed as a whole; null if it answered, or crashed as asked for. */
    public @Nullable Throwable error() {
        return error;
    }

    /** The tick in numbers. Null if it failed as a whole or crashed. */
    public @Nullable TickReport report() {
        return report;
    }

    /** The tick's AWS requests in their order: what {@link PipelineTestDriver#crashBeforeRequest} counts. */
    public List<String> requests() {
        return requests;
    }

    /** How many timers it fired; 0 if it failed as a whole or crashed. */
    public int timersFired() {
        return report == null ? 0 : report.getTimersFired();
    }

    /** The stage and the outcome. */
    @Override
    public String toString() {
        if (crashed) {
            return "tick of stage '" + stage + "': crashed";
        }
        return "tick of stage '" + stage + "': " + (report == null ? "failed as a whole: " + error : report);
    }
}
