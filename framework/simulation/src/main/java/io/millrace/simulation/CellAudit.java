package io.millrace.simulation;

import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Position;
import io.millrace.local.ItemChange;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Holds every write of a cell to its rules: what its fence says that it has absorbed is what its state shows, and what
 * the rows and dead letters of the same transaction show. It keeps its own books of each account.
 */
final class CellAudit {
    private final SentRecords sent;
    private final History history;
    private final Exercised exercised;
    private final DeadLetterAudit deadLetters;
    private final Map<String, AccountModel> accounts = new TreeMap<>();
    private final Set<String> forgotten = new TreeSet<>();

    CellAudit(SentRecords sent, History history, Exercised exercised, DeadLetterAudit deadLetters) {
        this.sent = sent;
        this.history = history;
        this.exercised = exercised;
        this.deadLetters = deadLetters;
    }

    /** A cell as it is written: which account, up to where of which lane, and by whom. */
    private record Write(
            String account,
            SentLane lane,
            SentRecord last,
            @Nullable Account state,
            Map<String, Line> lines,
            @Nullable Invocation writer) {}

    /**
     * Checks a change of a cell, and takes the dead letters and rows that belong to it out of those of its transaction.
     *
     * @param redriven the dead letters that the transaction closes
     * @param lines the rows of the transaction, by account and id
     */
    void onCell(
            ItemChange change,
            List<DeadLetterItem> letters,
            List<DeadLetterItem> redriven,
            Map<String, Map<String, Line>> lines,
            @Nullable Invocation writer) {
        Map<String, AttributeValue> after = change.after();
        if (after == null) {
            onCellGone(change);
            return;
        }
        String account = Audit.text(after, CellItems.KEY);
        Map<String, Position> before = fenceOf(change.before());
        Map<String, Position> fence = fenceOf(after);
        Account state = StoredAccount.of(after);
        forgotten.remove(account);
        if (state == null) {
            exercised.count(Exercised.Event.TOMBSTONES);
        }
        history.note(
                account,
                () -> "account " + account + " is now " + (state == null ? "balanced" : state) + ", its fence "
                        + sent.describe(fence) + " instead of " + sent.describe(before) + ", its version "
                        + Audit.text(after, CellItems.VERSION) + " instead of "
                        + (change.before() == null ? "none" : Audit.text(change.before(), CellItems.VERSION)) + ", by "
                        + writer);
        Map<String, Line> itsLines = Objects.requireNonNullElse(lines.remove(account), Map.of());
        for (DeadLetterItem letter : redriven) {
            if (letter.isOf(account)) {
                redrive(letter.record(), account, state, itsLines);
                requireSameFence(account, before, fence);
                return;
            }
        }
        String raised = raised(account, before, fence);
        SentLane lane = sent.laneOfFence(raised);
        Position to = Objects.requireNonNull(fence.get(raised));
        SentRecord last = lane == null ? null : lane.at(to);
        if (lane == null || last == null || !last.accounts().contains(account)) {
            throw new BrokenRule(
                    Rules.ABSORBED_ONCE,
                    account,
                    "the fence of account " + account + " is raised to " + (last == null ? raised + "@" + to : last)
                            + ", which is no record of this account");
        }
        absorb(new Write(account, lane, last, state, itsLines, writer), letters);
    }

    /** A cell absorbs a record that was a dead letter, whatever has come after it in its lane. */
    private void redrive(SentRecord record, String account, @Nullable Account state, Map<String, Line> lines) {
        if (record.isAbsorbedBy(account)) {
            throw new BrokenRule(
                    Rules.REDRIVEN_ONCE, account, record + " is redriven, and absorbed at account " + account);
        }
        AccountModel model = accounts.computeIfAbsent(account, AccountModel::new);
        Map<String, Line> expected = model.absorb(record);
        require(new Write(account, record.lane(), record, state, lines, null), model, expected);
        record.redrivenAt(account);
    }

    private void requireSameFence(String account, Map<String, Position> before, Map<String, Position> after) {
        if (!before.equals(after)) {
            throw new BrokenRule(
                    Rules.REDRIVEN_ONCE,
                    account,
                    "a redrive moves the fence of account " + account + " from " + sent.describe(before) + " to "
                            + sent.describe(after));
        }
    }

    private void onCellGone(ItemChange change) {
        Map<String, AttributeValue> before = Objects.requireNonNull(change.before());
        String account = Audit.text(before, CellItems.KEY);
        history.note(account, () -> "the cell of account " + account + (change.expired() ? " expires" : " is deleted"));
        if (!change.expired()) {
            throw new BrokenRule(
                    Rules.NEVER_BACK, account, "the cell of account " + account + " is deleted, its fence with it");
        }
        exercised.count(Exercised.Event.EXPIRED_CELLS);
        if (StoredAccount.of(before) != null && !forgotten.contains(account)) {
            throw new BrokenRule(
                    Rules.ABSORBED_ONCE, account, "the cell of account " + account + " expires with state in it");
        }
    }

    /** Longer has passed than state lives. */
    void forget() {
        accounts.forEach((name, account) -> {
            account.forget();
            forgotten.add(name);
        });
    }

    /** Whether the state of an account is expired, whatever its cell still holds. */
    boolean isForgotten(String account) {
        return forgotten.contains(account);
    }

    /** The one lane whose entry a commit raises. */
    private String raised(String account, Map<String, Position> before, Map<String, Position> after) {
        before.forEach((lane, position) -> {
            Position now = after.get(lane);
            if (now == null || now.compareTo(position) < 0) {
                throw new BrokenRule(
                        Rules.NEVER_BACK,
                        account,
                        "the fence of account " + account + " goes back from " + sent.describe(before) + " to "
                                + sent.describe(after));
            }
        });
        List<String> raised = after.entrySet().stream()
                .filter(entry -> !entry.getValue().equals(before.get(entry.getKey())))
                .map(Map.Entry::getKey)
                .toList();
        if (raised.size() != 1) {
            throw new BrokenRule(
                    Rules.ABSORBED_ONCE,
                    account,
                    "a write of account " + account + " must raise its fence for one lane; it raises it for "
                            + raised.size() + ": " + sent.describe(before) + " becomes " + sent.describe(after));
        }
        return raised.get(0);
    }

    /** Enters all records up to the last one into the books, and compares them with what is written. */
    private void absorb(Write write, List<DeadLetterItem> letters) {
        AccountModel model = accounts.computeIfAbsent(write.account(), AccountModel::new);
        SentRecord before = model.absorbedTo(write.lane());
        if (before != null && before.index() >= write.last().index()) {
            throw new BrokenRule(
                    Rules.ABSORBED_ONCE,
                    write.account(),
                    "account " + write.account() + " absorbs " + write.lane() + " up to " + write.last()
                            + " again; it was at " + before + " already");
        }
        List<SentRecord> certain = new ArrayList<>();
        List<SentRecord> given = new ArrayList<>();
        int from = before == null ? 0 : before.index() + 1;
        for (SentRecord record :
                write.lane().records().subList(from, write.last().index() + 1)) {
            if (record.accounts().contains(write.account())
                    && !record.isInGap()
                    && !record.isRedrivenAt(write.account())) {
                if (!takeLetter(write.account(), record, letters)) {
                    (record.isDeadWithoutKey() ? given : certain).add(record);
                }
            }
        }
        model.absorbedTo(write.lane(), write.last());
        settle(model, write, certain, given);
    }

    /** A part of a record that is given up in this very transaction. */
    private boolean takeLetter(String account, SentRecord record, List<DeadLetterItem> letters) {
        Iterator<DeadLetterItem> iterator = letters.iterator();
        while (iterator.hasNext()) {
            DeadLetterItem letter = iterator.next();
            if (record == letter.record() && account.equals(letter.account())) {
                iterator.remove();
                deadLetters.check(letter);
                record.deadAt(account);
                return true;
            }
        }
        return false;
    }

    /**
     * What was written must be what these records give. One that was given up without its keys is not among them, unless
     * an invocation that ran it in a batch, and knows nothing of that, commits it only now.
     */
    private void settle(AccountModel model, Write write, List<SentRecord> certain, List<SentRecord> given) {
        AccountModel without = model.copy();
        Map<String, Line> lines = new TreeMap<>();
        certain.forEach(record -> lines.putAll(without.absorb(record)));
        boolean isWithout = Objects.equals(write.state(), without.account())
                && write.lines().equals(lines);
        if (isWithout || given.isEmpty()) {
            require(write, without, lines);
            certain.forEach(record -> record.absorbedBy(write.account(), write.writer()));
            model.become(without);
            return;
        }
        AccountModel with = model.copy();
        Map<String, Line> linesWith = new TreeMap<>();
        List<SentRecord> all = new ArrayList<>(certain);
        all.addAll(given);
        all.sort((one, other) -> Integer.compare(one.index(), other.index()));
        all.forEach(record -> linesWith.putAll(with.absorb(record)));
        require(write, with, linesWith);
        for (SentRecord record : given) {
            deadLetters.checkAbsorbed(record, write.account(), write.writer());
        }
        all.forEach(record -> record.absorbedBy(write.account(), write.writer()));
        model.become(with);
    }

    private static void require(Write write, AccountModel model, Map<String, Line> lines) {
        if (!Objects.equals(write.state(), model.account())) {
            throw new BrokenRule(
                    Rules.ABSORBED_ONCE,
                    write.account(),
                    "the state of account " + write.account() + " is " + words(write.state())
                            + "; by what its fence covers it must be " + words(model.account()));
        }
        if (!write.lines().equals(lines)) {
            throw new BrokenRule(
                    Rules.WITH_CELL,
                    write.account(),
                    "with the cell of account " + write.account() + " the rows "
                            + write.lines().keySet() + " are put; they must be " + lines.keySet()
                            + (write.lines().keySet().equals(lines.keySet()) ? " with other content" : ""));
        }
    }

    private static String words(@Nullable Account account) {
        return account == null ? "nothing" : account.toString();
    }

    /** The accounts that have absorbed anything. */
    Iterable<String> accounts() {
        return accounts.keySet();
    }

    private static Map<String, Position> fenceOf(@Nullable Map<String, AttributeValue> cell) {
        Map<String, Position> fence = new TreeMap<>();
        if (cell != null) {
            Objects.requireNonNull(cell.get(CellItems.FENCE))
                    .m()
                    .forEach((lane, position) ->
                            fence.put(lane, Position.decode(position.b().asByteArrayUnsafe())));
        }
        return fence;
    }
}
