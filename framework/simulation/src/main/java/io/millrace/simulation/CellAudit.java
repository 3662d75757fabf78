package io.millrace.simulation;

import io.millrace.internal.engine.CellItems;
import io.millrace.local.ItemChange;
import java.util.ArrayList;
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
    private final Scenario scenario;
    private final SentRecords sent;
    private final History history;
    private final Exercised exercised;
    private final DeadLetterAudit deadLetters;
    private final LaneAudit lanes;
    private final Map<String, AccountModel> accounts = new TreeMap<>();
    private final Set<String> forgotten = new TreeSet<>();

    CellAudit(Simulation.Parts parts, DeadLetterAudit deadLetters, LaneAudit lanes) {
        this.scenario = parts.scenario();
        this.sent = parts.sent();
        this.history = parts.history();
        this.exercised = parts.exercised();
        this.deadLetters = deadLetters;
        this.lanes = lanes;
    }

    private AccountModel newModel(String account) {
        return new AccountModel(account, scenario);
    }

    /** A cell as it is written: which account, up to where of which lane, and by whom. */
    private record Write(
            String account,
            SentLane lane,
            SentRecord last,
            @Nullable Account state,
            WrittenRows.OfAccount rows,
            @Nullable Invocation writer) {}

    /**
     * Checks a change of a cell, and takes the dead letters and rows that belong to it out of those of its transaction.
     *
     * @param redriven the dead letters that the transaction closes
     * @param written the rows of the transaction
     */
    void onCell(
            ItemChange change,
            List<DeadLetterItem> letters,
            List<DeadLetterItem> redriven,
            WrittenRows written,
            @Nullable Invocation writer) {
        Map<String, AttributeValue> after = change.after();
        if (after == null) {
            onCellGone(change);
            return;
        }
        String account = Audit.text(after, CellItems.KEY);
        CellFences fences = new CellFences(sent, account, change.before(), after);
        Account state = StoredAccount.of(after);
        forgotten.remove(account);
        if (state == null) {
            exercised.count(Exercised.Event.TOMBSTONES);
        }
        history.note(
                account,
                () -> "account " + account + " is now " + (state == null ? "balanced" : state) + ", its fence "
                        + fences + ", its version "
                        + Audit.text(after, CellItems.VERSION) + " instead of "
                        + (change.before() == null ? "none" : Audit.text(change.before(), CellItems.VERSION)) + ", by "
                        + writer);
        WrittenRows.OfAccount rows = written.take(account);
        if (StoredAccount.isCompressed(after)) {
            exercised.count(Exercised.Event.COMPRESSED_CELLS);
        }
        for (DeadLetterItem letter : redriven) {
            if (letter.isOf(account)) {
                redrive(letter.record(), account, state, rows);
                fences.requireSame();
                return;
            }
        }
        FenceRise rise = fences.rise();
        lanes.requireParentsFinished(rise.lane(), account);
        absorb(new Write(account, rise.lane(), rise.last(), state, rows, writer), letters);
    }

    /** A cell absorbs a record that was a dead letter, whatever has come after it in its lane. */
    private void redrive(SentRecord record, String account, @Nullable Account state, WrittenRows.OfAccount rows) {
        if (record.isAbsorbedBy(account)) {
            throw new BrokenRule(
                    Rules.REDRIVEN_ONCE, account, record + " is redriven, and absorbed at account " + account);
        }
        AccountModel model = accounts.computeIfAbsent(account, this::newModel);
        Map<String, Line> expected = model.absorb(record);
        require(new Write(account, record.lane(), record, state, rows, null), model, expected);
        record.redrivenAt(account);
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

    /** Enters all records up to the last one into the books, and compares them with what is written. */
    private void absorb(Write write, List<DeadLetterItem> letters) {
        AccountModel model = accounts.computeIfAbsent(write.account(), this::newModel);
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
            if (record.parts().contains(write.account())
                    && !record.isInGap()
                    && !record.isRedrivenAt(write.account())) {
                if (!deadLetters.take(write.account(), record, letters)) {
                    (record.isDeadWithoutKey() ? given : certain).add(record);
                }
            }
        }
        model.absorbedTo(write.lane(), write.last());
        settle(model, write, certain, given);
    }

    /**
     * What was written must be what these records give. One that was given up without its keys is not among them, unless
     * an invocation that ran it in a batch, and knows nothing of that, commits it only now.
     */
    private void settle(AccountModel model, Write write, List<SentRecord> certain, List<SentRecord> given) {
        AccountModel without = model.copy();
        Map<String, Line> lines = new TreeMap<>();
        certain.forEach(record -> lines.putAll(without.absorb(record)));
        boolean isWithout =
                Objects.equals(write.state(), without.account()) && write.rows().equals(rowsOf(without, lines));
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
        Map<String, Line> written = write.rows().lines();
        if (!written.equals(lines)) {
            throw new BrokenRule(
                    Rules.WITH_CELL,
                    write.account(),
                    "with the cell of account " + write.account() + " the rows "
                            + written.keySet() + " are put; they must be " + lines.keySet()
                            + (written.keySet().equals(lines.keySet()) ? " with other content" : ""));
        }
        WrittenRows.Content latest = rowsOf(model, lines).latest();
        if (!Objects.equals(write.rows().latest(), latest)) {
            throw new BrokenRule(
                    Rules.WITH_CELL,
                    write.account(),
                    "with the cell of account " + write.account() + " the row of its latest posting becomes "
                            + words(write.rows().latest()) + "; it must become " + words(latest));
        }
    }

    /** The rows that must be written with a cell: that of the latest posting only if anything was posted. */
    private static WrittenRows.OfAccount rowsOf(AccountModel model, Map<String, Line> lines) {
        return new WrittenRows.OfAccount(lines, lines.isEmpty() ? null : new WrittenRows.Content(model.latest()));
    }

    private static String words(WrittenRows.@Nullable Content row) {
        return row == null ? "nothing new" : RowContents.words(row.attributes());
    }

    private static String words(@Nullable Account account) {
        return account == null ? "nothing" : account.toString();
    }

    /** The accounts that have absorbed anything. */
    Iterable<String> accounts() {
        return accounts.keySet();
    }
}
