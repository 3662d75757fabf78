package io.millrace.aws;

import io.millrace.MillraceException;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.ShellRules;
import io.millrace.aws.internal.StageRuntime;
import io.millrace.aws.internal.StageRuntime.OperatorDecisions;
import io.millrace.aws.internal.Surroundings;
import io.millrace.aws.internal.TableNames;
import io.millrace.internal.engine.EngineRules;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * What is chosen alike for each entry point of a stage: the pipeline, its stage, its tables, and the ways out of the process.
 * Not thread-safe.
 */
abstract class EntryBuilder<B extends EntryBuilder<B>> {
    OperatorDecisions decisions = OperatorDecisions.NONE;
    private @Nullable PipelineDefinition pipeline;
    private @Nullable String stage;
    private @Nullable TableNames tables;
    private @Nullable DynamoDbClient dynamoDb;
    private @Nullable KinesisClient kinesis;
    private @Nullable IoExecutor io;
    private Surroundings surroundings = Surroundings.ofSystem();
    private EngineRules engineRules = EngineRules.PROTOCOL;
    private ShellRules shellRules = ShellRules.PROTOCOL;

    EntryBuilder() {}

    abstract B self();

    /** The pipeline; required. Each function needs a definition object of its own. */
    public B pipeline(PipelineDefinition newPipeline) {
        pipeline = newPipeline;
        return self();
    }

    /** The stage's uid; required if the pipeline has several. */
    public B stage(String uid) {
        stage = uid;
        return self();
    }

    /** The tables' names. Default: the pipeline's name with {@code -control}, {@code -state}, {@code -dead-letters}. */
    public B tables(String control, String state, String deadLetters) {
        tables = new TableNames(control, state, deadLetters);
        return self();
    }

    /** The client for all tables. Default: one for the function's region. */
    public B dynamoDb(DynamoDbClient client) {
        dynamoDb = client;
        return self();
    }

    /** The client that lists shards, and proves what they hold and do not hold. Default: one for the function's region. */
    public B kinesis(KinesisClient client) {
        kinesis = client;
        return self();
    }

    /** Time, randomness and waiting; for tests. */
    public B surroundings(Surroundings newSurroundings) {
        surroundings = newSurroundings;
        return self();
    }

    /** Where requests run side by side; for tests, and to share one executor between functions of a JVM. */
    public B ioExecutor(IoExecutor newIo) {
        io = newIo;
        return self();
    }

    /** Other rules than the protocol's, to show in a simulation what they are good for. */
    B rules(EngineRules engine, ShellRules shell) {
        engineRules = engine;
        shellRules = shell;
        return self();
    }

    /** What the environment variables say. */
    B settings(FunctionSettings settings) {
        pipeline = settings.pipeline();
        stage = settings.stage();
        tables = settings.tables(pipeline.name());
        return self();
    }

    String pipelineName() {
        return definition().name();
    }

    private PipelineDefinition definition() {
        return Objects.requireNonNull(pipeline, "the builder needs a pipeline");
    }

    /** The stage that was chosen, or the only one. */
    StagePlan stagePlan() {
        PipelinePlan plan = PipelineBuilder.plan(definition());
        if (stage != null) {
            return plan.stage(stage);
        }
        if (plan.stages().size() > 1) {
            throw new MillraceException("The pipeline '" + plan.name() + "' has the stages "
                    + plan.stages().stream().map(StagePlan::uid).toList()
                    + "; each is a function of its own. Set MILLRACE_STAGE to one of them.");
        }
        return plan.stages().get(0);
    }

    /** Opens the stage's code. */
    StageRuntime runtime(StagePlan plan) {
        return new StageRuntime(
                pipelineName(),
                plan,
                engineRules,
                tables == null ? TableNames.ofPipeline(pipelineName()) : tables,
                dynamoDb == null ? SdkClients.dynamoDb() : dynamoDb,
                kinesis == null ? SdkClients.kinesis() : kinesis,
                io == null ? IoExecutor.create() : io,
                surroundings,
                decisions,
                shellRules);
    }
}
