package io.millrace.local;

import java.time.Duration;

/** A stage's tick function that a schedule can invoke, wherever it runs. Implementations must be thread-safe. */
public interface TickInvoker {
    /** Runs one tick and waits for its answer or its time-out. Never throws for a failing function. */
    TickOutcome tick(InvocationContext context);

    /**
     * Waits until no tick that was reported as ended is still running.
     *
     * @return false if some still run after {@code timeout}
     */
    default boolean awaitZombies(Duration timeout) throws InterruptedException {
        return true;
    }
}
