package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cells, rows and dead letters that a test commits, under the conditions and limits that DynamoDB would hold the
 * units to. Everything is stored as items, so that each load decodes what was encoded.
 */
final class CellStore {
    /** What became of a unit. */
    enum Outcome {
        COMMITTED,
        ALREADY_COMMITTED,
        CONFLICT
    }

    final Map<Row.Identity, ObjectNode> rows = new LinkedHashMap<>();
    final List<DeadLetter> deadLetters = new ArrayList<>();
    private final Map<CellKey, ObjectNode> items = new HashMap<>();

    static CellKey key(String key) {
        return new CellKey(Ledger.UID, key, 1);
    }

    Cell load(CellKey key) {
        ObjectNode item = items.get(key);
        return item == null ? Cell.absent(key) : CellItems.fromItem(key, item);
    }

    void put(Cell cell) {
        items.put(cell.key(), CellItems.toItem(cell));
    }

    Outcome commit(Unit unit) {
        Cell stored = load(unit.before().key());
        Unit.Progress progress = unit.progress();
        if (progress != null && stored.fence().covers(progress.lane(), progress.last())) {
            return Outcome.ALREADY_COMMITTED;
        }
        if (!Objects.equals(stored.version(), unit.before().version())) {
            return Outcome.CONFLICT;
        }
        assertAcceptable(unit);
        assertFenceOnlyRises(stored.fence(), unit);
        items.put(unit.after().key(), unit.item().deepCopy());
        for (Row row : unit.rows()) {
            apply(row);
        }
        deadLetters.addAll(unit.deadLetters());
        return Outcome.COMMITTED;
    }

    /** Does what DynamoDB would; a deleted row leaves nothing here. */
    private void apply(Row row) {
        ObjectNode item = row.attributes().deepCopy();
        if (row.action() == Row.Action.SET && rows.containsKey(row.identity())) {
            item = Objects.requireNonNull(rows.get(row.identity())).deepCopy().setAll(item);
        }
        item.properties().removeIf(attribute -> attribute.getValue().isNull());
        rows.put(row.identity(), item);
        if (row.action() == Row.Action.DELETE) {
            rows.remove(row.identity());
        }
    }

    private static void assertAcceptable(Unit unit) {
        assertThat(1 + unit.rows().size() + unit.deadLetters().size()).isLessThanOrEqualTo(100);
        assertThat(unit.rows()).extracting(Row::identity).doesNotHaveDuplicates();
        int bytes = ItemSize.of(unit.item());
        assertThat(bytes).isLessThanOrEqualTo(400 * 1024);
        for (Row row : unit.rows()) {
            bytes += ItemSize.of(row.attributes().deepCopy().put(Row.GENERATION, Long.MAX_VALUE));
        }
        for (DeadLetter deadLetter : unit.deadLetters()) {
            bytes += deadLetter.input().payload().length + deadLetter.error().length();
        }
        assertThat(bytes).isLessThanOrEqualTo(4 * 1024 * 1024);
    }

    /** Invariant I3 for one commit: the unit's own lane rises, if it has records, and no other lane moves. */
    private static void assertFenceOnlyRises(Fence before, Unit unit) {
        Map<String, Position> expected = new HashMap<>(before.positions());
        Unit.Progress progress = unit.progress();
        if (progress != null) {
            Position replaced = expected.put(progress.lane().fenceName(), progress.last());
            assertThat(replaced == null || replaced.compareTo(progress.last()) < 0)
                    .isTrue();
        }
        assertThat(unit.after().fence().positions()).isEqualTo(expected);
        assertThat(unit.after().version())
                .isNotNull()
                .isNotEqualTo(unit.before().version());
    }

    /** An attribute of a row, as text; null if the row is not there. */
    @Nullable
    String attribute(String account, long part, String name) {
        ObjectNode row = rows.get(new Row.Identity("ledger-rows", account, Long.toString(part)));
        return row == null ? null : row.path(name).asText();
    }
}
