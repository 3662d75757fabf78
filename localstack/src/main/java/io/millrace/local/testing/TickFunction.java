package io.millrace.local.testing;

import io.millrace.PipelineDefinition;
import io.millrace.aws.TickHandler;
import io.millrace.aws.TickReport;
import io.millrace.local.InvocationContext;
import io.millrace.local.LocalLambdaContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tick function of one stage: one instance, which stays warm until it crashes or is dropped. Single-threaded. */
final class TickFunction {
    /** How many attempts to end the input may pass without an end of it and without a timer that fires. */
    private static final int FRUITLESS_ATTEMPTS_MAX = 10;

    private final String stage;
    private final TestCloud cloud;
    private final Duration timeout;
    private final WarmInstance<TickHandler> instance;

    TickFunction(Supplier<? extends PipelineDefinition> definitions, String stage, TestCloud cloud, Duration timeout) {
        this.stage = stage;
        this.cloud = cloud;
        this.timeout = timeout;
        this.instance = new WarmInstance<>(
                cloud,
                () -> TickHandler.builder()
                        .pipeline(definitions.get())
                        .stage(stage)
                        .dynamoDb(cloud.dynamoDb())
                        .kinesis(cloud.kinesis())
                        .surroundings(cloud.surroundings())
                        .ioExecutor(cloud.io())
                        .build());
    }

    /** Drops the instance: the next invocation is a cold start. */
    void drop() {
        instance.drop();
    }

    long watermark() {
        return instance.get().watermark();
    }

    TestTick tick(InvocationPlan plan) {
        return invoke(plan, handler -> handler.handleRequest(Map.of(), context()));
    }

    TestTick endOfInput(InvocationPlan plan) {
        return invoke(plan, handler -> handler.endOfInput(context()));
    }

    /**
     * Attempts to end the input until it has ended.
     *
     * @param plans what each attempt meets
     * @throws AssertionError if it does not end
     */
    List<TestTick> endInput(Function<Integer, InvocationPlan> plans) {
        List<TestTick> attempts = new ArrayList<>();
        int fruitless = 0;
        while (true) {
            TestTick attempt = endOfInput(plans.apply(attempts.size()));
            attempts.add(attempt);
            if (attempt.isComplete()) {
                return attempts;
            }
            fruitless = attempt.timersFired() > 0 ? 0 : fruitless + 1;
            if (fruitless == FRUITLESS_ATTEMPTS_MAX) {
                Throwable cause = attempt.report() == null
                        ? attempt.error()
                        : attempt.report().failure();
                throw new AssertionError(
                        "The input of stage '" + stage + "' does not end, though it was tried " + fruitless
                                + " times in a row. The last time: " + attempt
                                + (cause == null ? "" : ", by " + cause)
                                + ". Deliver all records by run() first; a timer that always fails keeps the input from ending"
                                + " unless the stage's error policy gives it up.",
                        cause);
            }
        }
    }

    private LocalLambdaContext context() {
        return new LocalLambdaContext(stage, InvocationContext.starting(cloud.clock(), timeout, "tick", 0));
    }

    private TestTick invoke(InvocationPlan plan, Function<TickHandler, @Nullable TickReport> work) {
        WarmInstance.Outcome<TickReport> outcome = instance.invoke(plan, work);
        return new TestTick(stage, outcome.result(), outcome.error(), outcome.crashed(), outcome.operations());
    }
}
