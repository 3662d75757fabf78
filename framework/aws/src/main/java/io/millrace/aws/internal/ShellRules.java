package io.millrace.aws.internal;

import io.millrace.ErrorPolicy;
import io.millrace.aws.BatchReport;
import io.millrace.internal.engine.Condemned;
import io.millrace.internal.engine.DeadLetter;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.internal.engine.RowUnit;
import io.millrace.internal.engine.Unit;
import io.millrace.internal.item.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.Update;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;

/**
 * The rules of the protocol page that the shell follows, each a method, so that a simulation can show what follows when
 * one of them is broken. Nothing that is deployed follows others. Thread-safe.
 */
public class ShellRules {
    /** The protocol's own rules. */
    public static final ShellRules PROTOCOL = new ShellRules();

    /**
     * How often the process must have died before a record's keys were noted until they count as unknowable. More than
     * once, since it can have died for another reason just there, and parts of the record may be committed.
     */
    private static final int UNKEYED_ATTEMPTS_MIN = 3;

    /** How long after the stream's retention a tombstone stays: nothing can deliver its records by then. */
    private static final Duration TOMBSTONE_MARGIN = Duration.ofDays(1);

    /** How long a closed dead letter stays beyond the stream's retention. */
    private static final Duration CLOSED_MARGIN = Duration.ofDays(7);

    /** How long a cell keeps a redrive beyond the expiry of its row. */
    private static final Duration REDRIVE_MARGIN = Duration.ofDays(1);

    ShellRules() {}

    /** A lane is a shard of one stream; fences tell streams apart by their index among the pipeline's sources. */
    Lane lane(PipelineControl control, String stream, String shardId) {
        return new Lane(control.sources().indexOf(stream), stream, shardId);
    }

    /** What lies at or below the lane's cursor is committed, and is dropped. */
    boolean isCommitted(LaneRecord lane, Position position) {
        return lane.covers(position);
    }

    /**
     * No record is missing if the first one that the stream shows behind the cursor, or at the lane's beginning, is the
     * batch's first.
     */
    boolean isContiguous(@Nullable Position cursor, Position first, Optional<Position> found) {
        return found.isPresent() && found.get().equals(first);
    }

    /**
     * A cursor can lie inside an aggregate, which is done when its last user record is: the first one above the cursor is
     * the lane's first record behind it.
     *
     * @param aggregate the records of the lane in the Kinesis record that the cursor lies in
     */
    Optional<Position> firstBehindInside(Position cursor, List<InputRecord> aggregate) {
        return aggregate.stream()
                .map(InputRecord::position)
                .filter(position -> position.compareTo(cursor) > 0)
                .findFirst();
    }

    /** The lanes are all known if the item that discovery writes last names those that are there, no more and no fewer. */
    boolean isComplete(@Nullable Set<String> complete, Set<String> shardIds) {
        return shardIds.equals(complete);
    }

    /**
     * A lane counts for the stage's watermark from its discovery on, before it has spoken. A finished one counts as long as
     * not all its children are in the same view.
     */
    boolean counts(LaneView view, LaneRecord lane) {
        return !lane.lineage().finished() || !view.holds(lane.lineage().children());
    }

    /** The stage's watermark only rises. */
    long raisedWatermark(long before, long found) {
        return Math.max(before, found);
    }

    /** A lane is finished if the stream shows that nothing can come behind its cursor. */
    boolean isFinished(LaneTail tail) {
        return tail.isOver();
    }

    /** A child's batch may begin when its parent is proven finished; that the child speaks proves nothing. */
    LaneEnding.@Nullable Unfinished unfinished(LaneEnding ending, String parent, ShardList shards, BatchReport report) {
        return ending.finish(parent, shards, report);
    }

    /** Going on without the last records of a closed shard leaves a dead letter that names the range. */
    void recordLostEnd(
            DeadLetterTable deadLetters,
            Lane lane,
            @Nullable Position cursor,
            Position first,
            String stage,
            long generation) {
        deadLetters.putLostEnd(lane, cursor, first, stage, generation);
    }

    /** What is late is decided on the watermark of the stage: another lane can be behind, and its records are on time. */
    long watermark(LaneRecord own, long ofStage) {
        return ofStage;
    }

    /** The watermark of records is stored when they are committed, and not before: what is not committed closes no window. */
    void beforeCommits(LaneSession session, long watermark) {}

    /** A lane's children have their records, with its watermark, before it is marked as finished. */
    boolean finish(Runnable prepareChildren, BooleanSupplier markFinished) {
        prepareChildren.run();
        return markFinished.getAsBoolean();
    }

    /** A read has reached the tip if its answer is empty and not behind; an empty one short of the tip proves nothing. */
    boolean isAtTip(GetRecordsResponse answer) {
        Long behindMillis = answer.millisBehindLatest();
        return answer.records().isEmpty() && (behindMillis == null || behindMillis == 0);
    }

    /** Going on over a gap leaves a dead letter that names the range. */
    void recordGap(
            DeadLetterTable deadLetters,
            Lane lane,
            @Nullable Position cursor,
            Position first,
            String stage,
            long generation) {
        deadLetters.putGap(lane, cursor, first, stage, generation);
    }

    /** A record that is tried alone, or whose batch was begun too often without an end, is run alone. */
    boolean mustRunAlone(LaneRecord lane, Position position) {
        return lane.mustRunAlone(position);
    }

    /** An attempt is counted before any user code runs, for the record that is alone and for no other. */
    LaneRecord begunAlone(LaneRecord lane, Position position, String topology) {
        return lane.beginAlone(position, topology);
    }

    /** How often a record that runs alone was tried: the running attempt is counted already. */
    int attemptsOf(LaneRecord lane, Position position) {
        return lane.attemptsOf(position);
    }

    /** An attempt is taken back when it ends without a verdict on the record. */
    LaneRecord released(LaneRecord lane, Position position) {
        return lane.attemptReleased(position);
    }

    /**
     * A record that runs alone meets the stage's function when it is noted that its keys could be computed, which is
     * refused once it is decided that it becomes a dead letter without them.
     */
    boolean mayRunKeyed(LaneSession session, Position position) {
        session.update(lane -> lane.keyed(position));
        return session.record().mayRunAlone(position);
    }

    /**
     * Whether the process died in the last attempt that the policy allows; attempts that ended tell why they failed. One
     * whose keys were never noted has some more.
     */
    boolean isGivenUp(LaneRecord.AloneRecord alone, ErrorPolicy policy) {
        boolean exhausted = alone.open() && policy.exhausted(alone.attempts());
        return alone.keyless() || (exhausted && (alone.keyed() || alone.attempts() >= UNKEYED_ATTEMPTS_MIN));
    }

    /**
     * In a stage without state a dead letter stands for itself, and parts of the record may be committed: so one more death
     * must be no accident, whether or not its rows could be computed.
     */
    boolean isGivenUpWithoutCells(LaneRecord.AloneRecord alone, ErrorPolicy policy) {
        boolean exhausted = alone.open() && policy.exhausted(alone.attempts());
        return alone.keyless() || (exhausted && alone.attempts() >= UNKEYED_ATTEMPTS_MIN);
    }

    /** A failure condemns the failed key's part of a record; all of the record if no key is known. */
    void condemn(Condemned condemned, RecordFailure failure, int attempts) {
        condemned.add(failure, attempts);
    }

    /** The lane is advanced over what is committed, and when it is committed. */
    ChunkResult commitAndAdvance(ChunkRun chunk, Consumer<ChunkResult> advance) {
        ChunkResult result = chunk.run();
        advance.accept(result);
        return result;
    }

    /** A dead letter without a cell is put in the transaction that moves the cursor past its record. */
    void advance(LaneSession session, InputRecord last, long watermark, List<DeadLetter> letters) {
        session.update(lane -> advanced(lane, last, watermark), letters);
    }

    /**
     * A record whose keys cannot be computed becomes a dead letter without them, in the transaction that moves the cursor
     * past it, unless another attempt has noted meanwhile that it knows them: it may commit parts of the record.
     */
    void advanceWithoutKeys(
            LaneSession session, InputRecord record, long watermark, DeadLetter letter, int givingUpsMax) {
        session.update(
                lane -> lane.mayBeKeyless(record.position(), givingUpsMax) ? advanced(lane, record, watermark) : lane,
                List.of(letter));
    }

    /** Cursor and watermark rise together, in one compare-and-set, and never go back. */
    LaneRecord advanced(LaneRecord lane, InputRecord last, long watermark) {
        return lane.advancedTo(last.position(), last.arrival(), watermark);
    }

    /** The first record that is not done is returned to Lambda, so that nothing from it on counts as done. */
    Optional<Position> batchItemFailure(Position firstUndone) {
        return Optional.of(firstUndone);
    }

    /** A unit is one write: a cell alone is a put, one with rows or dead letters is a transaction with them. */
    void write(UnitCommit commit, Unit unit) {
        if (unit.rows().isEmpty() && unit.deadLetters().isEmpty()) {
            commit.putCell(unit);
        } else {
            commit.transact(unit);
        }
    }

    /** A cell is written if it has the version that was read, and its fence is below the unit's last record. */
    CellCondition cellCondition(Unit unit) {
        return unit.progress() == null
                ? timersCondition(unit)
                : CellCondition.fenceBelowLastOf(unit).andVersion(unit.before().version());
    }

    /** A unit of timers alone is written if its cell has the version that was read: of two sweeps that meet one commits. */
    CellCondition timersCondition(Unit unit) {
        return CellCondition.versionBefore(unit);
    }

    /** Every write of a row asks that no newer generation has written it. */
    RowExpression rowCondition(RowExpression expression, long generation) {
        return expression.andGenerationUpTo(generation);
    }

    /**
     * A row of a stage without state is written if it has the version that was read, no newer generation has written it, and
     * its lane's entry of the fence is below the last record, or of an older generation.
     */
    RowExpression fencedRowCondition(RowExpression expression, RowUnit unit, long generation) {
        return expression
                .andGenerationUpTo(generation)
                .andVersion(unit.before().version())
                .andFenceBelow(unit.lane(), unit.last(), generation);
    }

    /** An invocation that meets a row of a newer generation began before a restore, and stops. */
    boolean isSuperseded(long writtenBy, long generation) {
        return writtenBy > generation;
    }

    /** A row that is put is stored as it is; one that is deleted leaves a stub, so that its generation holds on. */
    Map<String, AttributeValue> storedRow(RowWrites writes, Row row, long generation, String stream) {
        return row.action() == Row.Action.DELETE
                ? writes.stubItem(row, generation, stream)
                : writes.putItem(row, generation);
    }

    /** What a set takes away of the stub of a deleted row: it is a row again, and does not expire. */
    List<String> stubMarkers() {
        return List.of(Row.DELETED, Row.TIME_TO_LIVE);
    }

    /**
     * A tombstone stays until nothing can deliver its records any more, counted from its write, or from when the last of
     * its state expires if that is later.
     */
    Instant tombstoneExpiry(Instant from, Duration retention) {
        return from.plus(retention).plus(TOMBSTONE_MARGIN);
    }

    /** A tombstone stays as long as the redrives in it may not be forgotten, too; null for none. */
    Instant tombstoneExpiry(Instant now, Duration retention, @Nullable Instant lastRedriveExpiry) {
        Instant expiry = tombstoneExpiry(now, retention);
        return lastRedriveExpiry == null || lastRedriveExpiry.isBefore(expiry) ? expiry : lastRedriveExpiry;
    }

    /** A dead letter that is there stays as it is: putting it again would open one that is closed. */
    void putOnce(PutItemRequest.Builder put) {
        put.conditionExpression("attribute_not_exists(#k)").expressionAttributeNames(Map.of("#k", "pk"));
    }

    /** A redrive is one transaction: the dead letter is closed together with the cells that absorb its record. */
    void writeRedrive(RedriveCommit commit, Update closing, List<Unit> absorbed) {
        commit.transact(closing, absorbed);
    }

    /** A dead letter is closed only while it is open. */
    String isOpen() {
        return DeadLetterRows.IS_OPEN;
    }

    /** A cell absorbs a redrive if it has the version that was read; its fence is not asked. */
    CellCondition redriveCondition(Unit unit) {
        return CellCondition.versionBefore(unit);
    }

    /** A closed dead letter stays until nothing can put it again or restore its cell from before, and a week. */
    Instant closedExpiry(Instant now, Duration retention) {
        return now.plus(retention).plus(CLOSED_MARGIN);
    }

    /** A cell keeps a redrive as long as the row lives, and longer than clocks differ. */
    Instant redriveExpiry(Instant rowExpiry) {
        return rowExpiry.plus(REDRIVE_MARGIN);
    }

    /**
     * A lane is idle if it was proven empty and its last record, or its discovery if it has none, came long enough before the
     * proof. Silence alone proves nothing: the lane can be behind.
     *
     * @param provenEmptyAt up to when the stream was seen to hold nothing behind the cursor; null without that proof
     * @param now when the lane's record was read
     */
    boolean isIdle(LaneRecord lane, @Nullable Instant provenEmptyAt, Instant now, Duration timeout) {
        return provenEmptyAt != null && isSilent(lane, provenEmptyAt, timeout);
    }

    /** Whether a lane's last record, or its discovery if it has none, came long enough before a time. */
    static boolean isSilent(LaneRecord lane, Instant at, Duration timeout) {
        Instant last = lane.lastArrival() == null ? lane.lineage().discovered() : lane.lastArrival();
        return last != null && Duration.between(last, at).compareTo(timeout) >= 0;
    }

    /** An idle lane's own stored watermark is raised, so that no watermark ever goes back when the lane wakes. */
    LaneRecord idled(LaneRecord lane, long watermark) {
        return lane.withWatermark(watermark);
    }

    /**
     * A failed condition is a question: it was this very write, applied before, if the old item shows it, else a conflict.
     * Each cancellation reason has a meaning of its own.
     */
    CommitOutcome outcomeOf(RuntimeException thrown, Predicate<Map<String, AttributeValue>> isOwn) {
        return CommitOutcomes.of(thrown, isOwn);
    }

    /** A change of the lane's record is a compare-and-set on the version that was read; null for a record not there. */
    void compareAndSet(PutItemRequest.Builder put, @Nullable String versionRead) {
        ConditionalPut.compareAndSet(put, versionRead);
    }
}
