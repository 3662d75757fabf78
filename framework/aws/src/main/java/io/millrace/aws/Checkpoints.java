package io.millrace.aws;

import io.millrace.MillraceException;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.aws.internal.Backoff;
import io.millrace.aws.internal.ControlTable;
import io.millrace.aws.internal.Deadline;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.RetryingRequest;
import io.millrace.aws.internal.Surroundings;
import io.millrace.aws.internal.TableNames;
import io.millrace.aws.internal.checkpoint.Checkpoint;
import io.millrace.aws.internal.checkpoint.CheckpointFiles;
import io.millrace.aws.internal.checkpoint.CheckpointPlace;
import io.millrace.aws.internal.checkpoint.CheckpointRun;
import io.millrace.aws.internal.checkpoint.CheckpointRuns;
import io.millrace.aws.internal.checkpoint.GenerationDrop;
import io.millrace.aws.internal.checkpoint.RestoreRun;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * The checkpoints of a pipeline: to take, to look at, to delete, and to restore from.
 *
 * <p>A checkpoint is taken while the pipeline runs. It holds each key's state as it was at some moment between its beginning
 * and its end, with the fence that says which records are in it; restoring replays the stream from where the lanes were at the
 * beginning, and the fences leave out what is there. So nothing is lost or counted twice, and nothing had to stop for it.
 *
 * <p>A crash at any moment leaves a checkpoint that is not complete, which counts for nothing, and which the next run goes on
 * with; a restore that was broken off is run again. Thread-safe if the clients are; any number of processes can be at work on
 * the same checkpoints.
 */
public final class Checkpoints {
    /** Into how many parts a table is scanned by default. */
    public static final int SEGMENTS_DEFAULT = 4;

    /** The most parts that a scan may have; DynamoDB's own limit is far above. */
    public static final int SEGMENTS_MAX = 32;

    /** What the name of the bucket ends with unless another place is named: the pipeline's name comes before it. */
    public static final String BUCKET_SUFFIX = "-checkpoints";

    private final PipelinePlan plan;
    private final TableNames tables;
    private final DynamoDbClient dynamoDb;
    private final KinesisClient kinesis;
    private final Surroundings surroundings;
    private final IoExecutor io;
    private final ControlTable control;
    private final RetryingRequest request;
    private final CheckpointFiles files;
    private final CheckpointListener listener;
    private final CheckpointRuns runs;

    private Checkpoints(Builder builder) {
        this.plan = PipelineBuilder.plan(Objects.requireNonNull(builder.pipeline, "the builder needs a pipeline"));
        this.tables = builder.tables == null ? TableNames.ofPipeline(plan.name()) : builder.tables;
        this.dynamoDb = builder.dynamoDb == null ? SdkClients.dynamoDb() : builder.dynamoDb;
        this.kinesis = builder.kinesis == null ? SdkClients.kinesis() : builder.kinesis;
        this.surroundings = builder.surroundings;
        this.io = builder.io == null ? IoExecutor.create() : builder.io;
        this.listener = builder.listener;
        this.control = new ControlTable(dynamoDb, tables.control(), surroundings);
        this.request = new RetryingRequest(new Backoff(surroundings));
        this.files = new CheckpointFiles(
                builder.s3 == null ? SdkClients.s3() : builder.s3,
                builder.place == null ? new CheckpointPlace(plan.name() + BUCKET_SUFFIX, "") : builder.place,
                plan.name(),
                request);
        this.runs = new CheckpointRuns(new CheckpointRun.Parts(
                plan.name(),
                stages(),
                tables,
                dynamoDb,
                files,
                control,
                request,
                io,
                surroundings,
                builder.segments,
                builder.readUnitsPerSecond,
                listener));
    }

    /** A builder without a pipeline yet. */
    public static Builder builder() {
        return new Builder();
    }

    private List<String> stages() {
        return plan.stages().stream().map(StagePlan::uid).toList();
    }

    /** What a run has done: the checkpoint, if it is complete, else another run goes on with it. */
    public record Taken(String id, Optional<StoredCheckpoint> checkpoint) {}

    /** Takes a checkpoint, or goes on with the one that is not complete, until it is complete. */
    public StoredCheckpoint take() {
        return take(new Deadline(() -> Integer.MAX_VALUE)).checkpoint().orElseThrow();
    }

    Taken take(Deadline deadline) {
        return taken(runs.take(deadline));
    }

    /**
     * Takes a checkpoint that has a name, and is kept until it is deleted.
     *
     * @param name letters, digits, dots, dashes and underscores, 100 at most
     * @throws MillraceException if there is one of this name, or it is no name
     */
    public StoredCheckpoint takeSavepoint(String name) {
        return taken(runs.takeSavepoint(name, new Deadline(() -> Integer.MAX_VALUE)))
                .checkpoint()
                .orElseThrow();
    }

    private static Taken taken(CheckpointRuns.Result result) {
        return new Taken(result.id(), result.checkpoint().map(StoredCheckpoint::new));
    }

    /** The complete ones, oldest first. */
    public List<StoredCheckpoint> list() {
        return runs.list().stream().map(StoredCheckpoint::new).toList();
    }

    /** The one of an id, or the savepoint of a name. */
    public Optional<StoredCheckpoint> find(String idOrSavepoint) {
        return runs.find(idOrSavepoint).map(StoredCheckpoint::new);
    }

    /**
     * Deletes one, with all of its objects.
     *
     * @throws MillraceException if there is none
     */
    public void delete(String idOrSavepoint) {
        runs.delete(find(idOrSavepoint).map(StoredCheckpoint::id).orElse(idOrSavepoint));
    }

    /** Deletes all but the last ones; savepoints are kept, and do not count. Returns the ids of those that it deleted. */
    public List<String> retain(int last) {
        if (last < 1) {
            throw new MillraceException(last + " checkpoints to keep; at least 1 must stay.");
        }
        return runs.retain(last);
    }

    /** A restore: what is to be restored, and what is allowed. Not thread-safe. */
    public final class Restore {
        private final String from;
        private boolean allowNonRestoredState;
        private Duration drain = Duration.ZERO;

        private Restore(String from) {
            this.from = from;
        }

        /** Leaves state behind whose stage the pipeline does not have any more. */
        public Restore allowNonRestoredState(boolean allow) {
            allowNonRestoredState = allow;
            return this;
        }

        /**
         * How long invocations that are under way get to end when nothing new is begun any more; none by default. They cannot
         * harm the new generation however long they go on; but what they still write into rows stays until it is replayed.
         */
        public Restore drain(Duration time) {
            drain = time;
            return this;
        }

        /** Checks whether it can be done, all hashes included, and changes nothing. */
        public RestoreReport check() {
            return run(true);
        }

        /**
         * Restores. Processing stands still from here until it is done; it then goes on from the checkpoint's cut when the records
         * behind it are delivered again, by a mapping that starts no later than {@link RestoreReport#replayFrom}.
         *
         * @throws MillraceException if it cannot be done; nothing has changed then
         */
        public RestoreReport run() {
            return run(false);
        }

        private RestoreReport run(boolean dryRun) {
            Checkpoint checkpoint = runs.find(from)
                    .orElseThrow(() -> new MillraceException("There is no complete checkpoint or savepoint '" + from
                            + "' of pipeline '" + plan.name() + "'. There are "
                            + list().stream().map(StoredCheckpoint::id).toList() + "."));
            RestoreRun.Parts parts = new RestoreRun.Parts(
                    plan.name(),
                    stages(),
                    tables,
                    dynamoDb,
                    kinesis,
                    files,
                    control,
                    request,
                    io,
                    surroundings,
                    listener);
            RestoreRun.Options options = new RestoreRun.Options(dryRun, allowNonRestoredState, drain);
            return new RestoreReport(checkpoint.id(), new RestoreRun(parts, checkpoint, options).run());
        }
    }

    /** A restore from the checkpoint of an id, or the savepoint of a name. Nothing happens yet. */
    public Restore restore(String idOrSavepoint) {
        return new Restore(idOrSavepoint);
    }

    /** How the pipeline's generations came of each other, oldest first; the first has neither parent nor checkpoint. */
    public List<StoredGeneration> generations() {
        return StoredGeneration.of(control.require(plan.name()));
    }

    /**
     * Deletes what an old generation has left in the tables, and says how many items they were. If it is broken off, it can be
     * run again.
     *
     * @throws MillraceException if the generation is the current one or is being restored, or if there never was one of this number
     */
    public long dropGeneration(long number) {
        return new GenerationDrop(dynamoDb, tables, request, io).run(control.require(plan.name()), number);
    }

    /** Builds a {@link Checkpoints}. Not thread-safe. */
    public static final class Builder {
        private @Nullable PipelineDefinition pipeline;
        private @Nullable TableNames tables;
        private @Nullable DynamoDbClient dynamoDb;
        private @Nullable KinesisClient kinesis;
        private @Nullable S3Client s3;
        private @Nullable IoExecutor io;
        private @Nullable CheckpointPlace place;
        private Surroundings surroundings = Surroundings.ofSystem();
        private CheckpointListener listener = CheckpointListener.NONE;
        private int segments = SEGMENTS_DEFAULT;
        private double readUnitsPerSecond;

        private Builder() {}

        /** The pipeline; required. */
        public Builder pipeline(PipelineDefinition newPipeline) {
            pipeline = newPipeline;
            return this;
        }

        /** The tables' names. Default: the pipeline's name with {@code -control}, {@code -state}, {@code -dead-letters}. */
        public Builder tables(String newControl, String state, String deadLetters) {
            tables = new TableNames(newControl, state, deadLetters);
            return this;
        }

        Builder tables(TableNames names) {
            tables = names;
            return this;
        }

        /** The client for all tables. Default: one for the function's region. */
        public Builder dynamoDb(DynamoDbClient client) {
            dynamoDb = client;
            return this;
        }

        /** The client that proves what the streams hold. Default: one for the function's region. */
        public Builder kinesis(KinesisClient client) {
            kinesis = client;
            return this;
        }

        /** The client for the bucket. Default: one for the function's region. */
        public Builder s3(S3Client client) {
            s3 = client;
            return this;
        }

        /**
         * Where checkpoints lie: {@code s3://BUCKET/PREFIX}, or a bucket's name. Default: the bucket of the pipeline's name with
         * {@value Checkpoints#BUCKET_SUFFIX}.
         */
        public Builder place(String text) {
            place = CheckpointPlace.parse(text);
            return this;
        }

        /** Into how many parts tables are scanned side by side, each of which holds an object of some MB in memory. */
        public Builder segments(int count) {
            if (count < 1 || count > SEGMENTS_MAX) {
                throw new MillraceException(count + " segments; 1 to " + SEGMENTS_MAX + " are allowed.");
            }
            segments = count;
            return this;
        }

        /** How many read units a second scans take together at most, so that the pipeline is not starved; 0, for no limit. */
        public Builder readUnitsPerSecond(double units) {
            readUnitsPerSecond = units;
            return this;
        }

        /** Who hears of the progress. */
        public Builder listener(CheckpointListener newListener) {
            listener = newListener;
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

        /**
         * Builds it.
         *
         * @throws MillraceException if the pipeline cannot work
         */
        public Checkpoints build() {
            return new Checkpoints(this);
        }
    }
}
