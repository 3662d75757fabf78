package io.millrace.local.testing;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.serialization.PojoSerializer;
import com.amazonaws.services.lambda.runtime.serialization.events.LambdaEventSerializers;
import io.millrace.PipelineDefinition;
import io.millrace.aws.BatchReport;
import io.millrace.aws.MillraceFunction;
import io.millrace.internal.plan.StagePlan;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.InvocationContext;
import io.millrace.local.LocalLambdaContext;
import io.millrace.local.internal.mapping.LambdaEvents;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;

/**
 * The Lambda function of one stage: one instance, which stays warm until it crashes or is dropped. The event goes through
 * Lambda's JSON, as in {@link io.millrace.local.InJvmFunctionInvoker}, but the caller's thread runs it. Single-threaded.
 */
final class StageFunction {
    private static final PojoSerializer<KinesisEvent> EVENTS =
            LambdaEventSerializers.serializerFor(KinesisEvent.class, KinesisEvent.class.getClassLoader());

    private final String stage;
    private final TestCloud cloud;
    private final Duration timeout;
    private final WarmInstance<MillraceFunction> instance;
    private @Nullable BatchReport lastReport;

    StageFunction(Supplier<? extends PipelineDefinition> definitions, String stage, TestCloud cloud, Duration timeout) {
        this.stage = stage;
        this.cloud = cloud;
        this.timeout = timeout;
        this.instance = new WarmInstance<>(
                cloud,
                () -> MillraceFunction.builder()
                        .pipeline(definitions.get())
                        .stage(stage)
                        .dynamoDb(cloud.dynamoDb())
                        .kinesis(cloud.kinesis())
                        .surroundings(cloud.surroundings())
                        .ioExecutor(cloud.io())
                        .listener((report, error) -> lastReport = report)
                        .build());
    }

    /** The stage as the warm instance runs it; makes one if there is none. */
    StagePlan plan() {
        return instance.get().stage();
    }

    /** Drops the instance: the next invocation is a cold start. */
    void drop() {
        instance.drop();
    }

    Delivery invoke(TestLane lane, int from, int to, List<Record> records, InvocationPlan plan) {
        KinesisEvent event = EVENTS.fromJson(LambdaEvents.json(LambdaEvents.event(
                "arn:aws:kinesis:" + EmbeddedAws.DEFAULT_REGION + ":" + EmbeddedAws.ACCOUNT + ":stream/"
                        + lane.stream(),
                lane.shardId(),
                records)));
        InvocationContext context = InvocationContext.starting(cloud.clock(), timeout, lane.shardId(), 0);
        lastReport = null;
        WarmInstance.Outcome<String> outcome = instance.invoke(
                plan, function -> failedAt(function.handleRequest(event, new LocalLambdaContext(stage, context))));
        return new Delivery(
                lane,
                from,
                to,
                outcome.result(),
                outcome.error(),
                outcome.crashed(),
                outcome.operations(),
                Objects.requireNonNull(lastReport, "each invocation reports"));
    }

    private static @Nullable String failedAt(StreamsEventResponse response) {
        return response.getBatchItemFailures().isEmpty()
                ? null
                : response.getBatchItemFailures().get(0).getItemIdentifier();
    }
}
