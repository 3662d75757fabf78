package io.millrace.simulation;

import io.millrace.internal.engine.CellItems;
import io.millrace.window.TimeWindow;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What a program without any distribution gets from the same postings: one loop that puts each into its window. It knows
 * nothing of watermarks and timers, only which records were given up, and which were late. At the end of the input each
 * window's last row must show the same, and nothing may be left in any cell.
 */
final class StatementOracle {
    private final SentRecords sent;
    private final Audit audit;
    private final StatementAudit statements;
    private final StatementScenario times;

    StatementOracle(SentRecords sent, Audit audit, StatementAudit statements, StatementScenario times) {
        this.sent = sent;
        this.audit = audit;
        this.statements = statements;
        this.times = times;
    }

    void check() {
        try {
            requireNothingLeft();
            Map<String, Map<String, StatementRow>> stored = storedRows();
            require(stored.equals(statements.rows()), "the rows are " + stored + "; put were " + statements.rows());
            compare(stored);
        } catch (BrokenRule e) {
            audit.broken(e);
        }
    }

    private static void requireNothingLeft() {
        for (Map<String, AttributeValue> cell : SequentialOracle.scan(Audit.STATE_TABLE)) {
            StoredStatements left = StoredStatements.of(cell);
            if (!left.isEmpty()) {
                String account = Audit.text(cell, CellItems.KEY);
                throw new BrokenRule(Rules.BOUNDED, account, "account " + account + " still holds " + left);
            }
        }
    }

    private static Map<String, Map<String, StatementRow>> storedRows() {
        Map<String, Map<String, StatementRow>> rows = new TreeMap<>();
        for (Map<String, AttributeValue> item : SequentialOracle.scan(Statements.TABLE)) {
            StatementRow row = StatementRow.of(item);
            rows.computeIfAbsent(row.account(), none -> new TreeMap<>()).put(row.id(), row);
        }
        return rows;
    }

    private void compare(Map<String, Map<String, StatementRow>> stored) {
        Map<String, Map<TimeWindow, Statement>> windows = new TreeMap<>();
        Map<String, Set<String>> late = new TreeMap<>();
        for (SentLane lane : sent.lanes()) {
            for (SentRecord record : lane.records()) {
                SequentialOracle.requireKnown(record);
                run(record, windows, late);
            }
        }
        stored.forEach((account, rows) -> {
            Map<TimeWindow, Statement> expected = windows.getOrDefault(account, Map.of());
            if (times.kind() == StatementScenario.Kind.SESSIONS) {
                compareSessions(account, rows, expected);
            } else {
                compareWindows(account, rows, expected);
            }
        });
        windows.keySet().forEach(account -> require(stored.containsKey(account), "no row of " + account));
        late.forEach((account, postings) -> {
            Set<String> rows = new TreeSet<>();
            stored.getOrDefault(account, Map.of()).values().stream()
                    .filter(StatementRow::isLate)
                    .forEach(row -> rows.add(row.postings()));
            require(
                    rows.equals(times.lateOutput() ? postings : Set.of()),
                    "the late rows of account " + account + " are " + rows + "; late were " + postings);
        });
    }

    private void run(
            SentRecord record, Map<String, Map<TimeWindow, Statement>> windows, Map<String, Set<String>> late) {
        Posting posting = record.posting();
        if (posting == null) {
            return;
        }
        for (String account : posting.accounts()) {
            boolean isOver = record.isInGap() || record.isDeadWithoutKey();
            if (record.isDeadAt(account) || (isOver && !record.isAbsorbedBy(account))) {
                continue;
            }
            if (statements.isLate(record, account)) {
                late.computeIfAbsent(account, none -> new TreeSet<>()).add(posting.id());
            } else {
                windows.computeIfAbsent(account, none -> new TreeMap<>())
                        .computeIfAbsent(
                                StatementModel.tumbling(posting.eventTime(), times.size()), none -> new Statement())
                        .post(posting.id(), posting.amountOf(account));
            }
        }
    }

    private static void compareWindows(
            String account, Map<String, StatementRow> rows, Map<TimeWindow, Statement> windows) {
        Map<String, StatementRow> expected = new TreeMap<>();
        windows.forEach((window, statement) -> {
            StatementRow row = StatementRow.ofWindow(account, window, statement);
            expected.put(row.id(), row);
        });
        Map<String, StatementRow> shown = new TreeMap<>(rows);
        shown.values().removeIf(row -> !row.isOfWindow());
        require(shown.equals(expected), "the windows' rows are " + shown + "; they must be " + expected);
    }

    /** Where one session ends and the next begins depends on when they fired; that each posting is in one does not. */
    private void compareSessions(String account, Map<String, StatementRow> rows, Map<TimeWindow, Statement> windows) {
        Set<String> expected = new TreeSet<>();
        windows.values().forEach(statement -> expected.addAll(statement.postings));
        Set<String> shown = new TreeSet<>();
        int count = 0;
        for (StatementRow row : rows.values()) {
            if (row.isOfWindow()) {
                Set<String> postings = Set.of(row.postings().split(","));
                count += postings.size();
                shown.addAll(postings);
            }
        }
        require(
                shown.equals(expected)
                        && (count == expected.size() || !times.lateness().isZero()),
                "the sessions of account " + account + " show " + rows.keySet() + " with " + shown
                        + "; they must show each of " + expected + " once");
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new BrokenRule(Rules.SEQUENTIAL, "", what);
        }
    }
}
