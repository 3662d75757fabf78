package io.millrace.aws.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Loads cells. Thread-safe. */
final class CellTable {
    private final BatchReads reads;
    private final String table;
    private final IoExecutor io;
    private final Clock clock;

    CellTable(BatchReads reads, String table, IoExecutor io, Clock clock) {
        this.reads = reads;
        this.table = table;
        this.io = io;
        this.clock = clock;
    }

    /**
     * The cells of keys, read consistently, by key. A cell that is not there is absent in the engine's sense. Redrives that
     * may be forgotten are left out, so that the next write drops them.
     */
    Map<String, Cell> load(String stage, long generation, Collection<String> keys) {
        Map<String, CellKey> wanted = new HashMap<>();
        for (String key : keys) {
            CellKey cellKey = new CellKey(stage, key, generation);
            CellKey other = wanted.putIfAbsent(CellItems.partitionKey(cellKey), cellKey);
            if (other != null && !other.equals(cellKey)) {
                throw new MillraceException("Two keys of stage '" + stage + "' take the same item "
                        + CellItems.partitionKey(cellKey) + ". Change one.");
            }
        }
        List<Callable<List<Map<String, AttributeValue>>>> tasks = new ArrayList<>();
        List<String> partitionKeys = new ArrayList<>(wanted.keySet());
        for (int from = 0; from < partitionKeys.size(); from += BatchReads.KEYS_MAX) {
            List<String> part = partitionKeys.subList(from, Math.min(partitionKeys.size(), from + BatchReads.KEYS_MAX));
            tasks.add(() -> fetch(part));
        }
        Map<String, Cell> cells = new HashMap<>();
        wanted.values().forEach(key -> cells.put(key.key(), Cell.absent(key)));
        for (List<Map<String, AttributeValue>> found : io.runAll(tasks)) {
            for (Map<String, AttributeValue> item : found) {
                CellKey key =
                        wanted.get(Items.required(item, CellItems.PARTITION_KEY).s());
                if (key != null) {
                    Cell cell = CellItems.fromItem(key, Items.fromAttributes(item));
                    cells.put(key.key(), cell.withoutRedrivesUntil(clock.instant()));
                }
            }
        }
        return cells;
    }

    /** The items of cells by their keys in the table, read consistently: at most {@link BatchReads#KEYS_MAX}. */
    List<ObjectNode> items(List<String> partitionKeys) {
        return fetch(partitionKeys).stream().map(Items::fromAttributes).toList();
    }

    /**
     * The cell of an item.
     *
     * @throws MillraceException if it cannot be read
     */
    Cell cellOf(String stage, long generation, ObjectNode item) {
        CellKey key = new CellKey(stage, item.path(CellItems.KEY).asText(), generation);
        return CellItems.fromItem(key, item).withoutRedrivesUntil(clock.instant());
    }

    private List<Map<String, AttributeValue>> fetch(List<String> partitionKeys) {
        List<Map<String, AttributeValue>> keys = partitionKeys.stream()
                .map(key -> Map.of(CellItems.PARTITION_KEY, Items.text(key)))
                .toList();
        return reads.read("cells", table, keys);
    }
}
