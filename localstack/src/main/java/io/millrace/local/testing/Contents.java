package io.millrace.local.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.plan.StagePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a run left behind, as texts that are equal where it does not matter how they came about: rows, state, timers, and
 * dead letters by stage, key and payload. Immutable.
 */
record Contents(SortedMap<String, String> entries) {
    private static final int DIFFERENCES_MAX = 5;
    private static final ObjectMapper SORTED = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    static Contents of(PipelineTestDriver driver) {
        SortedMap<String, String> entries = new TreeMap<>();
        DriverTables tables = driver.tables();
        for (String table : tables.rowTables()) {
            tables.rows(table)
                    .forEach((key, row) -> entries.put("the row " + key + " of table '" + table + "'", sorted(row)));
        }
        for (StagePlan stage : driver.plan().stages()) {
            tables.cells(stage.uid()).forEach((key, cell) -> {
                for (Map.Entry<String, JsonNode> state :
                        CellItems.toItem(cell).path(CellItems.STATE).properties()) {
                    entries.put(
                            "the state '" + state.getKey() + "' of stage '" + stage.uid() + "', key '" + key + "'",
                            sorted(readable(state.getValue())));
                }
                for (Timer timer : cell.time().timers().keySet()) {
                    entries.put(
                            "the timer " + timer.domain() + " " + timer.time() + " '" + timer.name() + "' of stage '"
                                    + stage.uid() + "', key '" + key + "'",
                            "there");
                }
            });
        }
        for (TestDeadLetter letter : tables.deadLetters()) {
            String name = "the dead letter of stage '" + letter.stage() + "', key "
                    + (letter.key() == null ? "unknown" : "'" + letter.key() + "'") + ", payload '"
                    + letter.payloadText() + "'";
            entries.merge(name, "there", (before, more) -> before + ", once more");
        }
        return new Contents(entries);
    }

    /** Stored texts that are JSON documents, as documents. */
    private static JsonNode readable(JsonNode stored) {
        if (stored.isTextual()) {
            try {
                return SORTED.readTree(stored.textValue());
            } catch (JsonProcessingException e) {
                return stored;
            }
        }
        if (stored.isObject()) {
            ObjectNode map = JsonNodeFactory.instance.objectNode();
            stored.properties().forEach(entry -> map.set(entry.getKey(), readable(entry.getValue())));
            return map;
        }
        return stored;
    }

    private static String sorted(JsonNode node) {
        try {
            return SORTED.writeValueAsString(SORTED.treeToValue(node, Object.class));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what was read as JSON cannot be written as JSON", e);
        }
    }

    /** What differs from what is expected, a line each; empty if nothing does. */
    List<String> differencesFrom(Contents expected) {
        TreeSet<String> names = new TreeSet<>(entries.keySet());
        names.addAll(expected.entries.keySet());
        List<String> lines = new ArrayList<>();
        int more = 0;
        for (String name : names) {
            String actual = entries.get(name);
            String wanted = expected.entries.get(name);
            if (java.util.Objects.equals(actual, wanted)) {
                continue;
            }
            if (lines.size() < DIFFERENCES_MAX) {
                lines.add(name + ": expected " + orNothing(wanted) + ", but was " + orNothing(actual));
            } else {
                more++;
            }
        }
        if (more > 0) {
            lines.add("and " + more + " more");
        }
        return lines;
    }

    private static String orNothing(@Nullable String text) {
        return text == null ? "nothing" : text;
    }
}
