package io.millrace.aws;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.aws.internal.Backoff;
import io.millrace.aws.internal.RetryingRequest;
import io.millrace.aws.internal.StateTable;
import io.millrace.aws.internal.Surroundings;
import io.millrace.aws.internal.TableNames;
import io.millrace.aws.internal.checkpoint.CheckpointFiles;
import io.millrace.aws.internal.checkpoint.CheckpointPlace;
import io.millrace.aws.internal.checkpoint.CheckpointedCells;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.serde.KeyCodec;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * The state of a pipeline, to look at: its stages and their cells, without the pipeline's code. It only reads, so it may
 * run beside the pipeline at any time.
 *
 * <p>What it sees while the pipeline runs: each cell as one commit left it, its states, timers and fence together, since
 * a cell is one item and is read consistently. But cells are read one after the other, so two of them may be as they were
 * at different moments, and a cell that comes into being during the walk is seen or not.
 *
 * <p>It reads the pipeline's current generation, asked for anew by each call, unless {@link #generation} names one; a
 * walk stays in the generation in which it began. Throttling and broken connections are waited out. Thread-safe, if the
 * client is; an iterator is used by one thread.
 */
public final class StateReader {
    private final CellSource source;
    private final String pipeline;
    private final @Nullable Long generation;

    StateReader(CellSource source, String pipeline, @Nullable Long generation) {
        this.source = source;
        this.pipeline = pipeline;
        this.generation = generation;
    }

    /** The live state of a pipeline by its name, on AWS: region and credentials by the SDK's default chains. */
    public static StateReader live(String pipeline) {
        return live(SdkClients.dynamoDb(), pipeline);
    }

    /** The live state of a pipeline by its name, in the tables that it has by default. Sends no request yet. */
    public static StateReader live(DynamoDbClient dynamoDb, String pipeline) {
        return live(dynamoDb, pipeline, TableNames.ofPipeline(pipeline));
    }

    /** The live state of a pipeline whose tables have other names. Sends no request yet. */
    public static StateReader live(DynamoDbClient dynamoDb, String pipeline, String controlTable, String stateTable) {
        String deadLetters = TableNames.ofPipeline(pipeline).deadLetters();
        return live(dynamoDb, pipeline, new TableNames(controlTable, stateTable, deadLetters));
    }

    private static StateReader live(DynamoDbClient dynamoDb, String pipeline, TableNames tables) {
        StateTable table = new StateTable(dynamoDb, pipeline, tables, Surroundings.ofSystem());
        return new StateReader(new LiveCells(table), pipeline, null);
    }

    /** The state of a pipeline as a checkpoint has kept it, on AWS: region and credentials by the SDK's default chains. */
    public static StateReader ofCheckpoint(String pipeline, String place, String idOrSavepoint) {
        return ofCheckpoint(SdkClients.s3(), pipeline, place, idOrSavepoint);
    }

    /**
     * The state of a pipeline as a checkpoint has kept it. Sends no request yet. Each object is proven to be what was written
     * before it is used.
     *
     * @param place where the checkpoints lie: {@code s3://BUCKET/PREFIX}, or a bucket's name
     */
    public static StateReader ofCheckpoint(S3Client s3, String pipeline, String place, String idOrSavepoint) {
        RetryingRequest request = new RetryingRequest(new Backoff(Surroundings.ofSystem()));
        CheckpointFiles files = new CheckpointFiles(s3, CheckpointPlace.parse(place), pipeline, request);
        return new StateReader(new CellsOfCheckpoint(new CheckpointedCells(files, idOrSavepoint)), pipeline, null);
    }

    /** A reader of the same state in another generation, such as the one before a restore. */
    public StateReader generation(long wanted) {
        return new StateReader(source, pipeline, wanted);
    }

    /** The pipeline's name. */
    public String pipeline() {
        return pipeline;
    }

    /** What it reads, in words: {@code in the table orders-state}. */
    public String place() {
        return source.place();
    }

    /**
     * The generation that it reads now.
     *
     * @throws MillraceException if the pipeline has never run here, or AWS refuses requests, as all methods below
     */
    public long generation() {
        long current = source.generation();
        return generation == null ? current : generation;
    }

    /** The uids of the stages that have processed anything, in their order as texts; some may keep no cells. */
    public List<String> stages() {
        return source.stages(generation());
    }

    /**
     * All cells, in no order. Each iteration reads them anew, a page of at most 1 MB at a time as it comes to it; each MB
     * costs 256 read units of DynamoDB. Items that cannot be read are among them.
     */
    public Iterable<StoredCell> cells() {
        return cellsOf(null);
    }

    /** The cells of a stage, read as {@link #cells()} are: DynamoDB bills for all. None if there is no such stage. */
    public Iterable<StoredCell> cells(String stage) {
        return cellsOf(stage);
    }

    private Iterable<StoredCell> cellsOf(@Nullable String stage) {
        long wanted = generation();
        return () -> new Cells(source.items(stage), stage, wanted);
    }

    /**
     * The cell of a key, if there is one.
     *
     * @param key the text that the stage's key codec gives for the key
     */
    public Optional<StoredCell> cell(String stage, String key) {
        ObjectNode item = source.item(new CellKey(stage, key, generation()));
        if (item == null) {
            return Optional.empty();
        }
        StoredCell found = StoredCell.of(item);
        // A short key that looks like a hash finds the item of the long one.
        return found.isReadable() && !found.key().equals(key) ? Optional.empty() : Optional.of(found);
    }

    /** The cell of a key, if there is one. */
    public <K> Optional<StoredCell> cell(String stage, K key, KeyCodec<K> codec) {
        return cell(stage, codec.encode(key));
    }

    /** The partition key under which a cell is, or would be: for messages. */
    public String itemKey(String stage, String key) {
        return CellItems.partitionKey(new CellKey(stage, key, generation()));
    }

    /** The wanted ones among the cells of items. Not thread-safe. */
    private static final class Cells implements Iterator<StoredCell> {
        private final Iterator<ObjectNode> items;
        private final @Nullable String stage;
        private final long generation;
        private @Nullable ObjectNode next;

        Cells(Iterator<ObjectNode> items, @Nullable String stage, long generation) {
            this.items = items;
            this.stage = stage;
            this.generation = generation;
        }

        @Override
        public boolean hasNext() {
            while (next == null && items.hasNext()) {
                ObjectNode item = items.next();
                next = isWanted(item.path(CellItems.PARTITION_KEY).asText()) ? item : null;
            }
            return next != null;
        }

        /** What has no cell's name is shown too: it may be of any generation. */
        private boolean isWanted(String itemKey) {
            CellName name = CellName.parse(itemKey);
            return name == null
                    ? stage == null || itemKey.startsWith(stage + "#")
                    : name.generation() == generation && (stage == null || stage.equals(name.stage()));
        }

        @Override
        public StoredCell next() {
            ObjectNode item = hasNext() ? next : null;
            if (item == null) {
                throw new NoSuchElementException("there are no more cells");
            }
            next = null;
            return StoredCell.of(item);
        }
    }
}
