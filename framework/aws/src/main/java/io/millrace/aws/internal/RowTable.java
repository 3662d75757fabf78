package io.millrace.aws.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.engine.RowEngine;
import io.millrace.internal.engine.StoredRow;
import io.millrace.internal.item.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Loads what the rows of a stage without state remember. Thread-safe. */
final class RowTable {
    private final BatchReads reads;
    private final IoExecutor io;
    private final RowEngine engine;
    private final ShellRules rules;

    RowTable(BatchReads reads, IoExecutor io, RowEngine engine, ShellRules rules) {
        this.reads = reads;
        this.io = io;
        this.engine = engine;
        this.rules = rules;
    }

    /**
     * What rows remember, read consistently, by the text of their identity.
     *
     * @param rows any change of each row, which tells its key
     * @throws io.millrace.MillraceException if a newer generation has written one: this invocation began before a restore
     */
    Map<String, StoredRow> load(Map<String, Row> rows, long generation) {
        Map<String, List<Row>> byTable = new LinkedHashMap<>();
        rows.values()
                .forEach(row -> byTable.computeIfAbsent(row.table(), table -> new ArrayList<>())
                        .add(row));
        List<Callable<Map<String, StoredRow>>> tasks = new ArrayList<>();
        for (List<Row> ofTable : byTable.values()) {
            for (int from = 0; from < ofTable.size(); from += BatchReads.KEYS_MAX) {
                List<Row> part = ofTable.subList(from, Math.min(ofTable.size(), from + BatchReads.KEYS_MAX));
                tasks.add(() -> fetch(part, generation));
            }
        }
        Map<String, StoredRow> stored = new HashMap<>();
        rows.keySet().forEach(key -> stored.put(key, StoredRow.ABSENT));
        io.runAll(tasks).forEach(stored::putAll);
        return stored;
    }

    private Map<String, StoredRow> fetch(List<Row> rows, long generation) {
        Row any = rows.get(0);
        List<Map<String, AttributeValue>> keys =
                rows.stream().map(RowWrites::key).toList();
        Map<String, StoredRow> found = new HashMap<>();
        for (Map<String, AttributeValue> attributes : reads.read("rows", any.table(), keys)) {
            ObjectNode item = Items.fromAttributes(attributes);
            if (rules.isSuperseded(item.path(Row.GENERATION).asLong(), generation)) {
                throw ShellErrors.superseded(null);
            }
            found.put(any.identityOf(item).text(), engine.stored(item, generation));
        }
        return found;
    }
}
