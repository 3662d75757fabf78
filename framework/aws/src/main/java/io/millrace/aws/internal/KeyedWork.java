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
import io.millrace.internal.engine.Unit;
import io.millrace.internal.plan.StagePlan;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
    private final Clock clock;

    /** @param clock tells the time at which time to live is judged */
    KeyedWork(StageEngine engine, CellTable cells, UnitCommit commit, RedriveCommit redrives, Clock clock) {
        this.engine = engine;
        this.cells = cells;
        this.commit = commit;
        this.redrives = redrives;
        this.clock = clock;
    }

    /** A dead letter's record, decoded and divided by key. */
    RoutedRecord route(Redrive redrive) throws RecordFailure {
        return engine.route(redrive.input());
    }

    /** Runs a dead letter's record over the cells of these keys, read anew. */
    List<Unit> redrive(Redrive redrive, RoutedRecord record, long generation, Set<String> keys) throws RecordFailure {
        return engine.redrive(
                redrive, clock.instant(), record, cells.load(engine.plan().uid(), generation, keys));
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
    public Round newRound(Lane lane, long generation, Condemned condemned) {
        return new KeyedRound(lane, generation, condemned);
    }

    private final class KeyedRound implements Round {
        private final Lane lane;
        private final long generation;
        private final Condemned condemned;
        private final List<RoutedRecord> routed = new ArrayList<>();

        KeyedRound(Lane lane, long generation, Condemned condemned) {
            this.lane = lane;
            this.generation = generation;
            this.condemned = condemned;
        }

        @Override
        public Set<String> route(InputRecord record) throws RecordFailure {
            RoutedRecord one = engine.route(record);
            routed.add(one);
            return one.elements().keySet();
        }

        @Override
        public Result run(@Nullable Set<String> only, Set<String> oneRecordWrites, BooleanSupplier outOfTime) {
            Set<String> keys = new LinkedHashSet<>();
            routed.forEach(record -> keys.addAll(record.elements().keySet()));
            if (only != null) {
                keys.retainAll(only);
            }
            Map<String, Cell> loaded = cells.load(engine.plan().uid(), generation, keys);
            RunResult run = engine.run(lane, clock.instant(), routed, loaded, condemned, oneRecordWrites, outOfTime);
            Map<String, List<PendingWrite>> writes = new LinkedHashMap<>();
            run.units()
                    .forEach((key, units) -> writes.put(
                            key,
                            units.stream()
                                    .<PendingWrite>map(unit -> new UnitWrite(commit, unit))
                                    .toList()));
            return new Result(writes, run.failure(), run.stoppedAt(), run.duplicates());
        }
    }

    private record UnitWrite(UnitCommit way, Unit unit) implements PendingWrite {
        @Override
        public CommitOutcome commit() {
            return way.commit(unit);
        }

        @Override
        public Position last() {
            return unit.last();
        }

        @Override
        public int records() {
            return unit.records();
        }

        @Override
        public RecordFailure refused(Exception cause) {
            return new RecordFailure(
                    RecordFailure.Kind.UNACCEPTABLE,
                    unit.last(),
                    unit.before().key().key(),
                    cause);
        }

        @Override
        public Optional<CellSize> cellSize() {
            String key = unit.before().key().key();
            return Optional.of(new CellSize(key, unit.cellBytes(), unit.fenceBytes()));
        }

        @Override
        public void addTo(BatchReport report) {
            report.add(Count.CELL_WRITES, 1);
            report.add(Count.ROW_WRITES, unit.rows().size());
            report.add(Count.REPETITIONS, unit.repetitions());
            report.add(Count.DEAD_LETTERS, unit.deadLetters().size());
        }
    }
}
