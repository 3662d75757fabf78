package io.millrace.local;

import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.serialization.PojoSerializer;
import com.amazonaws.services.lambda.runtime.serialization.events.LambdaEventSerializers;
import io.millrace.local.internal.mapping.LambdaEvents;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A function that runs in this JVM as in Lambda's managed Java runtime: the event goes through Lambda's JSON and AWS's
 * own deserialiser, each invocation has a thread and a container of its own, and one that misses its time-out goes on as
 * a zombie beside its retry. A container whose invocation timed out or crashed is never used again; others stay warm.
 * Thread-safe.
 */
public final class InJvmFunctionInvoker implements FunctionInvoker {
    private record Warm(FunctionContainer container, RequestHandler<KinesisEvent, StreamsEventResponse> handler) {}

    private final String functionName;
    private final Function<FunctionContainer, RequestHandler<KinesisEvent, StreamsEventResponse>> handlers;
    private final Deque<Warm> warmContainers = new ArrayDeque<>();
    private final Set<Thread> running = new HashSet<>();
    private final Object monitor = new Object();

    private InJvmFunctionInvoker(
            String functionName,
            Function<FunctionContainer, RequestHandler<KinesisEvent, StreamsEventResponse>> handlers) {
        this.functionName = functionName;
        this.handlers = handlers;
    }

    /** A function whose handler is one object for all invocations; it must be thread-safe. */
    public static InJvmFunctionInvoker sharing(RequestHandler<KinesisEvent, StreamsEventResponse> handler) {
        return new InJvmFunctionInvoker("local", container -> handler);
    }

    /**
     * A function whose handler is built once for each container, as at a cold start, and then serves one invocation at a
     * time.
     */
    public static InJvmFunctionInvoker perContainer(
            String functionName,
            Function<FunctionContainer, RequestHandler<KinesisEvent, StreamsEventResponse>> handlers) {
        return new InJvmFunctionInvoker(functionName, handlers);
    }

    @Override
    public InvocationOutcome invoke(KinesisEvent event, InvocationContext context) {
        String json = LambdaEvents.json(event);
        AtomicBoolean timedOut = new AtomicBoolean();
        FutureTask<InvocationOutcome> task = new FutureTask<>(() -> run(json, context, timedOut));
        Thread thread = new Thread(() -> runTracked(task), "function-" + context.requestId());
        thread.setDaemon(true);
        synchronized (monitor) {
            running.add(thread);
        }
        thread.start();
        try {
            return task.get(context.timeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException timeout) {
            timedOut.set(true);
            return new InvocationOutcome.TimedOut(context.timeout());
        } catch (ExecutionException failure) {
            Throwable cause = failure.getCause();
            return InvocationOutcome.thrown(cause == null ? failure : cause);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return InvocationOutcome.exited("The thread that waited for the function was interrupted");
        }
    }

    private void runTracked(Runnable task) {
        try {
            task.run();
        } finally {
            synchronized (monitor) {
                running.remove(Thread.currentThread());
                monitor.notifyAll();
            }
        }
    }

    private InvocationOutcome run(String json, InvocationContext context, AtomicBoolean timedOut) {
        Warm warm = takeContainer();
        warm.container().begin(context.scope());
        PojoSerializer<KinesisEvent> serializer =
                LambdaEventSerializers.serializerFor(KinesisEvent.class, KinesisEvent.class.getClassLoader());
        KinesisEvent event = serializer.fromJson(json);
        InvocationOutcome outcome;
        try {
            outcome = new InvocationOutcome.Returned(
                    warm.handler().handleRequest(event, new LocalLambdaContext(functionName, context)));
        } catch (RuntimeException failure) {
            // As in Lambda, an exception does not end the process.
            outcome = InvocationOutcome.thrown(failure);
        }
        if (context.scope().aborted()) {
            return InvocationOutcome.exited("The function's process was ended by the fault injector");
        }
        if (!timedOut.get()) {
            synchronized (monitor) {
                warmContainers.push(warm);
            }
        }
        return outcome;
    }

    private Warm takeContainer() {
        synchronized (monitor) {
            @Nullable Warm warm = warmContainers.poll();
            if (warm != null) {
                return warm;
            }
        }
        FunctionContainer container = new FunctionContainer();
        return new Warm(container, handlers.apply(container));
    }

    @Override
    public boolean awaitZombies(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        synchronized (monitor) {
            while (!running.isEmpty()) {
                long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (millis <= 0) {
                    return false;
                }
                monitor.wait(millis);
            }
            return true;
        }
    }
}
