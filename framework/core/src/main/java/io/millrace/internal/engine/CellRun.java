package io.millrace.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The records of one key run over its cell. What is too much for one transaction becomes several units, each a prefix
 * of the records: when a record makes the unit overflow, the records before it are run again from where the unit began,
 * since the content before the record is gone, and sealed without it.
 */
final class CellRun {
    private final StageEngine engine;
    private final Lane lane;
    private final String key;
    private final Condemned condemned;
    private final boolean oneRecordUnits;
    private final List<Unit> sealed = new ArrayList<>();
    private Segment segment;

    CellRun(StageEngine engine, Lane lane, Cell cell, Condemned condemned, boolean oneRecordUnits) {
        this.engine = engine;
        this.lane = lane;
        this.key = cell.key().key();
        this.condemned = condemned;
        this.oneRecordUnits = oneRecordUnits;
        this.segment = engine.newSegment(lane, cell);
    }

    /** Whether a record is absorbed already, by the cell or in this run. */
    boolean covers(Position position) {
        return segment.covers(position);
    }

    /** Runs one record, the next in lane order. */
    void absorb(InputRecord record, List<RoutedRecord.Element> elements) throws RecordFailure {
        if (oneRecordUnits && !segment.isEmpty()) {
            segment = engine.newSegment(lane, seal(segment).after());
        }
        runInto(segment, record, elements);
        if (!segment.fitsTransaction() && segment.records().size() > 1) {
            List<InputRecord> before = new ArrayList<>(segment.records());
            before.remove(before.size() - 1);
            Segment prefix = replay(segment.base(), before);
            segment = engine.newSegment(lane, seal(prefix).after());
            runInto(segment, record, null);
        }
    }

    /** The units of all records run, in the order in which they must commit. */
    List<Unit> units() throws RecordFailure {
        if (!segment.isEmpty()) {
            seal(segment);
        }
        return sealed;
    }

    private Unit seal(Segment full) throws RecordFailure {
        try {
            Unit unit = engine.seal(full);
            sealed.add(unit);
            return unit;
        } catch (Throwable e) {
            RecordFailure.throwIfNotOfRecord(e);
            if (full.records().size() == 1) {
                throw engine.failure(full.records().get(0).position(), key, e);
            }
            return sealEach(full);
        }
    }

    /** Seals each record alone, so that the one that cannot be stored is found and named. */
    private Unit sealEach(Segment full) throws RecordFailure {
        Cell cell = full.base();
        Unit unit = null;
        for (InputRecord record : full.records()) {
            unit = seal(replay(cell, List.of(record)));
            cell = unit.after();
        }
        return Objects.requireNonNull(unit);
    }

    private Segment replay(Cell base, List<InputRecord> records) throws RecordFailure {
        Segment replayed = engine.newSegment(lane, base);
        for (InputRecord record : records) {
            runInto(replayed, record, null);
        }
        return replayed;
    }

    /** Runs a record, decoded afresh if its elements are not given; a condemned one meets no user code at all. */
    private void runInto(Segment target, InputRecord record, @Nullable List<RoutedRecord.Element> elements)
            throws RecordFailure {
        DeadLetter deadLetter = engine.deadLetter(condemned, lane, record, key);
        if (deadLetter != null) {
            target.add(record, deadLetter);
            return;
        }
        List<RoutedRecord.Element> fresh = elements == null ? engine.elementsOf(record, key) : elements;
        target.add(record, engine.runFunction(target, key, record, fresh));
    }
}
