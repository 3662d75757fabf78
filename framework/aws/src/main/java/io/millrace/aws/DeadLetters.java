package io.millrace.aws;

import io.millrace.MillraceException;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.aws.internal.ControlTable;
import io.millrace.aws.internal.DeadLetterDrop;
import io.millrace.aws.internal.DeadLetterId;
import io.millrace.aws.internal.DeadLetterRedrive;
import io.millrace.aws.internal.DeadLetterRow;
import io.millrace.aws.internal.DeadLetterRows;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.MappedIterator;
import io.millrace.aws.internal.PipelineControl;
import io.millrace.aws.internal.RedriveErrors;
import io.millrace.aws.internal.ShellRules;
import io.millrace.aws.internal.StageRuntime;
import io.millrace.aws.internal.Surroundings;
import io.millrace.aws.internal.TableNames;
import io.millrace.internal.engine.EngineRules;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * The dead letters of a pipeline: to look at, to redrive, to drop.
 *
 * <p>A redrive runs the record through the pipeline's code, in this JVM, over the state as it is now. One transaction
 * commits the state and rows that come of it and turns the dead letter from open to done, under the condition that it is
 * open. So it has its effect exactly once: in any order, when two redrive it at the same moment, beside invocations that
 * write the same keys, and after a crash or a lost answer at any point, when it is simply redriven again.
 *
 * <p>Works on the pipeline's current generation. Used by one thread at a time; any number of objects and processes may
 * work on the same dead letters.
 */
public final class DeadLetters {
    private final PipelinePlan plan;
    private final TableNames tables;
    private final DynamoDbClient dynamoDb;
    private final KinesisClient kinesis;
    private final Surroundings surroundings;
    private final IoExecutor io;
    private final EngineRules engineRules;
    private final ShellRules shellRules;
    private final ControlTable control;
    private final DeadLetterRows rows;
    private final DeadLetterDrop drop;
    private final Map<String, StageRuntime> runtimes = new HashMap<>();

    private DeadLetters(Builder builder) {
        this.plan = PipelineBuilder.plan(Objects.requireNonNull(builder.pipeline, "the builder needs a pipeline"));
        this.tables = builder.tables == null ? TableNames.ofPipeline(plan.name()) : builder.tables;
        this.dynamoDb = builder.dynamoDb == null ? SdkClients.dynamoDb() : builder.dynamoDb;
        this.kinesis = builder.kinesis == null ? SdkClients.kinesis() : builder.kinesis;
        this.surroundings = builder.surroundings;
        this.io = builder.io == null ? IoExecutor.create() : builder.io;
        this.engineRules = builder.engineRules;
        this.shellRules = builder.shellRules;
        this.control = new ControlTable(dynamoDb, tables.control(), surroundings);
        this.rows = new DeadLetterRows(dynamoDb, tables.deadLetters(), surroundings, shellRules);
        this.drop = new DeadLetterDrop(rows, kinesis, surroundings, shellRules);
    }

    /** A builder without a pipeline yet. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Checks that a text has the form of an id; asks nobody whether there is such a dead letter.
     *
     * @throws MillraceException if it is none
     */
    public static void checkId(String id) {
        DeadLetterId.parse(id);
    }

    /**
     * The dead letters that a filter lets pass, in the order of the records inside each lane. Each iteration reads them
     * anew, a page of at most 1 MB at a time as it comes to it; what changes meanwhile may be seen or not.
     *
     * @throws MillraceException if the pipeline has never run here, or its tables cannot be read
     */
    public Iterable<StoredDeadLetter> list(DeadLetterFilter filter) {
        long generation = readControl().generation();
        return () -> new MappedIterator<>(rows.list(generation, filter.wanted()), StoredDeadLetter::new);
    }

    /**
     * The dead letter of an id, if there is one.
     *
     * @throws MillraceException if the text is no id
     */
    public Optional<StoredDeadLetter> find(String id) {
        return row(id).map(StoredDeadLetter::new);
    }

    /**
     * The data of the record, as it came from the stream; empty for a gap.
     *
     * @throws MillraceException if there is no such dead letter
     */
    public byte[] payload(String id) {
        return rows.payload(row(id).orElseThrow(() ->
                new MillraceException("There is no dead letter " + id + ". List the dead letters that there are.")));
    }

    private Optional<DeadLetterRow> row(String id) {
        DeadLetterId parsed = DeadLetterId.parse(id);
        return rows.read(parsed, readControl().generation());
    }

    /**
     * Redrives a dead letter: one key's part of the record if it names a key, else all parts, in one transaction. One of
     * which nobody knows whether parts are absorbed already is refused.
     *
     * @throws MillraceException if the text is no id, the pipeline is stopped or unknown here, its state cannot be read by
     *     this code, or AWS refuses requests; the dead letter is then open, or done with all its effects
     */
    public RedriveOutcome redrive(String id) {
        return redrive(id, false);
    }

    /**
     * Redrives a dead letter also if the process died with the whole record, so that some of its parts may be absorbed: they
     * are then absorbed twice. Parts that are dead letters of their own are left to these.
     *
     * @throws MillraceException as {@link #redrive}
     */
    public RedriveOutcome redriveEvenIfPartlyAbsorbed(String id) {
        return redrive(id, true);
    }

    private RedriveOutcome redrive(String id, boolean evenIfPartlyAbsorbed) {
        DeadLetterId parsed = DeadLetterId.parse(id);
        PipelineControl now = readControl();
        if (now.stopReason() != null) {
            throw new MillraceException("The pipeline '" + plan.name() + "' is stopped by its preflight check: "
                    + now.stopReason() + " Its dead letters can be redriven when it runs again.");
        }
        List<String> stages = plan.stages().stream().map(StagePlan::uid).toList();
        if (!stages.contains(parsed.stage())) {
            return RedriveErrors.unknownStage(parsed.stage(), stages);
        }
        return DeadLetterRedrive.run(runtime(parsed.stage()), rows, now, parsed, evenIfPartlyAbsorbed);
    }

    /**
     * Drops a dead letter: nobody will redrive it. Its row stays for a week beyond the stream's retention, with its payload.
     *
     * @throws MillraceException if the text is no id, the pipeline is unknown here, or AWS refuses requests
     */
    public DropOutcome drop(String id) {
        DeadLetterId parsed = DeadLetterId.parse(id);
        return drop.drop(parsed, readControl().generation());
    }

    private PipelineControl readControl() {
        PipelineControl found = control.read(plan.name());
        if (found == null) {
            throw new MillraceException("The pipeline '" + plan.name() + "' has never run here: the table "
                    + tables.control() + " has no item of it. Is it another region, account or endpoint?");
        }
        return found;
    }

    /** Opens the stage's function when its first dead letter is redriven. */
    private StageRuntime runtime(String stage) {
        return runtimes.computeIfAbsent(
                stage,
                uid -> new StageRuntime(
                        plan.name(),
                        plan.stage(uid),
                        engineRules,
                        tables,
                        dynamoDb,
                        kinesis,
                        io,
                        surroundings,
                        StageRuntime.OperatorDecisions.NONE,
                        shellRules));
    }

    /** Builds {@link DeadLetters}. Not thread-safe. */
    public static final class Builder {
        private @Nullable PipelineDefinition pipeline;
        private @Nullable TableNames tables;
        private @Nullable DynamoDbClient dynamoDb;
        private @Nullable KinesisClient kinesis;
        private @Nullable IoExecutor io;
        private Surroundings surroundings = Surroundings.ofSystem();
        private EngineRules engineRules = EngineRules.PROTOCOL;
        private ShellRules shellRules = ShellRules.PROTOCOL;

        private Builder() {}

        /** The pipeline; required. Its code is what redriven records run through. */
        public Builder pipeline(PipelineDefinition newPipeline) {
            pipeline = newPipeline;
            return this;
        }

        /** The tables' names. Default: the pipeline's name with {@code -control}, {@code -state}, {@code -dead-letters}. */
        public Builder tables(String control, String state, String deadLetters) {
            tables = new TableNames(control, state, deadLetters);
            return this;
        }

        /** The client for all tables. Default: one by the SDK's default chains. */
        public Builder dynamoDb(DynamoDbClient client) {
            dynamoDb = client;
            return this;
        }

        /** The client that tells the stream's retention. Default: one by the SDK's default chains. */
        public Builder kinesis(KinesisClient client) {
            kinesis = client;
            return this;
        }

        /** Time, randomness and waiting; for tests. */
        public Builder surroundings(Surroundings newSurroundings) {
            surroundings = newSurroundings;
            return this;
        }

        /** Where requests run side by side; for tests. */
        public Builder ioExecutor(IoExecutor newIo) {
            io = newIo;
            return this;
        }

        /** Other rules than the protocol's, to show in a simulation what they are good for. */
        Builder rules(EngineRules engine, ShellRules shell) {
            engineRules = engine;
            shellRules = shell;
            return this;
        }

        /**
         * Builds it; sends no request yet.
         *
         * @throws MillraceException if the pipeline cannot work
         */
        public DeadLetters build() {
            return new DeadLetters(this);
        }
    }
}
