package io.millrace.simulation;

import io.millrace.TimeDomain;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Timer;
import io.millrace.local.ItemChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Holds every write of a cell of a seed with event time to its rules: what has fired was due, by the watermark that the
 * stage truly had; what its fence says that it has absorbed, and what was late of it, is what its windows, its timers and
 * its rows show. It keeps its own books of each account.
 */
final class StatementAudit {
    private final Simulation.Parts parts;
    private final SentRecords sent;
    private final History history;
    private final Exercised exercised;
    private final StatementScenario times;
    private final DeadLetterAudit deadLetters;
    private final LaneAudit lanes;
    private final Map<String, StatementModel> accounts = new TreeMap<>();
    private final Map<String, Map<String, StatementRow>> rows = new TreeMap<>();
    private final Map<String, Set<SentRecord>> late = new HashMap<>();

    StatementAudit(Simulation.Parts parts, StatementScenario times, DeadLetterAudit deadLetters, LaneAudit lanes) {
        this.parts = parts;
        this.sent = parts.sent();
        this.history = parts.history();
        this.exercised = parts.exercised();
        this.times = times;
        this.deadLetters = deadLetters;
        this.lanes = lanes;
    }

    /**
     * A cell as it is written.
     *
     * @param watermark by which lateness was judged in it
     */
    private record Write(
            String account,
            StoredStatements stored,
            long watermarkBefore,
            long watermark,
            Map<String, StatementRow> rows,
            @Nullable Invocation writer) {}

    /** What firing some timers and absorbing some records gives. */
    private record Attempt(
            StatementModel model, Map<String, StatementRow> rows, List<Timer> fired, Map<SentRecord, Long> late) {
        boolean equalsWhatIs(Write write) {
            return model.expected().equals(write.stored()) && rows.equals(write.rows());
        }
    }

    /** Checks a change of a cell, and takes the dead letters and rows that belong to it out of those of its transaction. */
    void onCell(
            ItemChange change,
            List<DeadLetterItem> letters,
            List<DeadLetterItem> redriven,
            WrittenStatements written,
            @Nullable Invocation writer) {
        Map<String, AttributeValue> after = change.after();
        if (after == null) {
            onCellGone(change);
            return;
        }
        String account = Audit.text(after, CellItems.KEY);
        CellFences fences = new CellFences(sent, account, change.before(), after);
        Write write = new Write(
                account,
                StoredStatements.of(after),
                StoredStatements.watermarkOf(change.before()),
                StoredStatements.watermarkOf(after),
                written.take(account),
                writer);
        if (write.stored().isEmpty()) {
            exercised.count(Exercised.Event.TOMBSTONES);
        }
        history.note(
                account,
                () -> "account " + account + " now has " + write.stored() + " at the watermark "
                        + LaneStanding.words(write.watermark()) + ", its fence " + fences + ", with the rows "
                        + write.rows().keySet() + ", its version " + Audit.text(after, CellItems.VERSION) + ", by "
                        + (writer == null ? currentProcess() : writer));
        checkWatermark(write);
        for (DeadLetterItem letter : redriven) {
            if (letter.isOf(account)) {
                fences.requireSame();
                redrive(write, letter.record());
                return;
            }
        }
        absorb(write, fences.isRaised() ? fences.rise().last() : null, letters);
    }

    private static Object currentProcess() {
        Fiber fiber = Fiber.current();
        return fiber == null ? "the simulation" : fiber.process();
    }

    private void checkWatermark(Write write) {
        if (write.watermark() < write.watermarkBefore()) {
            throw new BrokenRule(
                    Rules.NEVER_BACK,
                    write.account(),
                    "the watermark of account " + write.account() + " goes back from "
                            + LaneStanding.words(write.watermarkBefore()) + " to "
                            + LaneStanding.words(write.watermark()));
        }
        lanes.requireReached(write.watermark(), write.account(), "account " + write.account() + " is written at");
    }

    private void onCellGone(ItemChange change) {
        Map<String, AttributeValue> before = Objects.requireNonNull(change.before());
        String account = Audit.text(before, CellItems.KEY);
        history.note(account, () -> "the cell of account " + account + (change.expired() ? " expires" : " is deleted"));
        if (!change.expired() || !StoredStatements.of(before).isEmpty()) {
            throw new BrokenRule(
                    change.expired() ? Rules.ABSORBED_ONCE : Rules.NEVER_BACK,
                    account,
                    "the cell of account " + account + " goes with " + StoredStatements.of(before));
        }
        exercised.count(Exercised.Event.EXPIRED_CELLS);
    }

    private StatementModel modelOf(String account) {
        return accounts.computeIfAbsent(account, name -> new StatementModel(name, times));
    }

    /** A cell absorbs a record that was a dead letter, whatever has come after it in its lane. No timer fires. */
    private void redrive(Write write, SentRecord record) {
        if (record.isAbsorbedBy(write.account())) {
            throw new BrokenRule(
                    Rules.REDRIVEN_ONCE,
                    write.account(),
                    record + " is redriven, and absorbed at account " + write.account());
        }
        Attempt attempt = attempt(write, List.of(), List.of(record));
        require(write, attempt);
        record.redrivenAt(write.account());
        settle(write, attempt);
    }

    /** @param last up to which record the fence is raised; null if the write is of timers only */
    private void absorb(Write write, @Nullable SentRecord last, List<DeadLetterItem> letters) {
        List<SentRecord> certain = new ArrayList<>();
        List<SentRecord> given = new ArrayList<>();
        boolean isPartial = last == null;
        if (last != null) {
            divide(write.account(), last, letters, certain, given);
            isPartial = certain.isEmpty() && given.isEmpty();
        }
        List<SentRecord> all = new ArrayList<>(certain);
        all.addAll(given);
        all.sort((one, other) -> Integer.compare(one.index(), other.index()));
        Attempt full = null;
        for (List<Timer> fired : possiblyFired(write, isPartial)) {
            Attempt without = attempt(write, fired, certain);
            full = full == null ? without : full;
            if (without.equalsWhatIs(write)) {
                requireWork(write, last, without);
                certain.forEach(record -> record.absorbedBy(write.account(), write.writer()));
                settle(write, without);
                return;
            }
            Attempt with = given.isEmpty() ? without : attempt(write, fired, all);
            if (!given.isEmpty() && with.equalsWhatIs(write)) {
                given.forEach(record -> deadLetters.checkAbsorbed(record, write.account(), write.writer()));
                all.forEach(record -> record.absorbedBy(write.account(), write.writer()));
                settle(write, with);
                return;
            }
        }
        require(write, Objects.requireNonNull(full));
    }

    /** The records up to the last one that were not absorbed before; those that are given up without their keys apart. */
    private void divide(
            String account,
            SentRecord last,
            List<DeadLetterItem> letters,
            List<SentRecord> certain,
            List<SentRecord> given) {
        SentLane lane = last.lane();
        lanes.requireParentsFinished(lane, account);
        StatementModel model = modelOf(account);
        SentRecord before = model.absorbedTo(lane);
        if (before != null && before.index() >= last.index()) {
            throw new BrokenRule(
                    Rules.ABSORBED_ONCE,
                    account,
                    "account " + account + " absorbs " + lane + " up to " + last + " again; it was at " + before
                            + " already");
        }
        int from = before == null ? 0 : before.index() + 1;
        for (SentRecord record : lane.records().subList(from, last.index() + 1)) {
            if (record.parts().contains(account)
                    && !record.isInGap()
                    && !record.isRedrivenAt(account)
                    && !deadLetters.take(account, record, letters)) {
                (record.isDeadWithoutKey() ? given : certain).add(record);
            }
        }
        model.absorbedTo(lane, last);
    }

    /**
     * Which timers may have fired, the likeliest first. All that are due by the watermark fire before a record, unless the
     * writer saw a lower one than the cell has; a write of timers alone can be a part of them. Nobody knows the clock of the
     * writer's machine.
     */
    private List<List<Timer>> possiblyFired(Write write, boolean isPartial) {
        StatementModel model = modelOf(write.account());
        List<Timer> byEvents = model.due(TimeDomain.EVENT_TIME, write.watermark());
        Instant latest = parts.clock().instant().plusSeconds(SimulatedLambda.CLOCK_SKEW_SECONDS);
        List<Timer> byClock = model.due(TimeDomain.PROCESSING_TIME, latest.toEpochMilli());
        boolean isAny = isPartial || write.watermark() == write.watermarkBefore();
        List<List<Timer>> possible = new ArrayList<>();
        for (int events = byEvents.size(); events >= (isAny ? 0 : byEvents.size()); events--) {
            for (int clocked = byClock.size(); clocked >= 0; clocked--) {
                List<Timer> fired = new ArrayList<>(byEvents.subList(0, events));
                fired.addAll(byClock.subList(0, clocked));
                possible.add(fired);
            }
        }
        return possible;
    }

    private Attempt attempt(Write write, List<Timer> fired, List<SentRecord> records) {
        StatementModel model = modelOf(write.account()).copy();
        Map<String, StatementRow> itsRows = new TreeMap<>();
        Map<SentRecord, Long> itsLate = new HashMap<>();
        fired.forEach(timer -> model.fire(timer, itsRows));
        for (SentRecord record : records) {
            Long since = model.absorb(record, write.watermark(), itsRows);
            if (since != null) {
                itsLate.put(record, since);
            }
        }
        return new Attempt(model, itsRows, fired, itsLate);
    }

    private static void requireWork(Write write, @Nullable SentRecord last, Attempt attempt) {
        if (last == null && attempt.fired().isEmpty()) {
            throw new BrokenRule(
                    Rules.TIMERS_ON_TIME, write.account(), "account " + write.account() + " is written for nothing");
        }
    }

    /** Enters what has come of a write into the books. */
    private void settle(Write write, Attempt attempt) {
        attempt.late().forEach((record, since) -> noteLate(write, record, since));
        exercised.add(Exercised.Event.FIRED_TIMERS, attempt.fired().size());
        modelOf(write.account()).become(attempt.model());
        if (!attempt.rows().isEmpty()) {
            rows.computeIfAbsent(write.account(), none -> new TreeMap<>()).putAll(attempt.rows());
        }
    }

    /** A record is late by the watermarks of all lanes, its own among them; only a redriven one comes behind its lane's. */
    private void noteLate(Write write, SentRecord record, long since) {
        exercised.count(Exercised.Event.LATE_RECORDS);
        late.computeIfAbsent(write.account(), none -> new HashSet<>()).add(record);
        long own = lanes.watermarkOf(record.lane());
        if (since > own && !record.isRedrivenAt(write.account())) {
            throw new BrokenRule(
                    Rules.NEVER_LATE_BY_OTHERS,
                    write.account(),
                    record + " is late at account " + write.account() + " at "
                            + LaneStanding.words(write.watermark()) + ", for a window that is over at "
                            + LaneStanding.words(since) + ", and its lane is at " + LaneStanding.words(own));
        }
    }

    private static void require(Write write, Attempt attempt) {
        StoredStatements expected = attempt.model().expected();
        if (!expected.equals(write.stored())) {
            boolean isOfTimers = expected.windows().equals(write.stored().windows());
            throw new BrokenRule(
                    isOfTimers ? Rules.TIMERS_ON_TIME : Rules.ABSORBED_ONCE,
                    write.account(),
                    "account " + write.account() + " holds " + write.stored() + "; by what its fence covers at "
                            + LaneStanding.words(write.watermark()) + " it must hold " + expected);
        }
        if (!attempt.rows().equals(write.rows())) {
            throw new BrokenRule(
                    Rules.WITH_CELL,
                    write.account(),
                    "with the cell of account " + write.account() + " the rows " + write.rows()
                            + " are put; they must be " + attempt.rows());
        }
    }

    /** Whether a record was late at an account. */
    boolean isLate(SentRecord record, String account) {
        return late.getOrDefault(account, Set.of()).contains(record);
    }

    /** The rows of each account as they were last put. */
    Map<String, Map<String, StatementRow>> rows() {
        return rows;
    }
}
