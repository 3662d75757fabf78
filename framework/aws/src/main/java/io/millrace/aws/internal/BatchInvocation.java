package io.millrace.aws.internal;

import io.millrace.ErrorPolicy;
import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Condemned;
import io.millrace.internal.engine.DeadLetter;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.engine.Unit;
import io.millrace.internal.item.ItemSize;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.time.WatermarkStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The course of one invocation: one batch of one lane, by the protocol page ("One invocation = one batch of one lane").
 * Records run together; a record that failed before, or whose batch was begun too often without an end, runs alone. For
 * one use by one thread.
 */
public final class BatchInvocation {
    private static final Logger LOG = LoggerFactory.getLogger(BatchInvocation.class);

    /** How often giving up a record whose keys were known may come to no end. */
    private static final int GIVING_UPS_MAX = 3;

    /** How often an invocation goes on behind timers that failed before a record; the next one goes on from there. */
    private static final int SETTLEMENTS_MAX = 100;

    /** How many records run together behind a failed one; doubled with each success, so that failures do not add up. */
    private static final int RECORDS_BEHIND_FAILURE = 16;

    /** How many dead letters are put together with the lane's record, and how large they are. */
    private static final int LETTERS_MAX = Unit.ACTIONS_MAX - 1;

    private static final int LETTERS_BYTES_MAX = ItemSize.TRANSACTION_BYTES_MAX - ItemSize.ITEM_BYTES_MAX;

    private final StageRuntime runtime;
    private final BatchReport report;
    private final Deadline deadline;
    private final Lane lane;
    private final long generation;
    private final LaneSession session;
    private final String topology;
    private final StageLanes lanes;
    private List<InputRecord> rest;
    private boolean begunTogether;
    private boolean hasAdvanced;
    private @Nullable StageTime time;
    private int settlements;
    private boolean fresh;
    private LaneRecord.@Nullable BegunBatch batchBefore;
    private int togetherMax = Integer.MAX_VALUE;

    /** Reads the control item and the lane's record. */
    public BatchInvocation(StageRuntime runtime, LaneBatch batch, Deadline deadline, BatchReport report) {
        String stream = runtime.plan().source().stream();
        PipelineControl control = runtime.control.readWithSource(runtime.pipeline, stream);
        if (control.stopReason() != null) {
            throw ShellErrors.stopped(runtime.pipeline, control.stopReason());
        }
        this.runtime = runtime;
        this.report = report;
        this.deadline = deadline;
        this.generation = control.generation();
        this.lane = runtime.rules.lane(control, stream, batch.shardId());
        this.session = new LaneSession(
                runtime.lanes, runtime.deadLetters, runtime.plan().uid(), generation, lane, runtime.surroundings);
        this.topology = runtime.plan().topology();
        this.lanes = new StageLanes(runtime, control);
        this.rest = batch.records();
        report.add(Count.RECORDS, rest.size());
    }

    /**
     * Processes the batch, then fires what is due elsewhere, and returns the position of the first record that is not done, if
     * there is one.
     */
    public Optional<Position> run() {
        Optional<Position> firstUndone = process();
        sweep();
        return firstUndone;
    }

    /** Its failures fail nothing that is committed, and an invocation that has committed nothing leaves it to others. */
    private void sweep() {
        if (!hasAdvanced || deadline.isNear() || !(runtime.stage instanceof KeyedWork work)) {
            return;
        }
        try {
            new Sweep(runtime, work, generation, lanes.time(), deadline, report).runWhereDue();
        } catch (RuntimeException e) {
            report.add(Count.SWEEP_FAILURES, 1);
            LOG.atError()
                    .addKeyValue("pipeline", runtime.pipeline)
                    .addKeyValue("stage", runtime.plan().uid())
                    .setCause(e)
                    .log("The sweep behind a committed batch failed; the next one does what it left.");
        }
    }

    /** The time that all of the batch sees, however often its records are run again. */
    private StageTime time() {
        if (time == null) {
            StageTime now = lanes.time();
            time = new StageTime(now.clock(), runtime.rules.watermark(session.record(), now.watermark()));
        }
        return time;
    }

    private Optional<Position> process() {
        if (!rest.stream().allMatch(this::isCommitted)) {
            new LaneAdmission(runtime, lanes, report).admit(lane, session);
        }
        boolean startsCommitted = isCommitted(rest.get(0));
        report.add(Count.DUPLICATES, dropCommitted());
        if (rest.isEmpty()) {
            return Optional.empty();
        }
        refuseOtherTopology(session.record(), rest.get(0).position());
        begin(startsCommitted);
        for (boolean begun = true; !rest.isEmpty(); begun = false) {
            if (!begun && deadline.isNear()) {
                return stopAt(rest.get(0).position());
            }
            InputRecord first = rest.get(0);
            Optional<Position> stopped = mustRunAlone(first.position()) ? runAlone(first) : runTogether(begun);
            if (stopped.isPresent()) {
                return runtime.rules.batchItemFailure(stopped.get());
            }
            dropCommitted();
        }
        return Optional.empty();
    }

    /** This invocation's own beginning of the batch does not count against it. */
    private boolean mustRunAlone(Position position) {
        LaneRecord record = session.record();
        return begunTogether ? record.isTriedAlone(position) : runtime.rules.mustRunAlone(record, position);
    }

    private int dropCommitted() {
        int before = rest.size();
        rest = rest.stream().filter(record -> !isCommitted(record)).toList();
        return before - rest.size();
    }

    private boolean isCommitted(InputRecord record) {
        return runtime.rules.isCommitted(session.record(), record.position());
    }

    /** Asked of the record that is about to be changed, too: a twin of other code may have begun the batch just now. */
    private void refuseOtherTopology(LaneRecord record, Position first) {
        String begunBy = record.topologyOf(first);
        if (begunBy != null
                && !begunBy.equals(topology)
                && !runtime.decisions.acceptedTopologies().contains(begunBy)) {
            throw ShellErrors.otherTopology(lane, first, begunBy, topology);
        }
    }

    /** Proves that no record is missing and, side by side, marks the batch as begun before any user code runs. */
    private void begin(boolean startsCommitted) {
        Position first = rest.get(0).position();
        Position cursor = session.record().cursor();
        boolean alone = runtime.rules.mustRunAlone(session.record(), first);
        Callable<Optional<Position>> proof = () -> startsCommitted
                ? Optional.of(first)
                : Optional.ofNullable(runtime.contiguity.firstBehind(lane, cursor));
        Callable<Optional<Position>> marker = () -> {
            if (!alone) {
                beginTogether();
            }
            return Optional.of(first);
        };
        Optional<Position> found = runtime.io.runAll(List.of(proof, marker)).get(0);
        if (!runtime.rules.isContiguous(cursor, first, found)) {
            onGap(cursor, first, found.orElse(null));
        }
    }

    private void beginTogether() {
        begunTogether = true;
        session.update(record -> {
            int from = 0;
            while (from < rest.size() && record.covers(rest.get(from).position())) {
                from++;
            }
            if (from == rest.size()) {
                return record;
            }
            Position first = rest.get(from).position();
            noteBefore(record, first);
            int to = from + Math.min(togetherMax, rest.size() - from);
            return record.begin(first, rest.get(to - 1).position(), topology);
        });
    }

    /** What the lane's record told of a batch before this invocation begins it. */
    private void noteBefore(LaneRecord record, Position first) {
        refuseOtherTopology(record, first);
        batchBefore = record.batch();
        fresh = record.topologyOf(first) == null;
    }

    /** Nothing ran, so the mark of the begun batch is taken back to what it was before, unless a twin has changed it. */
    private void onGap(@Nullable Position cursor, Position first, @Nullable Position found) {
        report.add(Count.GAPS, 1);
        if (runtime.decisions.acceptedGaps().contains(GapDecision.of(lane, cursor, first))) {
            runtime.rules.recordGap(
                    runtime.deadLetters, lane, cursor, first, runtime.plan().uid(), generation);
            report.add(Count.GAPS_ACCEPTED, 1);
            report.add(Count.DEAD_LETTERS, 1);
            return;
        }
        LaneRecord.BegunBatch begun = session.record().batch();
        if (begunTogether) {
            session.update(record -> Objects.equals(record.batch(), begun) ? record.withBatch(batchBefore) : record);
        }
        throw ShellErrors.gap(lane, cursor, first, found);
    }

    private Optional<Position> runTogether(boolean isBegun) {
        if (!isBegun) {
            beginTogether();
        }
        dropCommitted();
        if (rest.isEmpty()) {
            return Optional.empty();
        }
        List<InputRecord> together = rest.subList(0, Math.min(togetherMax, rest.size()));
        ChunkResult result = commitAndAdvance(together, new TogetherHooks());
        togetherMax = result.failure() == null
                ? (int) Math.min(Integer.MAX_VALUE, 2L * togetherMax)
                : Math.min(togetherMax, RECORDS_BEHIND_FAILURE);
        return conclude(together, result, 1);
    }

    private Optional<Position> runAlone(InputRecord record) {
        Position position = record.position();
        report.add(Count.RUN_ALONE, 1);
        LaneRecord.AloneRecord before = session.record().alone();
        if (before != null && before.position().equals(position) && isGivenUp(before)) {
            return giveUpKilled(record);
        }
        session.update(lane -> {
            if (lane.covers(position)) {
                return lane;
            }
            noteBefore(lane, position);
            return runtime.rules.begunAlone(lane, position, topology);
        });
        if (session.record().covers(position)) {
            return Optional.empty();
        }
        int attempts = runtime.rules.attemptsOf(session.record(), position);
        ChunkResult result;
        try {
            result = commitAndAdvance(List.of(record), new AloneHooks(position));
        } catch (RuntimeException e) {
            // Never the record's fault: what its own code throws is a failure of the chunk.
            release(position, e);
            throw e;
        }
        if (result.done() == 0 && result.failure() == null) {
            release(position);
        }
        return conclude(List.of(record), result, attempts);
    }

    private boolean isGivenUp(LaneRecord.AloneRecord alone) {
        ErrorPolicy policy = runtime.plan().errorPolicy();
        return runtime.stage.hasCells()
                ? runtime.rules.isGivenUp(alone, policy)
                : runtime.rules.isGivenUpWithoutCells(alone, policy);
    }

    private void release(Position position) {
        session.update(lane -> runtime.rules.released(lane, position));
    }

    private void release(Position position, RuntimeException cause) {
        try {
            release(position);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** What is done alike for records that run together and alone. */
    private class TogetherHooks implements ChunkRun.Hooks {
        @Override
        public void onRouted(long maxTimestamp) {
            runtime.rules.beforeCommits(session, watermarkOf(maxTimestamp));
        }
    }

    /** Notes of a record that runs alone how far it has come. */
    private final class AloneHooks extends TogetherHooks {
        private final Position position;

        AloneHooks(Position position) {
            this.position = position;
        }

        @Override
        public boolean mayRunKeyed() {
            return runtime.rules.mayRunKeyed(session, position);
        }

        @Override
        public void onDelay() {
            release(position);
        }
    }

    /** The process died or hung in every attempt, so nothing told why. */
    private Optional<Position> giveUpKilled(InputRecord record) {
        Position position = record.position();
        RecordFailure failure = new RecordFailure(RecordFailure.Kind.PROCESS_KILLED, position, null, null);
        int givingUpsMax = runtime.stage.hasCells() ? GIVING_UPS_MAX : 0;
        session.update(lane -> lane.keyless(position, givingUpsMax));
        LaneRecord.AloneRecord alone = session.record().alone();
        if (alone == null || !session.record().isTriedAlone(position)) {
            return stopAt(position);
        }
        if (alone.keyless()) {
            return deadLetterWithoutCell(record, failure, alone.attempts());
        }
        session.update(lane -> lane.givingUp(position));
        Optional<Position> stopped;
        try {
            stopped = deadLetterWithCells(record, failure, alone.attempts());
        } catch (RuntimeException e) {
            session.update(lane -> lane.givingUpReleased(position));
            throw e;
        }
        if (stopped.isPresent()) {
            session.update(lane -> lane.givingUpReleased(position));
        }
        return stopped;
    }

    private ChunkRun chunk(List<InputRecord> records, Condemned condemned, ChunkRun.Hooks hooks) {
        return new ChunkRun(runtime, lane, generation, time(), deadline, report, records, condemned, hooks);
    }

    private ChunkResult commitAndAdvance(List<InputRecord> records, ChunkRun.Hooks hooks) {
        return runtime.rules.commitAndAdvance(
                chunk(records, new Condemned(), hooks), result -> advanceOver(records, result));
    }

    /** Advances the lane over what is done, together with the dead letters of what has no cell. */
    private void advanceOver(List<InputRecord> chunk, ChunkResult result) {
        if (result.done() == 0) {
            return;
        }
        List<InputRecord> done = chunk.subList(0, result.done());
        List<DeadLetter> together = new ArrayList<>();
        int bytes = 0;
        for (DeadLetter letter : lettersOf(done, result.undecodable())) {
            if (together.size() == LETTERS_MAX || bytes + letter.size() > LETTERS_BYTES_MAX) {
                advanceTo(together.get(together.size() - 1).input(), WatermarkStrategy.NO_WATERMARK, together);
                together = new ArrayList<>();
                bytes = 0;
            }
            together.add(letter);
            bytes += letter.size();
        }
        report.add(Count.FUTURE, result.futureElements());
        advanceTo(done.get(done.size() - 1), watermarkOf(result.maxTimestamp()), together);
    }

    private long watermarkOf(long maxTimestamp) {
        return runtime.plan() instanceof KeyedStagePlan keyed && keyed.eventTime() != null
                ? keyed.eventTime().strategy().watermarkOf(maxTimestamp)
                : WatermarkStrategy.NO_WATERMARK;
    }

    /** Decides what becomes of the record behind those that are done. */
    private Optional<Position> conclude(List<InputRecord> chunk, ChunkResult result, int attempts) {
        if (result.done() == chunk.size()) {
            return Optional.empty();
        }
        InputRecord record = chunk.get(result.done());
        RecordFailure failure = result.failure();
        if (failure == null) {
            return stopAt(record.position());
        }
        if (failure.timer() != null) {
            return concludeTimer(record, Objects.requireNonNull(failure.key()));
        }
        report.add(Count.FAILURES, 1);
        report.setFailure(failure.getCause());
        logFailure(failure, attempts);
        Position dirtyTo =
                result.cleanBehind() ? null : chunk.get(chunk.size() - 1).position();
        boolean keyed = failure.key() != null;
        session.update(lane -> lane.failedAt(record.position(), attempts, keyed, dirtyTo, fresh, topology));
        ErrorPolicy policy = policyOf(failure);
        boolean giveUp = policy.deadLetters() && (failure.isPermanent() || policy.exhausted(attempts));
        if (!giveUp) {
            return failedAt(record.position());
        }
        if (failure.kind() == RecordFailure.Kind.KEY_UNKNOWN) {
            return deadLetterWithoutKeys(record, failure, attempts);
        }
        return failure.key() == null
                ? deadLetterWithoutCell(record, failure, attempts)
                : deadLetterWithCells(record, failure, attempts);
    }

    /** A timer of the record's key failed before it: the policy is asked of the timer, and nothing counts against the record. */
    private Optional<Position> concludeTimer(InputRecord record, String key) {
        Position last = rest.get(rest.size() - 1).position();
        session.update(
                lane -> runtime.rules.released(lane, record.position()).stoppedAt(record.position(), last, topology));
        return settle(key) ? Optional.empty() : failedAt(record.position());
    }

    /** Whether the timers of a key that were due are gone: they have fired after all, or were given up. */
    private boolean settle(String key) {
        settlements++;
        return settlements <= SETTLEMENTS_MAX
                && runtime.stage instanceof KeyedWork work
                && work.timers.settle(generation, key, time(), deadline, report);
    }

    /** Neither the payload, nor the key, nor what an exception says: it may quote the record. The dead letter has it all. */
    private void logFailure(RecordFailure failure, int attempts) {
        Throwable cause = failure.getCause();
        StackTraceElement[] stack = cause == null ? new StackTraceElement[0] : cause.getStackTrace();
        LOG.atWarn()
                .addKeyValue("pipeline", runtime.pipeline)
                .addKeyValue("stage", runtime.plan().uid())
                .addKeyValue("lane", lane)
                .addKeyValue("sequenceNumber", failure.position())
                .addKeyValue("keyHash", failure.key() == null ? "" : CellItems.sha256(failure.key()))
                .addKeyValue("kind", failure.kind())
                .addKeyValue("attempts", attempts)
                .addKeyValue("errorType", cause == null ? "" : cause.getClass().getName())
                .addKeyValue("thrownAt", stack.length == 0 ? "" : stack[0].toString())
                .log("A record failed.");
    }

    private ErrorPolicy policyOf(RecordFailure failure) {
        return failure.kind() == RecordFailure.Kind.UNDECODABLE
                ? runtime.plan().source().undecodablePolicy()
                : runtime.plan().errorPolicy();
    }

    private Optional<Position> deadLetterWithoutCell(InputRecord record, RecordFailure failure, int attempts) {
        List<DeadLetter> letters = List.of(DeadLetter.of(lane, record, null, failure, attempts));
        advanceTo(record, WatermarkStrategy.NO_WATERMARK, letters);
        return Optional.empty();
    }

    /** An attempt that knows the keys goes first; if it never comes to an end, the record is given up all the same. */
    private Optional<Position> deadLetterWithoutKeys(InputRecord record, RecordFailure failure, int attempts) {
        Position position = record.position();
        DeadLetter letter = DeadLetter.of(lane, record, null, failure, attempts);
        runtime.rules.advanceWithoutKeys(session, record, WatermarkStrategy.NO_WATERMARK, letter, GIVING_UPS_MAX);
        if (session.record().covers(position)) {
            report.add(Count.DEAD_LETTERS, 1);
            return Optional.empty();
        }
        session.update(lane -> lane.givingUp(position));
        return failedAt(position);
    }

    private List<DeadLetter> lettersOf(List<InputRecord> records, List<RecordFailure> failures) {
        Map<Position, RecordFailure> byPosition =
                failures.stream().collect(Collectors.toMap(RecordFailure::position, Function.identity()));
        List<DeadLetter> letters = new ArrayList<>();
        for (InputRecord record : records) {
            RecordFailure failure = byPosition.get(record.position());
            if (failure != null) {
                letters.add(DeadLetter.of(lane, record, null, failure, 1));
            }
        }
        return letters;
    }

    /**
     * Commits the failed key's part of a record as a dead letter, in the transaction that moves the fence past it, and
     * the other keys' parts as usual; parts that fail too become dead letters as well. If it has to stop, a record that
     * threw is run once more in the next delivery, so that its error is not lost.
     */
    private Optional<Position> deadLetterWithCells(InputRecord record, RecordFailure failure, int attempts) {
        Condemned condemned = new Condemned();
        runtime.rules.condemn(condemned, failure, attempts);
        for (int parts = 0; parts <= ChunkRun.ROUNDS_MAX; parts++) {
            ChunkResult result =
                    chunk(List.of(record), condemned, new ChunkRun.Hooks() {}).run();
            if (result.done() == 1) {
                advanceOver(List.of(record), result);
                return Optional.empty();
            }
            RecordFailure next = result.failure();
            if (next == null || next.key() == null) {
                break;
            }
            if (next.timer() == null) {
                runtime.rules.condemn(condemned, next, attempts);
            } else if (!settle(next.key())) {
                break;
            }
        }
        return stopAt(record.position());
    }

    private void advanceTo(InputRecord record, long watermark, List<DeadLetter> letters) {
        runtime.rules.advance(session, record, watermark, letters);
        hasAdvanced = true;
        report.add(Count.DEAD_LETTERS, letters.size());
    }

    /** Stops before a record that is not to blame. */
    private Optional<Position> stopAt(Position position) {
        Position last = rest.get(rest.size() - 1).position();
        session.update(lane -> lane.stoppedAt(position, last, topology));
        return failedAt(position);
    }

    private Optional<Position> failedAt(Position position) {
        report.setFailedAt(position.sequenceNumber().digits());
        return Optional.of(position);
    }
}
