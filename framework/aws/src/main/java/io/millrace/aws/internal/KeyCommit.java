package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.internal.engine.Unit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The commit of one key's units, one after the other, each built on the one before. It waits out throttling, and stops
 * at the first unit that another writer came before. For one thread, and read by others when it has run.
 */
final class KeyCommit {
    private final StageRuntime runtime;
    private final String key;
    private final List<Unit> units;
    private final Deadline deadline;
    private final Runnable onDelay;
    private @Nullable Position lastCommitted;
    private @Nullable RecordFailure refusedUnit;
    private int refusedRecords;
    private int committedUnits;
    private int conflicts;
    private int retries;
    private int repetitions;
    private int rows;
    private int deadLetters;
    private int cellBytes;
    private int fenceBytes;

    KeyCommit(StageRuntime runtime, String key, List<Unit> units, Deadline deadline, Runnable onDelay) {
        this.runtime = runtime;
        this.key = key;
        this.units = units;
        this.deadline = deadline;
        this.onDelay = onDelay;
    }

    KeyCommit run() {
        for (Unit unit : units) {
            CommitOutcome outcome = commitUntilKnown(unit);
            if (outcome instanceof CommitOutcome.Committed) {
                noteCommitted(unit);
                continue;
            }
            if (outcome instanceof CommitOutcome.AlreadyCommitted) {
                lastCommitted = unit.last();
            } else if (outcome instanceof CommitOutcome.Conflict) {
                conflicts++;
            } else if (outcome instanceof CommitOutcome.Permanent permanent) {
                refusedUnit = new RecordFailure(RecordFailure.Kind.UNACCEPTABLE, unit.last(), key, permanent.cause());
                refusedRecords = unit.records();
            } else if (outcome instanceof CommitOutcome.Refused refused) {
                throw refused.cause();
            }
            break;
        }
        return this;
    }

    /** A lost answer is followed by the same write, whose condition then tells; so is a throttle, after a wait. */
    private CommitOutcome commitUntilKnown(Unit unit) {
        Backoff backoff = new Backoff(runtime.surroundings);
        CommitOutcome outcome = runtime.commit.commit(unit);
        for (int attempt = 1; attempt < Backoff.ATTEMPTS_MAX && isToBeRepeated(outcome); attempt++) {
            if (deadline.isNear()) {
                break;
            }
            retries++;
            onDelay.run();
            backoff.await(attempt);
            outcome = runtime.commit.commit(unit);
        }
        return outcome;
    }

    private static boolean isToBeRepeated(CommitOutcome outcome) {
        return outcome instanceof CommitOutcome.Throttled || outcome instanceof CommitOutcome.Unknown;
    }

    private void noteCommitted(Unit unit) {
        lastCommitted = unit.last();
        committedUnits++;
        repetitions += unit.repetitions();
        rows += unit.rows().size();
        deadLetters += unit.deadLetters().size();
        cellBytes = Math.max(cellBytes, unit.cellBytes());
        fenceBytes = Math.max(fenceBytes, unit.fenceBytes());
    }

    String key() {
        return key;
    }

    /** Whether all units are committed. */
    boolean isDone() {
        return units.get(units.size() - 1).last().equals(lastCommitted);
    }

    /** The last record that is known to be committed. */
    @Nullable
    Position lastCommitted() {
        return lastCommitted;
    }

    /** The failure of the last record of a unit that DynamoDB can never take, or null. */
    @Nullable
    RecordFailure refusedUnit() {
        return refusedUnit;
    }

    /** How many records are in the refused unit. */
    int refusedRecords() {
        return refusedRecords;
    }

    void addTo(BatchReport report) {
        report.add(Count.CELL_WRITES, committedUnits);
        report.add(Count.ROW_WRITES, rows);
        report.add(Count.REPETITIONS, repetitions);
        report.add(Count.DEAD_LETTERS, deadLetters);
        report.add(Count.CONFLICTS, conflicts);
        report.add(Count.RETRIES, retries);
        if (committedUnits > 0) {
            new CellSize(key, cellBytes, fenceBytes).addTo(report, runtime.pipeline);
        }
    }
}
