package io.millrace.local;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.serde.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A stage's tick function in processes of its own, as on Lambda; see {@link ProcessFunctionInvoker}. Thread-safe.
 */
public final class ProcessTickInvoker implements TickInvoker, AutoCloseable {
    /** The handler that the function must have been built with. */
    public static final String HANDLER = "io.millrace.aws.TickHandler::handleRequest";

    /** What a schedule sends; nobody looks at it. */
    private static final byte[] EVENT = "{\"source\":\"aws.scheduler\"}".getBytes(StandardCharsets.UTF_8);

    private final ProcessFunctionInvoker function;

    private ProcessTickInvoker(ProcessFunctionInvoker function) {
        this.function = function;
    }

    /** The tick function that a builder describes, whose handler it sets. No process is started yet. */
    public static ProcessTickInvoker of(ProcessFunctionInvoker.Builder builder) {
        return new ProcessTickInvoker(builder.handler(HANDLER).build());
    }

    @Override
    public TickOutcome tick(InvocationContext context) {
        AtomicReference<TickOutcome.@Nullable Done> answer = new AtomicReference<>();
        InvocationOutcome outcome = function.invoke(
                new InvocationPayload(context.requestId(), 1, EVENT, body -> {
                    answer.set(read(body));
                    return new InvocationOutcome.Returned(null);
                }),
                context);
        if (outcome instanceof InvocationOutcome.FunctionError error) {
            return new TickOutcome.Failed(error.errorType(), error.errorMessage());
        }
        TickOutcome.Done done = answer.get();
        return outcome instanceof InvocationOutcome.Returned && done != null
                ? done
                : new TickOutcome.Failed(
                        "TimedOut", "timed out after " + context.timeout().toSeconds() + " s");
    }

    /** Reads the answer, as Lambda's runtime writes a {@link io.millrace.aws.TickReport}. */
    private static TickOutcome.Done read(byte[] body) {
        try {
            JsonNode report = Json.mapper().readTree(body);
            JsonNode watermark = report.path("watermark");
            return new TickOutcome.Done(
                    report.path("timersFired").asLong(),
                    report.path("timersFailed").asLong(),
                    report.path("deadLetters").asLong(),
                    watermark.isIntegralNumber() ? (Long) watermark.longValue() : null,
                    report.path("sweepComplete").asBoolean());
        } catch (IOException noReport) {
            throw new IllegalStateException("The answer of a tick is no JSON document", noReport);
        }
    }

    /** How many invocations each Java has begun, by its folder. */
    public Map<java.nio.file.Path, Long> invocationsByJava() {
        return function.invocationsByJava();
    }

    /** How many processes were started so far. */
    public int processes() {
        return function.processes();
    }

    @Override
    public boolean awaitZombies(Duration timeout) throws InterruptedException {
        return function.awaitZombies(timeout);
    }

    /** Ends all processes. */
    @Override
    public void close() {
        function.close();
    }
}
