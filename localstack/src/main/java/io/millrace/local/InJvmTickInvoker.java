package io.millrace.local;

import com.amazonaws.services.lambda.runtime.Context;
import io.millrace.aws.TickHandler;
import io.millrace.aws.TickReport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A stage's tick function in this JVM, on the caller's thread: each tick has a container of its own, which stays warm unless
 * the tick dies in it. Thread-safe.
 */
final class InJvmTickInvoker implements TickInvoker {
    private record Warm(FunctionContainer container, TickHandler handler) {}

    private final String functionName;
    private final Function<FunctionContainer, TickHandler> handlers;
    private final Deque<Warm> warmContainers = new ArrayDeque<>();

    InJvmTickInvoker(String functionName, Function<FunctionContainer, TickHandler> handlers) {
        this.functionName = functionName;
        this.handlers = handlers;
    }

    @Override
    public TickOutcome tick(InvocationContext context) {
        return run(context, (handler, lambda) -> handler.handleRequest(Map.of(), lambda));
    }

    /** Ends the stage's input, see {@link TickHandler#endOfInput}. */
    TickOutcome endOfInput(InvocationContext context) {
        return run(context, TickHandler::endOfInput);
    }

    /** Whether the stage's input was ended. */
    boolean isEnded(InvocationContext context) {
        Warm warm = takeContainer();
        warm.container().begin(context.scope());
        boolean ended = warm.handler().isEnded();
        giveBack(warm);
        return ended;
    }

    private TickOutcome run(InvocationContext context, BiFunction<TickHandler, Context, TickReport> work) {
        Warm warm = takeContainer();
        warm.container().begin(context.scope());
        TickOutcome outcome;
        try {
            outcome = outcomeOf(work.apply(warm.handler(), new LocalLambdaContext(functionName, context)));
        } catch (RuntimeException failure) {
            // As in Lambda, an exception does not end the process.
            outcome = new TickOutcome.Failed(failure.getClass().getName(), failure.getMessage());
        } catch (InvocationAbortedError death) {
            return died();
        }
        if (context.scope().aborted()) {
            return died();
        }
        giveBack(warm);
        return outcome;
    }

    private static TickOutcome died() {
        return new TickOutcome.Failed("Runtime.ExitError", "The tick's process was ended by the fault injector");
    }

    private static TickOutcome outcomeOf(TickReport report) {
        return new TickOutcome.Done(
                report.getTimersFired(),
                report.getTimersFailed(),
                report.getDeadLetters(),
                report.getWatermark(),
                report.isSweepComplete());
    }

    private Warm takeContainer() {
        synchronized (warmContainers) {
            @Nullable Warm warm = warmContainers.poll();
            if (warm != null) {
                return warm;
            }
        }
        FunctionContainer container = new FunctionContainer();
        return new Warm(container, handlers.apply(container));
    }

    private void giveBack(Warm warm) {
        synchronized (warmContainers) {
            warmContainers.push(warm);
        }
    }
}
