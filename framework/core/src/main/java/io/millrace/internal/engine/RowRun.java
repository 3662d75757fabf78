package io.millrace.internal.engine;

import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.Row;
import io.millrace.internal.item.UnacceptableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The records of one row merged over what the row remembers. All of them are one unit, unless they come to more than a
 * row or a write may have: then the records before it are a unit of their own.
 */
final class RowRun {
    /** What the version takes: its name, and a nonce of 128 bits as text. */
    private static final int VERSION_BYTES = Row.VERSION.length() + 22;

    private final Lane lane;
    private final EngineRules rules;
    private final Supplier<String> nonces;
    private final boolean oneRecordUnits;
    private final List<RowUnit> sealed = new ArrayList<>();
    private StoredRow base;
    private @Nullable Row merged;
    private @Nullable Position last;
    private int records;

    RowRun(Lane lane, StoredRow base, EngineRules rules, Supplier<String> nonces, boolean oneRecordUnits) {
        this.lane = lane;
        this.base = base;
        this.rules = rules;
        this.nonces = nonces;
        this.oneRecordUnits = oneRecordUnits;
    }

    /** Whether a record is absorbed already, by the row or in this run. */
    boolean covers(Position position) {
        return rules.isAbsorbed(base.fence(), lane, position) || (last != null && last.compareTo(position) >= 0);
    }

    /** Adds what one record, the next in lane order, makes of the row. */
    void absorb(Position position, Row row) throws RecordFailure {
        if (oneRecordUnits) {
            seal();
        }
        Row both = merged == null ? row : rules.merged(merged, row);
        if (merged != null && !fits(both, position)) {
            seal();
            both = row;
        }
        if (!fits(both, position)) {
            throw new RecordFailure(
                    RecordFailure.Kind.UNACCEPTABLE,
                    position,
                    null,
                    new UnacceptableException("A row of table " + row.table() + " would have "
                            + (row.size() + memoryBytes(position)) + " bytes with the positions that it remembers;"
                            + " DynamoDB allows " + ItemSize.ITEM_BYTES_MAX + " an item. Put less into a row."));
        }
        merged = both;
        last = position;
        records++;
    }

    private boolean fits(Row row, Position position) {
        return row.fits() && row.size() + memoryBytes(position) <= ItemSize.ITEM_BYTES_MAX;
    }

    /** What the fence takes with the lane raised to a position, and the version. */
    private int memoryBytes(Position position) {
        int bytes = VERSION_BYTES;
        for (var entry : base.fence().positions().entrySet()) {
            if (!entry.getKey().equals(lane.fenceName())) {
                bytes += entryBytes(entry.getKey(), entry.getValue());
            }
        }
        return bytes + entryBytes(lane.fenceName(), position);
    }

    private static int entryBytes(String laneName, Position position) {
        return ItemSize.utf8Length(StoredRow.fenceAttribute(laneName)) + position.encode().length;
    }

    /** The units of all records, in the order in which they must commit. */
    List<RowUnit> units() {
        seal();
        return List.copyOf(sealed);
    }

    private void seal() {
        if (merged == null || last == null) {
            return;
        }
        StoredRow after =
                new StoredRow(rules.rowVersion(base, nonces), rules.rowFence(base.fence(), lane, last), Set.of());
        sealed.add(new RowUnit(lane, merged, base, after, last, records));
        base = after;
        merged = null;
        records = 0;
    }
}
