package io.millrace.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/**
 * What a program without any distribution gets from the same records: one loop over them in the order in which they were
 * sent. It knows nothing of fences, lanes and commits, only which records were given up. Its balances and rows must be
 * those that are read back from the tables at the end.
 */
final class SequentialOracle {
    private final SentRecords sent;
    private final Scenario scenario;
    private final Audit audit;
    private final Map<String, Instant> posted = new HashMap<>();

    SequentialOracle(SentRecords sent, Scenario scenario, Audit audit) {
        this.sent = sent;
        this.scenario = scenario;
        this.audit = audit;
    }

    void check() {
        try {
            compare();
        } catch (BrokenRule e) {
            audit.broken(e);
        }
    }

    private void compare() {
        Map<String, Integer> balances = new TreeMap<>();
        Map<String, Set<String>> lines = new TreeMap<>();
        sent.lanes().stream()
                .flatMap(lane -> lane.records().stream())
                .sorted(Comparator.comparing(record -> record.record().approximateArrivalTimestamp()))
                .forEach(record -> run(record, balances, lines));
        if (!scenario.journal()) {
            compareBalances(balances);
        }
        compareLines(lines);
        // Which of a posting and its repetitions comes first is nobody's to know.
        if (!scenario.deduplicates()) {
            new LatestOracle(sent).check(scan(Latest.TABLE), this::hasAbsorbed);
        }
    }

    private void compareBalances(Map<String, Integer> balances) {
        Map<String, Integer> storedBalances = new HashMap<>();
        audit.accounts().forEach(name -> storedBalances.put(name, 0));
        for (Map<String, AttributeValue> cell : scan(Audit.STATE_TABLE)) {
            storedBalances.put(Audit.text(cell, "key"), audit.balanceOf(cell));
        }
        balances.forEach((account, balance) -> {
            if (!balance.equals(storedBalances.getOrDefault(account, 0))) {
                throw new BrokenRule(
                        Rules.SEQUENTIAL,
                        account,
                        "account " + account + " has " + storedBalances.getOrDefault(account, 0) + "; it must have "
                                + balance);
            }
        });
    }

    private static void compareLines(Map<String, Set<String>> lines) {
        Map<String, Set<String>> storedLines = new TreeMap<>();
        for (Map<String, AttributeValue> row : scan(Ledger.LINES_TABLE)) {
            storedLines
                    .computeIfAbsent(Audit.text(row, "account"), none -> new TreeSet<>())
                    .add(Audit.text(row, "id"));
        }
        if (!lines.equals(storedLines)) {
            throw new BrokenRule(Rules.SEQUENTIAL, "", "the rows are " + storedLines + "; they must be " + lines);
        }
    }

    private void run(SentRecord record, Map<String, Integer> balances, Map<String, Set<String>> lines) {
        requireKnown(record);
        Posting posting = record.posting();
        if (posting == null) {
            return;
        }
        for (String account : posting.accounts()) {
            String line = scenario.journal() ? RowContents.lineName(account, posting.id()) : account;
            if (isIn(record, line) && !isRepetition(record, account)) {
                if (!record.isForgottenAt(account)) {
                    balances.merge(account, posting.amountOf(account), Integer::sum);
                }
                Set<String> ofAccount = lines.computeIfAbsent(account, none -> new TreeSet<>());
                ofAccount.add(posting.id());
                for (int i = 0; i < (scenario.journal() ? 0 : posting.extraLines()); i++) {
                    ofAccount.add(Line.extraId(posting.id(), i));
                }
            }
        }
    }

    /** A record that cannot be decoded must be a dead letter, or in a gap. */
    static void requireKnown(SentRecord record) {
        if (record.posting() == null && !record.isDeadWithoutKey() && !record.isInGap()) {
            throw new BrokenRule(
                    Rules.SEQUENTIAL, record.lane().name(), record + " is neither a dead letter nor in a gap");
        }
    }

    /** Whether an account must have absorbed a record: one that is not given up must be. */
    private boolean hasAbsorbed(SentRecord record, String account) {
        return isIn(record, scenario.journal() ? RowContents.latestName(account) : account);
    }

    private static boolean isIn(SentRecord record, String part) {
        boolean isOver = record.isInGap() || record.isDeadWithoutKey();
        return !record.isDeadAt(part) && (!isOver || record.isAbsorbedBy(part));
    }

    private boolean isRepetition(SentRecord record, String account) {
        if (!scenario.deduplicates()) {
            return false;
        }
        String posting = account + "/" + record.name();
        Instant arrival = record.record().approximateArrivalTimestamp();
        Instant first = posted.putIfAbsent(posting, arrival);
        boolean isRepetition = first != null && Duration.between(first, arrival).compareTo(Ledger.REPEATED_WITHIN) < 0;
        if (!isRepetition) {
            posted.put(posting, arrival);
        }
        return isRepetition;
    }

    static Iterable<Map<String, AttributeValue>> scan(String table) {
        return SimulatedAws.DYNAMO_DB
                .scanPaginator(ScanRequest.builder().tableName(table).build())
                .items();
    }
}
