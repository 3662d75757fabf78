package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Condemned;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.internal.engine.RowEngine;
import io.millrace.internal.engine.RowRecord;
import io.millrace.internal.engine.RowRunResult;
import io.millrace.internal.engine.RowUnit;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.engine.StoredRow;
import io.millrace.internal.item.Row;
import io.millrace.internal.plan.StagePlan;
import io.millrace.time.WatermarkStrategy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The work of a stage without state: records become changes of rows, and each row is a write with its own fence. */
final class RowWork implements StageWork {
    private final RowEngine engine;
    private final RowTable rows;
    private final FencedRowCommit commit;

    RowWork(RowEngine engine, RowTable rows, FencedRowCommit commit) {
        this.engine = engine;
        this.rows = rows;
        this.commit = commit;
    }

    @Override
    public StagePlan plan() {
        return engine.plan();
    }

    /** What is given up has no cell, and which rows it has nobody may know: its dead letter stands for itself. */
    @Override
    public boolean hasCells() {
        return false;
    }

    @Override
    public Round newRound(Lane lane, long generation, StageTime time, Condemned condemned) {
        return new RowRound(lane, generation);
    }

    private final class RowRound implements Round {
        private final Lane lane;
        private final long generation;
        private final List<RowRecord> routed = new ArrayList<>();

        RowRound(Lane lane, long generation) {
            this.lane = lane;
            this.generation = generation;
        }

        @Override
        public Routed route(InputRecord record) throws RecordFailure {
            RowRecord one = engine.route(record);
            routed.add(one);
            return new Routed(one.rows().keySet(), WatermarkStrategy.NO_WATERMARK, 0);
        }

        /** All user code has run when the records were routed, so there is nothing to stop for want of time. */
        @Override
        public Result run(@Nullable Set<String> only, Set<String> oneRecordWrites, BooleanSupplier outOfTime) {
            Map<String, Row> wanted = new LinkedHashMap<>();
            for (RowRecord record : routed) {
                record.rows().forEach((key, row) -> {
                    if (only == null || only.contains(key)) {
                        wanted.putIfAbsent(key, row);
                    }
                });
            }
            Map<String, StoredRow> stored = rows.load(wanted, generation);
            RowRunResult run = engine.run(lane, routed, stored, oneRecordWrites);
            Map<String, List<PendingWrite>> writes = new LinkedHashMap<>();
            run.units()
                    .forEach((key, units) -> writes.put(
                            key,
                            units.stream()
                                    .<PendingWrite>map(unit -> new RowWrite(commit, unit, generation))
                                    .toList()));
            return new Result(writes, run.failure(), null, run.duplicates());
        }
    }

    private record RowWrite(FencedRowCommit way, RowUnit unit, long generation) implements PendingWrite {
        @Override
        public CommitOutcome commit() {
            return way.commit(unit, generation);
        }

        @Override
        public Position last() {
            return unit.last();
        }

        @Override
        public int works() {
            return unit.records();
        }

        @Override
        public RecordFailure refused(Exception cause) {
            return new RecordFailure(RecordFailure.Kind.UNACCEPTABLE, unit.last(), null, cause);
        }

        @Override
        public Optional<CellSize> cellSize() {
            return Optional.empty();
        }

        @Override
        public void addTo(BatchReport report) {
            report.add(Count.ROW_WRITES, 1);
        }
    }
}
