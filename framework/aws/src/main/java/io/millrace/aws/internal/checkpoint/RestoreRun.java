package io.millrace.aws.internal.checkpoint;

import io.millrace.MillraceException;
import io.millrace.aws.CheckpointListener;
import io.millrace.aws.internal.ControlTable;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Items;
import io.millrace.aws.internal.LaneTable;
import io.millrace.aws.internal.PipelineControl;
import io.millrace.aws.internal.RetryingRequest;
import io.millrace.aws.internal.StageItems;
import io.millrace.aws.internal.Surroundings;
import io.millrace.aws.internal.TableNames;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * Makes a checkpoint the pipeline's state, by the protocol page ("Restore"): it writes a new generation beside the current
 * one, and makes it the current one last. It can be broken off anywhere and run again, or twice at once: items are put where
 * there are none only, so that one that comes late changes nothing. For one use by one thread.
 */
public final class RestoreRun {
    private final Parts parts;
    private final Checkpoint checkpoint;
    private final Options options;
    private final PartReader reader;

    /** What a restore works with. */
    public record Parts(
            String pipeline,
            List<String> stages,
            TableNames tables,
            DynamoDbClient dynamoDb,
            KinesisClient kinesis,
            CheckpointFiles files,
            ControlTable control,
            RetryingRequest request,
            IoExecutor io,
            Surroundings surroundings,
            CheckpointListener listener) {}

    /**
     * What is allowed.
     *
     * @param dryRun whether only to check whether the restore can be done
     * @param allowNonRestoredState whether state of stages that the pipeline does not have any more is left behind
     * @param drain how long invocations that are under way get to end, before the new generation is written
     */
    public record Options(boolean dryRun, boolean allowNonRestoredState, Duration drain) {}

    /**
     * What was restored, or would be.
     *
     * @param generation the new one; the current one after a dry run
     * @param replayFrom the oldest arrival of what comes behind the cut, as far as it is known; null if nothing was processed
     * @param stagesLeft the stages whose state was left behind
     */
    public record Result(
            long generation,
            long cells,
            long deadLetters,
            @Nullable Instant replayFrom,
            Set<String> stagesLeft) {}

    public RestoreRun(Parts parts, Checkpoint checkpoint, Options options) {
        this.parts = parts;
        this.checkpoint = checkpoint;
        this.options = options;
        this.reader = new PartReader(parts.files(), checkpoint.id());
    }

    private Cut cut() {
        return checkpoint.manifest().cut();
    }

    /**
     * Restores.
     *
     * @throws MillraceException if the checkpoint is damaged, foreign, of a newer format or not of the current timeline, if the
     *     streams do not hold what comes behind it any more, or if it has state of stages that are gone; nothing has changed then
     */
    public Result run() {
        requireReadable();
        PipelineControl control = readControl();
        requireOnLineage(control);
        Set<String> left = stagesLeft();
        verifyParts();
        requireReplayable(control);
        if (options.dryRun()) {
            return result(control.generation(), checkpoint.deadLetters(), left);
        }
        PipelineControl stopped = stop(control);
        await(options.drain());
        long generation = Objects.requireNonNull(stopped.restoring()).generation();
        copyCells(generation);
        long letters = copyLetters(generation, stopped);
        copyLanes(generation, stopped);
        flip(stopped);
        return result(generation, letters, left);
    }

    private Result result(long generation, long letters, Set<String> left) {
        Instant replayFrom = cut().stages().values().stream()
                .flatMap(stage -> RestoredLanes.of(stage).values().stream())
                .filter(lane -> !lane.lineage().finished())
                .map(LaneRecord::lastArrival)
                .filter(Objects::nonNull)
                .min(Instant::compareTo)
                .orElse(null);
        long cells = checkpoint.cells().entrySet().stream()
                .filter(stage -> !left.contains(stage.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
        return new Result(generation, cells, letters, replayFrom, left);
    }

    private void requireReadable() {
        int version = checkpoint.manifest().formatVersion();
        if (version > Cut.FORMAT_VERSION) {
            throw new MillraceException("The checkpoint " + checkpoint.id() + " is of format " + version
                    + ", and this version of Millrace reads up to " + Cut.FORMAT_VERSION
                    + ". Restore with a newer version.");
        }
        if (!cut().pipeline().equals(parts.pipeline())) {
            throw new MillraceException("The checkpoint " + checkpoint.id() + " is of pipeline '" + cut().pipeline()
                    + "', not of '" + parts.pipeline() + "'.");
        }
    }

    private PipelineControl readControl() {
        PipelineControl control = parts.control().read(parts.pipeline());
        if (control == null) {
            throw new MillraceException("The pipeline '" + parts.pipeline() + "' has never run here: the table "
                    + parts.tables().control()
                    + " has no control item of it, so the checkpoint is of another place. Check"
                    + " region and endpoint.");
        }
        if (control.sources().size() < cut().sources().size()
                || !control.sources().subList(0, cut().sources().size()).equals(cut().sources())) {
            throw new MillraceException("The checkpoint " + checkpoint.id() + " knows the streams " + cut().sources()
                    + ", in this order, and the pipeline " + control.sources() + ": it is of another pipeline.");
        }
        return control;
    }

    /** Rows of a timeline that was abandoned could not be told from good ones. */
    private void requireOnLineage(PipelineControl control) {
        long generation = control.generation();
        @Nullable String branchedAt = null;
        while (generation != cut().generation()) {
            PipelineControl.Branch branch = control.branchOf(generation);
            if (branch == null) {
                throw offLineage(control, "generation " + cut().generation() + " is none of its ancestors");
            }
            generation = branch.parent();
            branchedAt = branch.cut();
        }
        if (branchedAt != null && Instant.parse(branchedAt).isBefore(checkpoint.begun())) {
            throw offLineage(
                    control,
                    "it was begun at " + checkpoint.begun() + ", behind " + branchedAt
                            + ", where the current timeline left" + " generation " + cut().generation());
        }
    }

    private MillraceException offLineage(PipelineControl control, String why) {
        return new MillraceException(
                "The checkpoint " + checkpoint.id() + " is not of the timeline that led to the current"
                        + " generation " + control.generation() + ": " + why
                        + ". The rows that were written since then could not be"
                        + " told from good ones. Restore from a checkpoint of the current timeline, or set up another pipeline with"
                        + " tables of its own.");
    }

    private Set<String> stagesLeft() {
        Set<String> left = new TreeSet<>(checkpoint.cells().keySet());
        left.removeAll(Set.copyOf(parts.stages()));
        if (!left.isEmpty() && !options.allowNonRestoredState()) {
            throw new MillraceException("The checkpoint " + checkpoint.id() + " has state of the stages " + left
                    + ", and the pipeline has " + parts.stages() + " only. Has a uid changed? Change it back, or add"
                    + " --allow-non-restored-state to leave that state behind.");
        }
        return left;
    }

    private void verifyParts() {
        for (Manifest.Part part : checkpoint.manifest().parts()) {
            int bytes = reader.read(part).length;
            parts.listener().onPart(0, bytes);
        }
    }

    private void requireReplayable(PipelineControl control) {
        RestoredLanes lanes = new RestoredLanes(parts.kinesis(), parts.request(), parts.surroundings());
        List<String> losses = new ArrayList<>();
        cut().stages().forEach((stage, stageCut) -> {
            Map<String, LaneRecord> now = new LaneTable(
                            parts.dynamoDb(), parts.tables().control(), parts.request())
                    .readAll(stage, control.generation());
            RestoredLanes.of(stageCut)
                    .forEach((name, lane) -> lanes.loss(name, lane, now.get(name), checkpoint.begun())
                            .ifPresent(losses::add));
        });
        if (!losses.isEmpty()) {
            throw new MillraceException(
                    "The checkpoint " + checkpoint.id() + " cannot be restored, since what came behind it"
                            + " is not in the stream any more: " + String.join("; ", losses)
                            + ". Restore from a later checkpoint.");
        }
    }

    /** Nothing is processed from here on; a restore of the same checkpoint that was broken off is gone on with. */
    private PipelineControl stop(PipelineControl read) {
        PipelineControl control = read;
        while (true) {
            PipelineControl.Restoring there = control.restoring();
            if (there != null && there.checkpoint().equals(checkpoint.id())) {
                return control;
            }
            PipelineControl stopped = control.withRestore(
                    parts.surroundings().nonce(),
                    new PipelineControl.Restoring(
                            Math.max(control.highestGiven(), control.generation()) + 1, checkpoint.id()),
                    "it is being restored from checkpoint " + checkpoint.id()
                            + "; if that was broken off, run the restore again");
            if (parts.control().change(parts.pipeline(), stopped, control)) {
                return stopped;
            }
            control = readControl();
            requireOnLineage(control);
        }
    }

    private void await(Duration wait) {
        try {
            parts.surroundings().sleeper().sleep(wait.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MillraceException(
                    "The restore was interrupted. Run it again; the pipeline stands still until then.", e);
        }
    }

    private void copyCells(long generation) {
        for (Manifest.Part part : checkpoint.manifest().parts()) {
            if (part.table() == Manifest.ItemKind.CELLS) {
                long[] copied = new long[1];
                reader.forEach(part, items -> {
                    List<Map<String, AttributeValue>> cells = new ArrayList<>();
                    items.stream()
                            .filter(item -> parts.stages().contains(stageOf(item)))
                            .forEach(item -> cells.add(cellOf(item, generation)));
                    putAll(parts.tables().state(), cells);
                    copied[0] += cells.size();
                });
                parts.listener().onPart(copied[0], part.bytes());
            }
        }
    }

    private static String stageOf(Map<String, AttributeValue> item) {
        String partitionKey = Items.required(item, CellItems.PARTITION_KEY).s();
        return partitionKey.substring(0, partitionKey.indexOf('#'));
    }

    private Map<String, AttributeValue> cellOf(Map<String, AttributeValue> item, long generation) {
        String key = Items.required(item, CellItems.KEY).s();
        Cell cell = CellItems.fromItem(new CellKey(stageOf(item), key, cut().generation()), Items.fromAttributes(item));
        Map<String, AttributeValue> copy =
                new HashMap<>(Items.toAttributes(CellItems.toItem(cell.inGeneration(generation))));
        AttributeValue expiry = item.get(CellItems.TIME_TO_LIVE);
        if (expiry != null) {
            copy.put(CellItems.TIME_TO_LIVE, expiry);
        }
        return copy;
    }

    private long copyLetters(long generation, PipelineControl control) {
        Map<String, Map<String, LaneRecord>> lanes = new TreeMap<>();
        cut().stages().forEach((stage, stageCut) -> lanes.put(stage, RestoredLanes.of(stageCut)));
        RestoredLetters letters =
                new RestoredLetters(lanes, control.sources(), (stage, key) -> restoredCell(stage, key, generation));
        Set<String> withParts = new HashSet<>();
        long[] copied = new long[1];
        forEachLetter(items -> {
            List<Map<String, AttributeValue>> kept = new ArrayList<>();
            for (Map<String, AttributeValue> item : items) {
                if (item.containsKey("kind")) {
                    letters.restored(item).ifPresent(letter -> {
                        kept.add(inGeneration(letter, generation));
                        if (letter.containsKey("payload_parts")) {
                            withParts.add(name(letter));
                        }
                    });
                }
            }
            putAll(parts.tables().deadLetters(), kept);
            copied[0] += kept.size();
        });
        if (!withParts.isEmpty()) {
            forEachLetter(items -> putAll(
                    parts.tables().deadLetters(),
                    items.stream()
                            .filter(item -> !item.containsKey("kind") && withParts.contains(name(item)))
                            .map(item -> inGeneration(item, generation))
                            .toList()));
        }
        return copied[0];
    }

    /** What a dead letter and the parts of its payload have in common. */
    private static String name(Map<String, AttributeValue> item) {
        String sortKey = Items.required(item, "sk").s();
        int part = sortKey.lastIndexOf("#part");
        return Items.required(item, "pk").s() + " " + (part < 0 ? sortKey : sortKey.substring(0, part));
    }

    private void forEachLetter(Consumer<List<Map<String, AttributeValue>>> consumer) {
        for (Manifest.Part part : checkpoint.manifest().parts()) {
            if (part.table() == Manifest.ItemKind.DEAD_LETTERS) {
                reader.forEach(
                        part,
                        items -> consumer.accept(items.stream()
                                .filter(item -> parts.stages().contains(stageOf(item)))
                                .toList()));
            }
        }
    }

    private Cell restoredCell(String stage, String key, long generation) {
        CellKey cellKey = new CellKey(stage, key, generation);
        var response = parts.request()
                .of(
                        "Reading a restored cell",
                        () -> parts.dynamoDb()
                                .getItem(get -> get.tableName(parts.tables().state())
                                        .key(Map.of(
                                                CellItems.PARTITION_KEY,
                                                AttributeValue.fromS(CellItems.partitionKey(cellKey))))
                                        .consistentRead(true)));
        return response.hasItem() && !response.item().isEmpty()
                ? CellItems.fromItem(cellKey, Items.fromAttributes(response.item()))
                : Cell.absent(cellKey);
    }

    private static Map<String, AttributeValue> inGeneration(Map<String, AttributeValue> item, long generation) {
        Map<String, AttributeValue> copy = new HashMap<>(item);
        String[] owner = Items.required(item, "pk").s().split("#", 3);
        copy.put("pk", AttributeValue.fromS(owner[0] + "#" + generation + "#" + owner[2]));
        if (item.containsKey("generation")) {
            copy.put("generation", AttributeValue.fromN(Long.toString(generation)));
        }
        return copy;
    }

    private void copyLanes(long generation, PipelineControl control) {
        cut().stages().forEach((stage, stageCut) -> {
            List<Map<String, AttributeValue>> items = new ArrayList<>();
            RestoredLanes.of(stageCut)
                    .forEach((name, lane) -> items.add(LaneTable.toItem(
                            stage,
                            generation,
                            Lane.named(name, control.sources()),
                            lane.restored(parts.surroundings().nonce()))));
            putAll(parts.tables().control(), items);
            if (stageCut.complete() != null) {
                Map<String, AttributeValue> complete = new HashMap<>(RestoredLanes.item(stageCut.complete()));
                complete.putAll(StageItems.key(stage, generation, StageItems.LANES));
                putAll(parts.tables().control(), List.of(complete));
            }
        });
    }

    private void putAll(String table, List<Map<String, AttributeValue>> items) {
        if (items.isEmpty()) {
            return;
        }
        List<Callable<Boolean>> puts = new ArrayList<>();
        items.forEach(item -> puts.add(() -> putIfAbsent(table, item)));
        List<Boolean> unused = parts.io().runAll(puts);
    }

    private boolean putIfAbsent(String table, Map<String, AttributeValue> item) {
        PutItemRequest put = PutItemRequest.builder()
                .tableName(table)
                .item(item)
                .conditionExpression("attribute_not_exists(pk)")
                .build();
        return parts.request().of("Writing a restored item into table " + table, () -> {
            try {
                parts.dynamoDb().putItem(put);
                return true;
            } catch (ConditionalCheckFailedException e) {
                return false;
            }
        });
    }

    private void flip(PipelineControl stopped) {
        PipelineControl control = stopped;
        PipelineControl.Restoring own = Objects.requireNonNull(stopped.restoring());
        PipelineControl.Branch branch = new PipelineControl.Branch(
                own.generation(),
                cut().generation(),
                checkpoint.id(),
                cut().begun(),
                parts.surroundings().clock().instant().toString());
        while (own.equals(control.restoring())) {
            if (parts.control()
                    .change(
                            parts.pipeline(),
                            control.withGeneration(parts.surroundings().nonce(), branch),
                            control)) {
                return;
            }
            control = readControl();
        }
        if (control.generation() != own.generation()) {
            throw new MillraceException(
                    "Another restore was begun meanwhile: the pipeline is in generation " + control.generation()
                            + ", not in " + own.generation() + ". Look at its generations, and restore again.");
        }
    }
}
