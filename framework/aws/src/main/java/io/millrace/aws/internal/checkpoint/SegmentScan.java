package io.millrace.aws.internal.checkpoint;

import io.millrace.aws.CheckpointListener;
import io.millrace.aws.internal.Deadline;
import io.millrace.aws.internal.RetryingRequest;
import io.millrace.aws.internal.Surroundings;
import io.millrace.internal.engine.CellItems;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/**
 * The scan of one segment of a table into objects. It holds a page and an object, and stores its progress with each object
 * by a compare-and-set: so it goes on after a crash, and of two runs over the same segment each goes on behind the other.
 * For one thread.
 */
final class SegmentScan {
    private final Parts parts;
    private final Table table;
    private final int segment;

    /** What all segments share. */
    record Parts(
            DynamoDbClient dynamoDb,
            RetryingRequest request,
            CheckpointFiles files,
            Cut cut,
            Deadline deadline,
            ReadRate rate,
            Surroundings surroundings,
            CheckpointListener listener) {}

    /**
     * What is scanned.
     *
     * @param stageOf the stage that an item belongs to; null if it is not of the checkpoint's generation
     */
    record Table(
            String name, Manifest.ItemKind kind, Function<Map<String, AttributeValue>, @Nullable String> stageOf) {}

    SegmentScan(Parts parts, Table table, int segment) {
        this.parts = parts;
        this.table = table;
        this.segment = segment;
    }

    /** Scans until the end of the segment, or of the time; the progress then tells which. */
    SegmentProgress run() {
        while (true) {
            Optional<CheckpointFiles.Content> stored =
                    parts.files().get(parts.cut().id(), name());
            SegmentProgress progress = stored.map(this::read).orElse(SegmentProgress.NONE);
            if (progress.done() || parts.deadline().isNear()) {
                return progress;
            }
            SegmentProgress next = scanOne(progress);
            // Another run that came first has put objects of its own: those count, and this one goes on behind them.
            boolean unused = parts.files()
                    .putIfSame(
                            parts.cut().id(),
                            name(),
                            CheckpointJson.write(next),
                            stored.map(CheckpointFiles.Content::etag).orElse(null));
        }
    }

    private String name() {
        return SegmentProgress.name(table.kind(), segment);
    }

    private SegmentProgress read(CheckpointFiles.Content content) {
        return CheckpointJson.read(
                content.bytes(),
                SegmentProgress.class,
                parts.files().describe(parts.cut().id(), name()));
    }

    /** Fills one object. */
    private SegmentProgress scanOne(SegmentProgress progress) {
        PartWriter writer = new PartWriter();
        SortedMap<String, Long> cells = new TreeMap<>();
        Map<String, AttributeValue> from = keyOf(progress);
        do {
            ScanResponse page = page(from);
            for (Map<String, AttributeValue> item : page.items()) {
                String stage = table.stageOf().apply(item);
                if (stage != null) {
                    writer.add(item);
                    cells.merge(stage, 1L, Long::sum);
                }
            }
            from = page.lastEvaluatedKey();
            if (page.consumedCapacity() != null && page.consumedCapacity().capacityUnits() != null) {
                parts.rate().took(page.consumedCapacity().capacityUnits());
            }
        } while (!from.isEmpty() && !writer.isFull() && !parts.deadline().isNear());
        Manifest.Part part = writer.items() == 0 ? null : put(writer);
        return progress.with(
                part,
                table.kind() == Manifest.ItemKind.CELLS ? cells : new TreeMap<>(),
                from.isEmpty() ? null : ItemJson.write(from));
    }

    private static Map<String, AttributeValue> keyOf(SegmentProgress progress) {
        try {
            return progress.from() == null ? Map.of() : ItemJson.read(progress.from());
        } catch (IOException e) {
            throw new IllegalStateException("a key that this code wrote cannot be read", e);
        }
    }

    private ScanResponse page(Map<String, AttributeValue> from) {
        ScanRequest.Builder scan = ScanRequest.builder()
                .tableName(table.name())
                .consistentRead(true)
                .segment(segment)
                .totalSegments(parts.cut().segments())
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL);
        if (!from.isEmpty()) {
            scan.exclusiveStartKey(from);
        }
        return parts.request()
                .of("Scanning table " + table.name(), () -> parts.dynamoDb().scan(scan.build()));
    }

    /** Each attempt has a name of its own, so that nobody replaces what another one's manifest names. */
    private Manifest.Part put(PartWriter writer) {
        byte[] bytes = writer.finish();
        String name = SegmentProgress.segmentName(table.kind(), segment) + "-"
                + parts.surroundings().nonce() + ".jsonl.gz";
        parts.files().put(parts.cut().id(), name, bytes);
        parts.listener().onPart(table.kind() == Manifest.ItemKind.CELLS ? writer.items() : 0, bytes.length);
        return new Manifest.Part(name, table.kind(), writer.items(), bytes.length, CellItems.sha256(bytes));
    }
}
