package io.millrace.simulation;

import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Position;
import io.millrace.local.ItemChange;
import io.millrace.local.ItemChangeListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Holds every change of every item to the rules of the protocol page, at the moment when it takes effect: cells with
 * their rows and dead letters, the lanes' cursors, and what is acknowledged to Lambda.
 */
final class Audit implements ItemChangeListener {
    static final String STATE_TABLE = Ledger.NAME + "-state";
    private static final String CONTROL_TABLE = Ledger.NAME + "-control";
    private static final String STAGE_ITEMS = "#stage";
    private static final String SWEEP_ITEMS = "#sweep";
    private static final String DEAD_LETTER_TABLE = Ledger.NAME + "-dead-letters";

    private final long seed;
    private final Scenario scenario;
    private final SentRecords sent;
    private final History history;
    private final Exercised exercised;
    private final DeadLetterAudit deadLetters;
    private final LaneAudit lanes;
    private final CellAudit cells;
    private final RowAudit rows;
    private final @Nullable StatementAudit statements;
    private @Nullable Violation violation;
    private @Nullable Invocation lastWriter;

    Audit(long seed, Simulation.Parts parts) {
        this.seed = seed;
        this.scenario = parts.scenario();
        this.sent = parts.sent();
        this.history = parts.history();
        this.exercised = parts.exercised();
        this.deadLetters = new DeadLetterAudit(scenario, parts.runs(), exercised, parts.invocations());
        this.lanes = new LaneAudit(parts);
        this.cells = new CellAudit(parts, deadLetters, lanes);
        this.rows = new RowAudit(sent, history, exercised, deadLetters);
        StatementScenario times = scenario.statements();
        this.statements = times == null ? null : new StatementAudit(parts, times, deadLetters, lanes);
    }

    /** The audit of the cells of a seed with event time; null in another one. */
    @Nullable
    StatementAudit statements() {
        return statements;
    }

    /** The first violation; null if there is none. */
    @Nullable
    Violation violation() {
        return violation;
    }

    /** Notes that a rule is broken; only the first time counts. */
    void broken(BrokenRule broken) {
        if (violation == null) {
            violation = new Violation(
                    seed,
                    history.step(),
                    broken.rule(),
                    String.valueOf(broken.getMessage()),
                    history.of(broken.subject()));
        }
    }

    @Override
    public void onChanges(List<ItemChange> changes) {
        if (violation != null) {
            return;
        }
        Fiber fiber = Fiber.current();
        lastWriter = fiber == null ? null : fiber.process().invocation();
        try {
            check(changes, lastWriter);
        } catch (BrokenRule e) {
            broken(e);
        }
    }

    /** The invocation that has written something since this was last asked; null if none has. */
    @Nullable
    Invocation takeLastWriter() {
        Invocation writer = lastWriter;
        lastWriter = null;
        return writer;
    }

    private void check(List<ItemChange> changes, @Nullable Invocation writer) {
        List<DeadLetterItem> letters = new ArrayList<>();
        List<DeadLetterItem> redriven = new ArrayList<>();
        WrittenRows written = new WrittenRows(exercised);
        WrittenStatements statementRows = new WrittenStatements();
        for (ItemChange change : changes) {
            Map<String, AttributeValue> after = change.after();
            if (change.table().equals(DEAD_LETTER_TABLE) && after != null) {
                DeadLetterItem.of(after, sent)
                        .filter(letter -> isNews(change, letter, writer))
                        .ifPresent(letter -> (letter.isOpen() ? letters : redriven).add(letter));
            } else if (change.table().equals(Statements.TABLE)) {
                statementRows.add(Objects.requireNonNull(after, "no statement is deleted"));
            } else if (RowContents.isOfTable(change.table())) {
                if (scenario.journal()) {
                    rows.onRow(change, writer);
                } else {
                    written.add(change);
                }
            }
        }
        letters.forEach(letter -> note(letter, writer));
        List<DeadLetterItem> withoutCell =
                letters.stream().filter(letter -> letter.account() == null).toList();
        letters.removeAll(withoutCell);
        withoutCell.forEach(this::onLetterWithoutCell);
        for (ItemChange change : changes) {
            if (change.table().equals(STATE_TABLE) && statements != null) {
                statements.onCell(change, letters, redriven, statementRows, writer);
            } else if (change.table().equals(STATE_TABLE)) {
                cells.onCell(change, letters, redriven, written, writer);
            } else if (change.table().equals(CONTROL_TABLE)) {
                onControl(change, writer);
            }
        }
        withoutCell.forEach(Audit::requireCursorBehind);
        letters.forEach(letter -> {
            throw new BrokenRule(
                    Rules.WITH_CELL, String.valueOf(letter.account()), letter + " is put without its cell");
        });
        redriven.forEach(this::onRedriven);
        written.requireNoneLeft();
        statementRows.requireNoneLeft();
    }

    /** Whether a dead letter is put or closed, and not only tried once more by a redrive. */
    private static boolean isNews(ItemChange change, DeadLetterItem letter, @Nullable Invocation writer) {
        String before = change.before() == null ? "" : text(change.before(), "status");
        if (letter.isOpen() ? !before.isEmpty() && !before.equals(DeadLetterItem.OPEN) : before.isEmpty()) {
            throw new BrokenRule(
                    Rules.REDRIVEN_ONCE,
                    letter.record().lane().name(),
                    letter + " was " + (before.isEmpty() ? "not there" : before) + " and is now " + letter.status());
        }
        return letter.isOpen() ? before.isEmpty() || writer != null : before.equals(DeadLetterItem.OPEN);
    }

    /** A dead letter is closed: all parts of its record that it stands for must be absorbed by now. */
    private void onRedriven(DeadLetterItem letter) {
        SentRecord record = letter.record();
        exercised.count(Exercised.Event.REDRIVES);
        history.note(record.lane().name(), () -> letter + " is redriven");
        for (String account : record.parts()) {
            if (letter.isOf(account) && !record.isRedrivenAt(account) && !record.isDeadAt(account)) {
                throw new BrokenRule(
                        Rules.REDRIVEN_ONCE, account, letter + " is closed, and account " + account + " lacks it");
            }
        }
        if (letter.account() == null) {
            record.redrivenWithoutKey();
        }
    }

    private void note(DeadLetterItem letter, @Nullable Invocation writer) {
        exercised.count(Exercised.Event.DEAD_LETTERS);
        Supplier<String> what = () -> letter + ", by " + writer;
        history.note(letter.record().lane().name(), what);
        if (letter.account() != null) {
            history.note(letter.account(), what);
        }
    }

    /** A dead letter of a record whose keys are not known, or of a gap. */
    private void onLetterWithoutCell(DeadLetterItem letter) {
        SentRecord record = letter.record();
        if (record.isDeadWithoutKey() && !letter.isGap()) {
            // The same letter once more: putting it again changes nothing that counts.
            return;
        }
        deadLetters.check(letter);
        if (letter.isGap()) {
            letter.gap().forEach(SentRecord::inGap);
        } else {
            record.deadWithoutKey();
            deadLetters.checkWithoutKey(letter);
        }
    }

    private static void requireCursorBehind(DeadLetterItem letter) {
        SentRecord record = letter.record();
        if (!letter.isGap() && record.lane().committed() <= record.index()) {
            throw new BrokenRule(
                    Rules.WITH_CURSOR,
                    record.lane().name(),
                    letter + " is put, and the cursor of its lane is not moved past it");
        }
    }

    private void onControl(ItemChange change, @Nullable Invocation writer) {
        Map<String, AttributeValue> after = change.after();
        String partition = text(after == null ? Objects.requireNonNull(change.before()) : after, "pk");
        if (partition.endsWith(SWEEP_ITEMS)) {
            // Leases: nothing is right because of them.
            return;
        }
        if (after == null) {
            throw new BrokenRule(Rules.NEVER_BACK, "", "an item of the control table is deleted");
        }
        if (after.containsKey("sources")) {
            sent.setSources(Objects.requireNonNull(after.get("sources")).l().stream()
                    .map(AttributeValue::s)
                    .toList());
        } else if (!partition.endsWith(STAGE_ITEMS)) {
            onLane(change, after, writer);
        } else if (text(after, "sk").equals("watermark")) {
            lanes.onStageWatermark(change);
        }
    }

    private void onLane(ItemChange change, Map<String, AttributeValue> after, @Nullable Invocation writer) {
        String name = text(after, "sk");
        if (!sent.shards().holds(name)) {
            throw new BrokenRule(Rules.NEVER_BACK, "", "a record is stored of the unknown lane " + name);
        }
        SentLane lane = sent.lane(name.substring(0, name.indexOf('/')), name.substring(name.indexOf('/') + 1));
        StoredLane before = StoredLane.of(change.before());
        StoredLane now = StoredLane.of(after);
        history.note(lane.name(), () -> "lane " + lane + ": " + now.describe(lane) + ", by " + writer);
        SentRecord alone = now.alone() == null ? null : lane.at(now.alone());
        if (alone != null) {
            if (writer != null && now.beginsAlone(before)) {
                alone.begunAloneBy(writer);
            }
            alone.givingUp(now.givingUps());
        }
        onCursor(lane, before.cursor(), now.cursor());
        lanes.onLane(change, lane, !Objects.equals(before.cursor(), now.cursor()));
    }

    private void onCursor(SentLane lane, @Nullable Position before, @Nullable Position now) {
        if (before != null && (now == null || now.compareTo(before) < 0)) {
            throw new BrokenRule(
                    Rules.NEVER_BACK,
                    lane.name(),
                    "the cursor of lane " + lane + " goes back from " + lane.describe(before) + " to "
                            + (now == null ? "nothing" : lane.describe(now)));
        }
        if (now == null) {
            return;
        }
        SentRecord last = lane.at(now);
        if (last == null && isAtEnd(lane, now)) {
            // An operator goes on without the last records of a closed shard.
            last = lane.records().get(lane.records().size() - 1);
        }
        if (last == null) {
            throw new BrokenRule(
                    Rules.ACKNOWLEDGED,
                    lane.name(),
                    "the cursor of lane " + lane + " is at " + now + ", where no record is");
        }
        for (int i = lane.committed(); i <= last.index(); i++) {
            requireAccounted(lane.records().get(i), "the cursor passes");
        }
        lane.commit(last.index() + 1);
    }

    private boolean isAtEnd(SentLane lane, Position position) {
        return sent.shards().isClosed(lane.name())
                && lane.records().stream().allMatch(record -> record.position().compareTo(position) < 0);
    }

    /** Checks that what an invocation acknowledges is accounted for. */
    void onAcknowledged(Invocation invocation, List<SentRecord> records) {
        try {
            records.forEach(record -> requireAccounted(record, invocation + " acknowledges"));
        } catch (BrokenRule e) {
            broken(e);
        }
    }

    private static void requireAccounted(SentRecord record, String who) {
        if (!record.isAccountedFor()) {
            String missing = record.parts().stream()
                    .filter(account -> !record.isAbsorbedBy(account) && !record.isDeadAt(account))
                    .findFirst()
                    .orElse("");
            throw new BrokenRule(
                    Rules.ACKNOWLEDGED,
                    missing.isEmpty() ? record.lane().name() : missing,
                    who + " " + record + ", which is not committed"
                            + (missing.isEmpty() ? "" : " at account " + missing));
        }
    }

    /** Longer has passed than state lives. */
    void forgetStates() {
        cells.forget();
        sent.lanes().forEach(lane -> lane.records().forEach(SentRecord::forget));
    }

    /** The balance that a cell holds, as code reads it now. */
    int balanceOf(Map<String, AttributeValue> cell) {
        Account account = cells.isForgotten(text(cell, CellItems.KEY)) ? null : StoredAccount.of(cell);
        return account == null ? 0 : account.balance;
    }

    /** The accounts that have absorbed anything. */
    Iterable<String> accounts() {
        return cells.accounts();
    }

    static String text(Map<String, AttributeValue> item, String name) {
        return Objects.requireNonNull(item.get(name), name).s();
    }
}
