package io.millrace.local;

import org.jspecify.annotations.Nullable;

/** How one tick of a stage ended, as its schedule sees it. */
public sealed interface TickOutcome {
    /**
     * The function answered.
     *
     * @param timersFired timers that the tick fired
     * @param timersFailed failures of timers, those that became dead letters included
     * @param deadLetters timers that became dead letters
     * @param watermark the stage's, in milliseconds since the epoch; null if it has none yet
     * @param sweepComplete whether everything that was due has been met
     */
    record Done(
            long timersFired,
            long timersFailed,
            long deadLetters,
            @Nullable Long watermark,
            boolean sweepComplete) implements TickOutcome {}

    /** The function threw, its process died, or it did not answer in time. */
    record Failed(String errorType, @Nullable String errorMessage) implements TickOutcome {
        @Override
        public String toString() {
            return errorType + ": " + errorMessage;
        }
    }
}
