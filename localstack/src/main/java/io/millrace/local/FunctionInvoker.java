package io.millrace.local;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import java.time.Duration;

/** A function that a mapping can invoke, wherever it runs. Implementations must be thread-safe. */
public interface FunctionInvoker {
    /** Invokes the function with one batch and waits for its answer or its time-out. Never throws for a failing function. */
    InvocationOutcome invoke(KinesisEvent event, InvocationContext context);

    /**
     * Waits until no invocation that was reported as ended is still running.
     *
     * @return false if some still run after {@code timeout}
     */
    default boolean awaitZombies(Duration timeout) throws InterruptedException {
        return true;
    }
}
