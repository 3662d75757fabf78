package io.millrace.aws.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.MillraceException;
import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.DeadLetter;
import io.millrace.internal.engine.StageEngine;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.engine.TimerFailure;
import io.millrace.internal.engine.Unit;
import io.millrace.internal.engine.UnreadableStateException;
import io.millrace.internal.plan.KeyedStagePlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires the due timers of cells and commits what comes of it, by the stage's error policy. All timers of a cell fire
 * together; if that does not work they fire one by one, so that what fails is found, counted in its cell and, when its
 * attempts are used up, given up: its dead letter commits with the cell that loses the timer. Used by the thread that runs
 * the stage's code, except for {@link #commit}.
 */
final class TimerRun {
    private static final Logger LOG = LoggerFactory.getLogger(TimerRun.class);

    private static final String KILLED = "The process died or hung while this timer fired alone.";

    private final StageEngine engine;
    private final CellTable cells;
    private final UnitCommit commit;
    private final DueTimes dueTimes;
    private final Surroundings surroundings;

    TimerRun(StageEngine engine, CellTable cells, UnitCommit commit, DueTimes dueTimes, Surroundings surroundings) {
        this.engine = engine;
        this.cells = cells;
        this.commit = commit;
        this.dueTimes = dueTimes;
        this.surroundings = surroundings;
    }

    /** What became of the due timers of a cell. */
    enum End {
        /** All have fired, or were given up. */
        DONE,
        /** One failed and is tried again; those behind it wait for it. */
        FAILED,
        /** Another writer came first, or there was no time: whoever comes next sees what is left. */
        SKIPPED
    }

    /**
     * What became of the due timers of a cell.
     *
     * @param failure of the last timer that failed; null if none did
     */
    record Result(End end, @Nullable TimerFailure failure) {}

    /** Asked before a timer fires alone; false if it may not. */
    @FunctionalInterface
    interface Permission {
        boolean toFire(Timer timer, int attempts);
    }

    /**
     * A cell whose due timers have fired in memory.
     *
     * @param isWhole whether none of them failed
     */
    record Fired(Cell cell, List<Unit> units, boolean isWhole) {
        boolean hasNothing() {
            return isWhole && units.isEmpty();
        }
    }

    /**
     * How far the units of a cell are committed.
     *
     * @param cell the cell as it is now, as far as it is known
     * @param stoppedBy why the next unit is not; null if there is none
     */
    record Progress(
            Cell cell, List<Unit> committed, @Nullable CommitOutcome stoppedBy) {}

    /** The cells of these keys in the table; those that are not there, or that the code cannot read, are left out. */
    Map<String, Cell> load(long generation, List<String> partitionKeys, BatchReport report) {
        Map<String, Cell> loaded = new HashMap<>();
        for (ObjectNode item : cells.items(partitionKeys)) {
            String partitionKey = item.path(CellItems.PARTITION_KEY).asText();
            try {
                loaded.put(partitionKey, cells.cellOf(plan().uid(), generation, item));
            } catch (MillraceException e) {
                noteUnreadable(partitionKey, e, report);
            }
        }
        return loaded;
    }

    /** The cell of a key. */
    Cell load(long generation, String key) {
        return Objects.requireNonNull(
                cells.load(plan().uid(), generation, List.of(key)).get(key));
    }

    private KeyedStagePlan plan() {
        return engine.plan();
    }

    /** Fires all due timers of a cell in memory. */
    Fired fire(Cell cell, StageTime time, BatchReport report) {
        try {
            return new Fired(cell, engine.fireTimers(cell, time), true);
        } catch (TimerFailure failure) {
            return new Fired(cell, List.of(), false);
        } catch (UnreadableStateException e) {
            noteUnreadable(CellItems.partitionKey(cell.key()), e, report);
            return new Fired(cell, List.of(), true);
        }
    }

    /** Commits units of a cell, each built on the one before. May run on any thread. */
    Progress commit(Fired fired) {
        Cell cell = fired.cell();
        List<Unit> committed = new ArrayList<>();
        for (Unit unit : fired.units()) {
            CommitOutcome outcome = commitUntilKnown(unit);
            if (!isDone(outcome)) {
                return new Progress(cell, committed, outcome);
            }
            committed.add(unit);
            cell = unit.after();
        }
        return new Progress(cell, committed, null);
    }

    /** Counts what is committed of a cell, and fires what is left of it one by one if its timers do not fire together. */
    Result conclude(Fired fired, Progress progress, StageTime time, Deadline deadline, BatchReport report) {
        progress.committed().forEach(unit -> KeyedWork.count(unit, report));
        if (!fired.isWhole() || progress.stoppedBy() instanceof CommitOutcome.Permanent) {
            return fireOneByOne(progress.cell(), time, deadline, (timer, attempts) -> true, report);
        }
        dueTimes.note(progress.cell());
        if (progress.stoppedBy() == null) {
            return new Result(End.DONE, null);
        }
        countSkipped(progress.stoppedBy(), report);
        return new Result(End.SKIPPED, null);
    }

    /**
     * Does what the policy says of a key's timer that threw before a record: its due timers fire once more, one by one.
     *
     * @return whether none is left, so that the record can be run
     */
    boolean settle(long generation, String key, StageTime time, Deadline deadline, BatchReport report) {
        Result result = fireOneByOne(load(generation, key), time, deadline, (timer, attempts) -> true, report);
        return result.end() == End.DONE;
    }

    /** Fires the due timers of a cell, each in a unit of its own. */
    Result fireOneByOne(Cell cell, StageTime time, Deadline deadline, Permission permission, BatchReport report) {
        Cell now = cell;
        TimerFailure failure = null;
        for (Timer timer : engine.dueTimers(cell, time)) {
            if (!now.time().timers().containsKey(timer)) {
                continue;
            }
            if (deadline.isNear() || !permission.toFire(timer, now.time().attempts(timer))) {
                dueTimes.note(now);
                return new Result(End.SKIPPED, failure);
            }
            Attempt attempt = attempt(now, timer, time, report);
            failure = attempt.failure() == null ? failure : attempt.failure();
            now = attempt.after();
            if (attempt.end() != End.DONE) {
                return new Result(attempt.end(), failure);
            }
        }
        dueTimes.note(now);
        return new Result(End.DONE, failure);
    }

    private record Attempt(Cell after, End end, @Nullable TimerFailure failure) {}

    private Attempt attempt(Cell cell, Timer timer, StageTime time, BatchReport report) {
        try {
            Unit unit = engine.fireTimer(cell, time, timer);
            CommitOutcome outcome = commitUntilKnown(unit);
            if (outcome instanceof CommitOutcome.Permanent permanent) {
                return failed(cell, timer, new TimerFailure(timer, permanent.cause()), true, report);
            }
            return ended(cell, unit, outcome, End.DONE, null, report);
        } catch (TimerFailure failure) {
            return failed(cell, timer, failure, failure.isPermanent(), report);
        } catch (UnreadableStateException e) {
            noteUnreadable(CellItems.partitionKey(cell.key()), e, report);
            return new Attempt(cell, End.FAILED, null);
        }
    }

    /** Counts a failure in the cell, or gives the timer up. */
    private Attempt failed(Cell cell, Timer timer, TimerFailure failure, boolean permanent, BatchReport report) {
        int attempts = cell.time().attempts(timer) + 1;
        report.add(Count.TIMER_FAILURES, 1);
        report.setFailure(failure.getCause());
        logFailure(cell, timer, failure, attempts);
        String error = String.valueOf(failure.getCause());
        boolean givenUp = isGivenUp(attempts, permanent);
        Unit unit = unitOfFailure(cell, timer, error, attempts, givenUp);
        return ended(cell, unit, commitUntilKnown(unit), givenUp ? End.DONE : End.FAILED, failure, report);
    }

    private Attempt ended(
            Cell before,
            Unit unit,
            CommitOutcome outcome,
            End end,
            @Nullable TimerFailure failure,
            BatchReport report) {
        if (isDone(outcome)) {
            KeyedWork.count(unit, report);
            return new Attempt(unit.after(), end, failure);
        }
        countSkipped(outcome, report);
        dueTimes.note(before);
        return new Attempt(before, End.SKIPPED, failure);
    }

    /**
     * Counts the death of a process in the cell of the timer that fired alone, unless that is counted already or the timer has
     * fired all the same.
     *
     * @return whether the timer is still to be tried
     */
    boolean countDeath(Cell cell, Timer timer, int attemptsBefore, BatchReport report) {
        Integer attempts = cell.time().timers().get(timer);
        if (attempts == null) {
            return false;
        }
        if (attempts != attemptsBefore) {
            return true;
        }
        boolean givenUp = isGivenUp(attempts + 1, false);
        Unit unit = unitOfFailure(cell, timer, KILLED, attempts + 1, givenUp);
        report.add(Count.TIMER_FAILURES, 1);
        if (isDone(commitUntilKnown(unit))) {
            KeyedWork.count(unit, report);
            return !givenUp;
        }
        return true;
    }

    private boolean isGivenUp(int attempts, boolean permanent) {
        ErrorPolicy policy = plan().errorPolicy();
        return policy.deadLetters() && (permanent || policy.exhausted(attempts));
    }

    private Unit unitOfFailure(Cell cell, Timer timer, String error, int attempts, boolean givenUp) {
        DeadLetter letter = DeadLetter.ofTimer(
                plan().source().stream(),
                cell.key().key(),
                timer,
                error,
                attempts,
                surroundings.clock().instant());
        return engine.timerFailed(cell, timer, givenUp ? letter : null);
    }

    private CommitOutcome commitUntilKnown(Unit unit) {
        CommitOutcome outcome = CommitOutcomes.untilKnown(new Backoff(surroundings), () -> commit.commit(unit));
        if (outcome instanceof CommitOutcome.Refused refused) {
            throw refused.cause();
        }
        return outcome;
    }

    private static boolean isDone(CommitOutcome outcome) {
        return outcome instanceof CommitOutcome.Committed || outcome instanceof CommitOutcome.AlreadyCommitted;
    }

    private static void countSkipped(CommitOutcome outcome, BatchReport report) {
        report.add(outcome instanceof CommitOutcome.Conflict ? Count.CONFLICTS : Count.RETRIES, 1);
    }

    /** Neither the key nor what an exception says: both may quote user data. The dead letter has it all. */
    private void logFailure(Cell cell, Timer timer, TimerFailure failure, int attempts) {
        Throwable cause = failure.getCause();
        StackTraceElement[] stack = cause == null ? new StackTraceElement[0] : cause.getStackTrace();
        LOG.atWarn()
                .addKeyValue("stage", plan().uid())
                .addKeyValue("keyHash", CellItems.sha256(cell.key().key()))
                .addKeyValue("timeDomain", timer.domain())
                .addKeyValue("time", timer.time())
                .addKeyValue("attempts", attempts)
                .addKeyValue("errorType", cause == null ? "" : cause.getClass().getName())
                .addKeyValue("thrownAt", stack.length == 0 ? "" : stack[0].toString())
                .log("A timer failed.");
    }

    private void noteUnreadable(String partitionKey, MillraceException cause, BatchReport report) {
        report.add(Count.TIMER_FAILURES, 1);
        report.setFailure(cause);
        LOG.atWarn()
                .addKeyValue("stage", plan().uid())
                .addKeyValue("itemHash", CellItems.sha256(partitionKey))
                .addKeyValue("errorType", cause.getClass().getName())
                .log("A cell with due timers cannot be read, and is left as it is.");
    }
}
