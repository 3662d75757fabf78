package io.millrace.local;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How one invocation of a function ended, as the event source mapping sees it. */
public sealed interface InvocationOutcome {
    /** The function returned; what its response means depends on {@code ReportBatchItemFailures}. */
    record Returned(@Nullable StreamsEventResponse response) implements InvocationOutcome {}

    /** The function threw, or its process died. */
    record FunctionError(
            String errorType,
            @Nullable String errorMessage,
            @Nullable Throwable cause) implements InvocationOutcome {}

    /** The function did not answer in time. It may go on running. */
    record TimedOut(Duration timeout) implements InvocationOutcome {}

    /** The function was not invoked for lack of concurrency. */
    record Throttled(String message) implements InvocationOutcome {}

    /** The error that a thrown exception is reported as. */
    static FunctionError thrown(Throwable cause) {
        return new FunctionError(cause.getClass().getName(), cause.getMessage(), cause);
    }

    /** The error that Lambda reports when the runtime process ends before it answers. */
    static FunctionError exited(String reason) {
        return new FunctionError("Runtime.ExitError", reason, null);
    }
}
