package io.millrace.local;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.serialization.events.LambdaEventSerializers;
import io.millrace.MillraceException;
import io.millrace.local.internal.mapping.LambdaEvents;
import io.millrace.local.internal.runtime.EnvironmentPool;
import io.millrace.local.internal.runtime.ExecutionEnvironment;
import io.millrace.local.internal.runtime.ProcessSettings;
import io.millrace.local.internal.runtime.RuntimeAnswer;
import io.millrace.local.internal.runtime.RuntimeInvocation;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A function in processes of its own, as on Lambda: AWS's runtime interface client runs the handler and asks a runtime
 * API on this machine for events. A process is an execution environment: it takes one invocation at a time and is used
 * again while it is warm; a new one is started when none is free. The client
 * ({@code com.amazonaws:aws-lambda-java-runtime-interface-client}, for Linux) must be on the processes' class path.
 *
 * <p>An invocation's time-out includes a cold start. A process that misses it goes on beside its retry, as it can on
 * Lambda, until it has answered or its time is up once more; then it is ended. Closing ends all processes, and so does
 * the end of this JVM, unless it is killed: then they end at their next request. Thread-safe.
 */
public final class ProcessFunctionInvoker implements FunctionInvoker, AutoCloseable {
    /** Lambda's name for a process that cannot be started. */
    private static final String INVALID_ENTRYPOINT = "Runtime.InvalidEntrypoint";

    private final EnvironmentPool pool;
    private final @Nullable ProcessChaos chaos;
    private final Object monitor = new Object();

    // Guarded by the monitor.
    private final Map<Path, Long> invocationsByJava = new TreeMap<>();

    private ProcessFunctionInvoker(EnvironmentPool pool, @Nullable ProcessChaos chaos) {
        this.pool = pool;
        this.chaos = chaos;
    }

    /** A function of a name, with {@code io.millrace.aws.MillraceFunction} as its handler. */
    public static Builder builder(String functionName) {
        return new Builder(functionName);
    }

    @Override
    public InvocationOutcome invoke(KinesisEvent event, InvocationContext context) {
        return invoke(
                new InvocationPayload(
                        event.getRecords().get(0).getEventID(),
                        event.getRecords().size(),
                        LambdaEvents.json(event).getBytes(StandardCharsets.UTF_8),
                        ProcessFunctionInvoker::returned),
                context);
    }

    InvocationOutcome invoke(InvocationPayload payload, InvocationContext context) {
        if (chaos == null) {
            return invoke(null, payload, context);
        }
        ProcessChaos.@Nullable Misfortune misfortune = chaos.begin(payload.id(), payload.records(), pool.zombies());
        InvocationOutcome outcome = invoke(misfortune, payload, context);
        chaos.end(payload.id(), payload.records(), outcome);
        return outcome;
    }

    private InvocationOutcome invoke(
            ProcessChaos.@Nullable Misfortune misfortune, InvocationPayload payload, InvocationContext context) {
        try {
            return chaos == null || misfortune == null
                    ? invokeUnharmed(payload, context)
                    : new HarmedInvocation(this, pool, chaos).invoke(misfortune, payload, context);
        } catch (MillraceException failure) {
            return new InvocationOutcome.FunctionError(INVALID_ENTRYPOINT, failure.getMessage(), failure);
        } catch (RuntimeException failure) {
            return InvocationOutcome.thrown(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return InvocationOutcome.exited("The thread that waited for the function was interrupted");
        }
    }

    private InvocationOutcome invokeUnharmed(InvocationPayload payload, InvocationContext context)
            throws InterruptedException {
        ExecutionEnvironment environment = pool.take();
        return outcome(environment, submit(environment, payload, context), payload, context);
    }

    /** Hands the event to an environment and does not wait. */
    RuntimeInvocation submit(ExecutionEnvironment environment, InvocationPayload payload, InvocationContext context) {
        RuntimeInvocation invocation = new RuntimeInvocation(context.requestId(), payload.json(), context.deadline());
        CompletableFuture<Long> begun = invocation.delivered().thenApply(delivered -> {
            synchronized (monitor) {
                invocationsByJava.merge(environment.javaHome(), 1L, Long::sum);
            }
            return System.nanoTime();
        });
        if (chaos != null) {
            CompletableFuture<Void> unused = begun.thenAcceptBoth(invocation.answer(), (startNanos, answer) -> {
                if (answer instanceof RuntimeAnswer.Response) {
                    chaos.noteDuration(Duration.ofNanos(System.nanoTime() - startNanos));
                }
            });
        }
        environment.submit(invocation);
        return invocation;
    }

    /** Waits for the answer until the time is up, and gives the environment back or leaves it to its end. */
    private InvocationOutcome outcome(
            ExecutionEnvironment environment,
            RuntimeInvocation invocation,
            InvocationPayload payload,
            InvocationContext context)
            throws InterruptedException {
        try {
            RuntimeAnswer answer = invocation.answer().get(context.remainingTimeMillis(), TimeUnit.MILLISECONDS);
            pool.release(environment);
            return outcomeOf(answer, payload, context);
        } catch (TimeoutException timeout) {
            pool.leaveRunning(environment, invocation, null);
            return new InvocationOutcome.TimedOut(context.timeout());
        } catch (ExecutionException failure) {
            throw new IllegalStateException("An answer never completes exceptionally", failure);
        }
    }

    /** What an answer is to who invoked the function. */
    static InvocationOutcome outcomeOf(RuntimeAnswer answer, InvocationPayload payload, InvocationContext context) {
        if (answer instanceof RuntimeAnswer.Response response) {
            return payload.answer().apply(response.body());
        }
        if (answer instanceof RuntimeAnswer.Failed failed) {
            return new InvocationOutcome.FunctionError(failed.errorType(), failed.errorMessage(), null);
        }
        return InvocationOutcome.exited(
                "RequestId: " + context.requestId() + " " + ((RuntimeAnswer.Exited) answer).reason());
    }

    private static InvocationOutcome returned(byte[] body) {
        try {
            @Nullable
            StreamsEventResponse response = LambdaEventSerializers.serializerFor(
                            StreamsEventResponse.class, StreamsEventResponse.class.getClassLoader())
                    .fromJson(new ByteArrayInputStream(body));
            return new InvocationOutcome.Returned(response);
        } catch (UncheckedIOException noResponse) {
            // Lambda takes what is no partial batch response for the failure of the whole batch.
            return new InvocationOutcome.FunctionError(
                    "InvalidResponse", "The function's response is no partial batch response", noResponse);
        }
    }

    /** How many invocations each Java has begun, by its folder. */
    public Map<Path, Long> invocationsByJava() {
        synchronized (monitor) {
            return Map.copyOf(invocationsByJava);
        }
    }

    /** How many processes were started so far. */
    public int processes() {
        return pool.started();
    }

    @Override
    public boolean awaitZombies(Duration timeout) throws InterruptedException {
        return pool.awaitZombies(timeout);
    }

    /** Ends all processes. */
    @Override
    public void close() {
        pool.close();
    }

    /** Configures a function. Not thread-safe. */
    public static final class Builder {
        private static final int MEMORY_MEGABYTES_MIN = 128;
        private static final int MEMORY_MEGABYTES_MAX = 10_240;

        private final String functionName;
        private String handler = "io.millrace.aws.MillraceFunction::handleRequest";
        private String classPath = System.getProperty("java.class.path", "");
        private List<Path> javaHomes = List.of(Path.of(System.getProperty("java.home", "")));
        private List<String> jvmOptions =
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx256m");
        private final Map<String, String> environment = new TreeMap<>();
        private int memoryMegabytes = 512;
        private Duration zombieLifeMax = Duration.ofSeconds(60);
        private Consumer<String> outputLines = line -> {};
        private @Nullable ProcessChaos chaos;

        private Builder(String functionName) {
            this.functionName = functionName;
        }

        /** The handler, as {@code package.Class::method}. */
        public Builder handler(String value) {
            handler = value;
            return this;
        }

        /** The class path of the processes; default this JVM's. */
        public Builder classPath(String value) {
            classPath = value;
            return this;
        }

        /** The Javas that the processes run on, in turn; default this JVM's. */
        public Builder javaHomes(List<Path> value) {
            if (value.isEmpty()) {
                throw new IllegalArgumentException("javaHomes is empty; a process needs a Java to run on");
            }
            javaHomes = List.copyOf(value);
            return this;
        }

        /** The JVM options; default a small heap and a fast start. */
        public Builder jvmOptions(List<String> value) {
            jvmOptions = List.copyOf(value);
            return this;
        }

        /** More environment variables beside those that Lambda sets itself: credentials, region, the pipeline. */
        public Builder environment(Map<String, String> variables) {
            environment.putAll(variables);
            return this;
        }

        /** What the function is told of its memory, 128 to 10,240 MB; default 512. */
        public Builder memoryMegabytes(int value) {
            if (value < MEMORY_MEGABYTES_MIN || value > MEMORY_MEGABYTES_MAX) {
                throw new IllegalArgumentException("memoryMegabytes is " + value + "; Lambda takes "
                        + MEMORY_MEGABYTES_MIN + " to " + MEMORY_MEGABYTES_MAX);
            }
            memoryMegabytes = value;
            return this;
        }

        /** How long a process may go on behind its time-out; default 60 s. */
        public Builder zombieLifeMax(Duration value) {
            zombieLifeMax = value;
            return this;
        }

        /** Is given each line that a process writes, its logs among them, from any thread; default nobody. */
        public Builder outputLines(Consumer<String> value) {
            outputLines = value;
            return this;
        }

        /** Kills processes and lets invocations time out; default none. */
        public Builder chaos(ProcessChaos value) {
            chaos = value;
            return this;
        }

        /**
         * Makes the function; no process is started yet.
         *
         * @throws MillraceException if AWS's runtime interface client is not on the class path, or is not made for this
         *     machine
         */
        public ProcessFunctionInvoker build() {
            String absolute = Arrays.stream(classPath.split(File.pathSeparator, -1))
                    .filter(entry -> !entry.isEmpty())
                    .map(entry -> Path.of(entry).toAbsolutePath().toString())
                    .collect(Collectors.joining(File.pathSeparator));
            try {
                Path taskRoot = Files.createTempDirectory("millrace-task");
                Path library;
                try {
                    library = EnvironmentPool.unpackNativeClient(absolute, taskRoot);
                } catch (MillraceException | IOException e) {
                    Files.deleteIfExists(taskRoot);
                    throw e;
                }
                ProcessSettings settings = new ProcessSettings(
                        functionName,
                        "arn:aws:lambda:" + EmbeddedAws.DEFAULT_REGION + ":" + EmbeddedAws.ACCOUNT + ":function:"
                                + functionName,
                        handler,
                        absolute,
                        new ArrayList<>(jvmOptions),
                        environment,
                        memoryMegabytes,
                        taskRoot,
                        library);
                return new ProcessFunctionInvoker(
                        new EnvironmentPool(settings, javaHomes, zombieLifeMax, outputLines), chaos);
            } catch (IOException e) {
                throw new UncheckedIOException("The folder of the function's processes cannot be made", e);
            }
        }
    }
}
