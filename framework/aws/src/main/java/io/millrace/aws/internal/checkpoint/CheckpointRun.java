package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.MillraceException;
import io.millrace.aws.CheckpointListener;
import io.millrace.aws.internal.ControlTable;
import io.millrace.aws.internal.Deadline;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.LaneTable;
import io.millrace.aws.internal.PipelineControl;
import io.millrace.aws.internal.RetryingRequest;
import io.millrace.aws.internal.StageItems;
import io.millrace.aws.internal.Surroundings;
import io.millrace.aws.internal.TableNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Takes one checkpoint, by the protocol page ("Checkpoints"): the cut before the scan, the cells, the dead letters behind them,
 * the manifest last. It goes on with what an earlier run of the same id has done. Any number of runs may be at work on one id.
 * For one use by one thread.
 */
public final class CheckpointRun {
    private final Parts parts;
    private final String id;
    private final @Nullable String savepoint;

    /**
     * What all runs of a process share.
     *
     * @param stages the uids of the pipeline's stages
     * @param segments into how many parts each table is scanned, side by side
     * @param unitsPerSecond how many read units the scans take together at most; 0 for no limit
     */
    public record Parts(
            String pipeline,
            List<String> stages,
            TableNames tables,
            DynamoDbClient dynamoDb,
            CheckpointFiles files,
            ControlTable control,
            RetryingRequest request,
            IoExecutor io,
            Surroundings surroundings,
            int segments,
            double unitsPerSecond,
            CheckpointListener listener) {}

    /**
     * @param id under which the objects lie
     * @param savepoint the name that somebody gives it; null for none
     */
    public CheckpointRun(Parts parts, String id, @Nullable String savepoint) {
        this.parts = parts;
        this.id = id;
        this.savepoint = savepoint;
    }

    /**
     * Goes on until the checkpoint is complete, or the time is up.
     *
     * @return the manifest; empty if another run has to go on
     * @throws MillraceException if the pipeline has never run, or its generation has changed since the checkpoint began
     */
    Optional<Manifest> run(Deadline deadline) {
        Optional<Manifest> there = CheckpointRuns.manifest(parts.files(), id);
        if (there.isPresent()) {
            return there;
        }
        Cut cut = cut();
        requireSameGeneration(cut);
        SegmentScan.Parts scan = new SegmentScan.Parts(
                parts.dynamoDb(),
                parts.request(),
                parts.files(),
                cut,
                deadline,
                new ReadRate(parts.unitsPerSecond(), parts.surroundings()),
                parts.surroundings(),
                parts.listener());
        List<SegmentProgress> cells = scanAll(scan, cellsOf(cut));
        if (!areDone(cells)) {
            return Optional.empty();
        }
        // Behind the cells, so that none is missing that a cell accounts for.
        List<SegmentProgress> letters = scanAll(scan, deadLettersOf(cut));
        if (!areDone(letters)) {
            return Optional.empty();
        }
        requireSameGeneration(cut);
        return Optional.of(complete(cut, cells, letters));
    }

    private Cut cut() {
        Optional<CheckpointFiles.Content> stored = parts.files().get(id, Cut.NAME);
        if (stored.isEmpty()) {
            boolean unused = parts.files().putIfAbsent(id, Cut.NAME, CheckpointJson.write(newCut()));
            stored = parts.files().get(id, Cut.NAME);
        }
        return CheckpointJson.read(
                stored.orElseThrow(() -> new MillraceException(
                                "The checkpoint " + id + " was deleted while it was made. Begin another one."))
                        .bytes(),
                Cut.class,
                parts.files().describe(id, Cut.NAME));
    }

    private Cut newCut() {
        PipelineControl control = parts.control().require(parts.pipeline());
        Instant begun = parts.surroundings().clock().instant();
        LaneTable lanesOfStages = new LaneTable(parts.dynamoDb(), parts.tables().control(), parts.request());
        SortedMap<String, Cut.StageCut> stages = new TreeMap<>();
        for (String stage : parts.stages()) {
            List<JsonNode> lanes = new ArrayList<>();
            lanesOfStages.readItems(stage, control.generation()).forEach(item -> lanes.add(ItemJson.write(item)));
            Map<String, AttributeValue> complete = new StageItems(
                            parts.dynamoDb(), parts.tables().control(), parts.request())
                    .read(stage, control.generation(), StageItems.LANES);
            stages.put(stage, new Cut.StageCut(lanes, complete.isEmpty() ? null : ItemJson.write(complete)));
        }
        return new Cut(
                Cut.FORMAT_VERSION,
                id,
                savepoint,
                parts.pipeline(),
                control.generation(),
                control.sources(),
                begun.toString(),
                parts.segments(),
                stages);
    }

    private void requireSameGeneration(Cut cut) {
        long now = parts.control().require(parts.pipeline()).generation();
        if (now != cut.generation()) {
            throw new MillraceException("The checkpoint " + id + " was begun in generation " + cut.generation()
                    + ", and a restore has made " + now + " the current one. Begin another checkpoint.");
        }
    }

    private SegmentScan.Table cellsOf(Cut cut) {
        String suffix = "#" + cut.generation();
        return new SegmentScan.Table(parts.tables().state(), Manifest.ItemKind.CELLS, item -> {
            String partitionKey = text(item, "pk");
            return partitionKey.endsWith(suffix) ? partitionKey.substring(0, partitionKey.indexOf('#')) : null;
        });
    }

    private SegmentScan.Table deadLettersOf(Cut cut) {
        String generation = Long.toString(cut.generation());
        return new SegmentScan.Table(parts.tables().deadLetters(), Manifest.ItemKind.DEAD_LETTERS, item -> {
            String[] owner = text(item, "pk").split("#", 3);
            return owner.length > 1 && owner[1].equals(generation) ? owner[0] : null;
        });
    }

    private static String text(Map<String, AttributeValue> item, String name) {
        return Objects.requireNonNull(item.get(name), name).s();
    }

    private List<SegmentProgress> scanAll(SegmentScan.Parts scan, SegmentScan.Table table) {
        List<Callable<SegmentProgress>> segments = IntStream.range(0, scan.cut().segments())
                .mapToObj(segment -> (Callable<SegmentProgress>) () -> new SegmentScan(scan, table, segment).run())
                .toList();
        return parts.io().runAll(segments);
    }

    private static boolean areDone(List<SegmentProgress> segments) {
        return segments.stream().allMatch(SegmentProgress::done);
    }

    private Manifest complete(Cut cut, List<SegmentProgress> cells, List<SegmentProgress> letters) {
        List<Manifest.Part> all = new ArrayList<>();
        SortedMap<String, Long> counts = new TreeMap<>();
        for (SegmentProgress segment : cells) {
            all.addAll(segment.parts());
            segment.cells().forEach((stage, count) -> counts.merge(stage, count, Long::sum));
        }
        letters.forEach(segment -> all.addAll(segment.parts()));
        all.sort(Comparator.comparing(Manifest.Part::name));
        long deadLetters = letters.stream()
                .flatMap(segment -> segment.parts().stream())
                .mapToLong(Manifest.Part::items)
                .sum();
        Manifest manifest = new Manifest(
                Cut.FORMAT_VERSION, cut, parts.surroundings().clock().instant().toString(), counts, deadLetters, all);
        boolean isFirst = parts.files().putIfAbsent(id, Manifest.NAME, CheckpointJson.write(manifest));
        Manifest there =
                isFirst ? manifest : CheckpointRuns.manifest(parts.files(), id).orElse(manifest);
        // The progress stays: it tells another run that is still at work that nothing is left to scan.
        Predicate<String> isNeeded = name -> name.equals(Cut.NAME)
                || name.equals(Manifest.NAME)
                || SegmentProgress.isName(name)
                || there.parts().stream().anyMatch(part -> part.name().equals(name));
        int unused = parts.files().delete(id, isNeeded.negate());
        return there;
    }
}
