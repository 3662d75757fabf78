package io.millrace.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The due timers of one key and then its records, run over its cell. What is too much for one transaction becomes several
 * units, each a prefix of the timers and records: when one makes the unit overflow, those before it are run again from
 * where the unit began, since the content before it is gone, and sealed without it.
 */
final class CellRun {
    private final StageEngine engine;
    private final @Nullable Lane lane;
    private final String key;
    private final StageTime time;
    private final Condemned condemned;
    private final boolean oneWorkUnits;
    private final List<Timer> due;
    private final List<Unit> sealed = new ArrayList<>();
    private Segment segment;
    private boolean timersFired;

    /**
     * A run over a cell.
     *
     * @param lane the lane whose records run; null if only timers do
     * @param due the timers that fire before them
     */
    CellRun(
            StageEngine engine,
            @Nullable Lane lane,
            Cell cell,
            StageTime time,
            Condemned condemned,
            boolean oneWorkUnits,
            List<Timer> due) {
        this.engine = engine;
        this.lane = lane;
        this.key = cell.key().key();
        this.time = time;
        this.condemned = condemned;
        this.oneWorkUnits = oneWorkUnits;
        this.due = due;
        this.segment = newSegment(cell);
    }

    private Segment newSegment(Cell cell) {
        return engine.newSegment(lane, cell, time);
    }

    /** Whether a record is absorbed already, by the cell or in this run. */
    boolean covers(Position position) {
        return segment.covers(position);
    }

    /** Runs one record, the next in lane order; before the first one that is not condemned, the timers that are due. */
    void absorb(InputRecord record, List<RoutedRecord.Element> elements) throws RecordFailure {
        try {
            if (deadLetterOf(record) == null) {
                fireTimers();
            }
            absorb(new Work.OfRecord(record), elements);
        } catch (TimerFailure failure) {
            throw RecordFailure.ofTimer(record.position(), key, failure);
        }
    }

    /** Fires the timers that were due when the run began, and are not deleted meanwhile. */
    private void fireTimers() throws RecordFailure, TimerFailure {
        if (timersFired) {
            return;
        }
        timersFired = true;
        for (Timer timer : due) {
            if (segment.hasTimer(timer)) {
                absorb(new Work.OfTimer(timer), null);
            }
        }
    }

    private void absorb(Work work, @Nullable List<RoutedRecord.Element> elements) throws RecordFailure, TimerFailure {
        if (oneWorkUnits && !segment.isEmpty()) {
            segment = newSegment(seal(segment).after());
        }
        runInto(segment, work, elements);
        if (!segment.fitsTransaction() && segment.works().size() > 1) {
            List<Work> before = new ArrayList<>(segment.works());
            before.remove(before.size() - 1);
            Segment prefix = replay(segment.base(), before);
            segment = newSegment(seal(prefix).after());
            runInto(segment, work, null);
        }
    }

    /** The units of all that ran, in the order in which they must commit. */
    List<Unit> units() throws RecordFailure {
        try {
            return sealedUnits();
        } catch (TimerFailure failure) {
            // Timers run before records, so there is a record behind them in a run over records.
            throw RecordFailure.ofTimer(lastPosition(), key, failure);
        }
    }

    /** Fires the due timers, without a record behind them, and gives their units. */
    List<Unit> unitsOfTimers() throws TimerFailure {
        try {
            fireTimers();
            return sealedUnits();
        } catch (RecordFailure failure) {
            throw new IllegalStateException("no record runs", failure);
        }
    }

    private List<Unit> sealedUnits() throws RecordFailure, TimerFailure {
        if (!segment.isEmpty()) {
            seal(segment);
        }
        return sealed;
    }

    private Position lastPosition() {
        return segment.works().stream()
                .filter(Work.OfRecord.class::isInstance)
                .map(work -> ((Work.OfRecord) work).input().position())
                .findFirst()
                .orElseThrow();
    }

    private Unit seal(Segment full) throws RecordFailure, TimerFailure {
        try {
            Unit unit = engine.seal(full);
            sealed.add(unit);
            return unit;
        } catch (Throwable e) {
            RecordFailure.throwIfNotOfRecord(e);
            if (full.works().size() > 1) {
                return sealEach(full);
            }
            Work work = full.works().get(0);
            if (work instanceof Work.OfTimer timer) {
                throw new TimerFailure(timer.timer(), e);
            }
            throw engine.failure(((Work.OfRecord) work).input().position(), key, e);
        }
    }

    /** Seals each record and timer alone, so that the one that cannot be stored is found and named. */
    private Unit sealEach(Segment full) throws RecordFailure, TimerFailure {
        Cell cell = full.base();
        Unit unit = null;
        for (Work work : full.works()) {
            unit = seal(replay(cell, List.of(work)));
            cell = unit.after();
        }
        return Objects.requireNonNull(unit);
    }

    private Segment replay(Cell base, List<Work> works) throws RecordFailure, TimerFailure {
        Segment replayed = newSegment(base);
        for (Work work : works) {
            runInto(replayed, work, null);
        }
        return replayed;
    }

    /** Runs one timer or record, decoded afresh if its elements are not given; a condemned one meets no user code at all. */
    private void runInto(Segment target, Work work, @Nullable List<RoutedRecord.Element> elements)
            throws RecordFailure, TimerFailure {
        if (work instanceof Work.OfTimer timer) {
            target.add(work, engine.fireTimer(target, key, timer.timer()));
            return;
        }
        InputRecord record = ((Work.OfRecord) work).input();
        DeadLetter deadLetter = deadLetterOf(record);
        if (deadLetter != null) {
            target.add(record, deadLetter);
            return;
        }
        List<RoutedRecord.Element> fresh = elements == null ? engine.elementsOf(record, key) : elements;
        target.add(work, engine.runFunction(target, key, record, fresh));
    }

    private @Nullable DeadLetter deadLetterOf(InputRecord record) {
        return engine.deadLetter(condemned, Objects.requireNonNull(lane), record, key);
    }
}
