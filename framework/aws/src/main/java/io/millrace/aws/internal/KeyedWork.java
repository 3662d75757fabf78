package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.Condemned;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.internal.engine.Redrive;
import io.millrace.internal.engine.RoutedRecord;
import io.millrace.internal.engine.RunResult;
import io.millrace.internal.engine.StageEngine;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.engine.TimerFailure;
import io.millrace.internal.engine.Unit;
import io.millrace.internal.plan.StagePlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.Update;

/** The work of a stage with state: records run over cells, and each unit is a cell with its rows and dead letters. */
final class KeyedWork implements StageWork {
    private final StageEngine engine;
    private final CellTable cells;
    private final UnitCommit commit;
    private final RedriveCommit redrives;
    final DueTimes dueTimes = new DueTimes();
    final TimerRun timers;

    /** @param surroundings tell the time at which time to live is judged */
    KeyedWork(
            StageEngine engine, CellTable cells, UnitCommit commit, RedriveCommit redrives, Surroundings surroundings) {
        this.engine = engine;
        this.cells = cells;
        this.commit = commit;
        this.redrives = redrives;
        this.timers = new TimerRun(engine, cells, commit, dueTimes, surroundings);
    }

    /** The unit that registers a timer again which had become a dead letter. */
    List<Unit> registerAgain(Timer timer, String key, long generation) {
        Cell cell = Objects.requireNonNull(
                cells.load(engine.plan().uid(), generation, Set.of(key)).get(key));
        return List.of(engine.timerRegistered(cell, timer));
    }

    /** A dead letter's record, decoded and divided by key. */
    RoutedRecord route(Redrive redrive) throws RecordFailure {
        return engine.route(redrive.input());
    }

    /** Runs a dead letter's record over the cells of these keys, read anew. */
    List<Unit> redrive(Redrive redrive, StageTime time, RoutedRecord record, long generation, Set<String> keys)
            throws RecordFailure {
        return engine.redrive(redrive, time, record, cells.load(engine.plan().uid(), generation, keys));
    }

    /** Tries once to commit a redrive. */
    CommitOutcome commit(Update closing, String nonce, List<Unit> absorbed) {
        return redrives.commit(closing, nonce, absorbed);
    }

    @Override
    public StagePlan plan() {
        return engine.plan();
    }

    @Override
    public boolean hasCells() {
        return true;
    }

    @Override
    public Round newRound(Lane lane, long generation, StageTime time, Condemned condemned) {
        dueTimes.setGeneration(generation);
        return new KeyedRound(lane, generation, time, condemned);
    }

    private final class KeyedRound implements Round {
        private final Lane lane;
        private final long generation;
        private final StageTime time;
        private final Condemned condemned;
        private final List<RoutedRecord> routed = new ArrayList<>();

        KeyedRound(Lane lane, long generation, StageTime time, Condemned condemned) {
            this.lane = lane;
            this.generation = generation;
            this.time = time;
            this.condemned = condemned;
        }

        @Override
        public Routed route(InputRecord record) throws RecordFailure {
            RoutedRecord one = engine.route(record);
            routed.add(one);
            return new Routed(one.elements().keySet(), one.maxTimestamp(), one.futureElements());
        }

        @Override
        public Result run(@Nullable Set<String> only, Set<String> oneRecordWrites, BooleanSupplier outOfTime) {
            Set<String> keys = new LinkedHashSet<>();
            routed.forEach(record -> keys.addAll(record.elements().keySet()));
            if (only != null) {
                keys.retainAll(only);
            }
            Map<String, Cell> loaded = cells.load(engine.plan().uid(), generation, keys);
            RunResult run = engine.run(lane, time, routed, loaded, condemned, oneRecordWrites, outOfTime);
            Map<String, List<PendingWrite>> writes = new LinkedHashMap<>();
            run.units()
                    .forEach((key, units) -> writes.put(
                            key,
                            units.stream()
                                    .<PendingWrite>map(unit -> new UnitWrite(commit, dueTimes, unit, lastOf(units)))
                                    .toList()));
            return new Result(writes, run.failure(), run.stoppedAt(), run.duplicates());
        }
    }

    /** Timers fire before a record of their key, so the last unit of a run over records has one. */
    private static Position lastOf(List<Unit> units) {
        return Objects.requireNonNull(units.get(units.size() - 1).progress()).last();
    }

    /** Counts what a unit wrote. */
    static void count(Unit unit, BatchReport report) {
        report.add(Count.CELL_WRITES, 1);
        report.add(Count.ROW_WRITES, unit.rows().size());
        report.add(Count.REPETITIONS, unit.repetitions());
        report.add(Count.TIMERS, unit.timers().size());
        report.add(Count.LATE, unit.late());
        report.add(Count.DEAD_LETTERS, unit.deadLetters().size());
    }

    /** @param behind the last record of the key that runs, behind the unit if this has only timers */
    private record UnitWrite(UnitCommit way, DueTimes dueTimes, Unit unit, Position behind) implements PendingWrite {
        @Override
        public CommitOutcome commit() {
            return way.commit(unit);
        }

        @Override
        public @Nullable Position last() {
            Unit.Progress progress = unit.progress();
            return progress == null ? null : progress.last();
        }

        @Override
        public int works() {
            return unit.records() + unit.timers().size();
        }

        @Override
        public RecordFailure refused(Exception cause) {
            String key = unit.before().key().key();
            Position last = last();
            return last == null
                    ? RecordFailure.ofTimer(
                            behind, key, new TimerFailure(unit.timers().get(0), cause))
                    : new RecordFailure(RecordFailure.Kind.UNACCEPTABLE, last, key, cause);
        }

        @Override
        public Optional<CellSize> cellSize() {
            String key = unit.before().key().key();
            return Optional.of(new CellSize(key, unit.cellBytes(), unit.fenceBytes()));
        }

        @Override
        public void addTo(BatchReport report) {
            dueTimes.note(unit.after());
            count(unit, report);
        }
    }
}
