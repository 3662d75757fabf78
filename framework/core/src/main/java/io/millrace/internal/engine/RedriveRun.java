package io.millrace.internal.engine;

import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.Row;
import io.millrace.internal.item.UnacceptableException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A dead letter's record run over its cells: one unit a key, which commit together with the change of the dead letter's
 * row. For one use.
 */
final class RedriveRun {
    private final StageEngine engine;
    private final Redrive redrive;
    private final StageTime time;

    RedriveRun(StageEngine engine, Redrive redrive, StageTime time) {
        this.engine = engine;
        this.redrive = redrive;
        this.time = time;
    }

    /** The units of the keys that have a cell here. */
    List<Unit> units(RoutedRecord record, Map<String, Cell> cells) throws RecordFailure {
        List<Unit> units = new ArrayList<>();
        for (var part : record.elements().entrySet()) {
            Cell cell = cells.get(part.getKey());
            if (cell != null && engine.mayAbsorb(cell, redrive)) {
                units.add(unit(cell, part.getValue()));
            }
        }
        try {
            checkOneTransaction(units);
        } catch (UnacceptableException e) {
            throw new RecordFailure(
                    RecordFailure.Kind.UNACCEPTABLE, redrive.input().position(), redrive.key(), e);
        }
        return units;
    }

    private Unit unit(Cell cell, List<RoutedRecord.Element> elements) throws RecordFailure {
        String key = cell.key().key();
        Segment segment = engine.newSegment(redrive.lane(), cell, time);
        segment.add(new Work.OfRecord(redrive.input()), engine.runFunction(segment, key, redrive.input(), elements));
        try {
            return engine.sealRedriven(segment, redrive);
        } catch (Throwable e) {
            RecordFailure.throwIfNotOfRecord(e);
            throw engine.failure(redrive.input().position(), key, e);
        }
    }

    /** All parts commit with the one row, so they cannot be divided; the row is counted as large as an item can be. */
    private static void checkOneTransaction(List<Unit> units) {
        int actions = 1;
        long bytes = ItemSize.ITEM_BYTES_MAX;
        Set<Row.Identity> rows = new HashSet<>();
        for (Unit unit : units) {
            actions += 1 + unit.rows().size();
            bytes += CellItems.size(unit.item());
            for (Row row : unit.rows()) {
                bytes += row.size();
                if (!rows.add(row.identity())) {
                    throw new UnacceptableException("Two keys of the record write the same row " + row.identity()
                            + ", and a redrive is one transaction, which can write a row once. Let the row's key"
                            + " contain the state's key.");
                }
            }
        }
        if (actions > Unit.ACTIONS_MAX || bytes > ItemSize.TRANSACTION_BYTES_MAX) {
            throw new UnacceptableException("The redrive would take " + actions + " writes of " + bytes
                    + " bytes: the dead letter, the cells of " + units.size() + " keys and their rows. It is one"
                    + " transaction, and DynamoDB takes " + Unit.ACTIONS_MAX + " writes of "
                    + ItemSize.TRANSACTION_BYTES_MAX
                    + " bytes. Put out less, or put the record into the stream once more and drop the dead letter.");
        }
    }
}
