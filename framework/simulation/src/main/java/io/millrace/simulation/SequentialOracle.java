package io.millrace.simulation;

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
    private final Audit audit;

    SequentialOracle(SentRecords sent, Audit audit) {
        this.sent = sent;
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
        for (SentLane lane : sent.lanes()) {
            for (SentRecord record : lane.records()) {
                run(record, balances, lines);
            }
        }
        Map<String, Integer> storedBalances = new HashMap<>();
        audit.accounts().forEach(name -> storedBalances.put(name, 0));
        for (Map<String, AttributeValue> cell : scan(Audit.STATE_TABLE)) {
            storedBalances.put(Audit.text(cell, "key"), audit.balanceOf(cell));
        }
        Map<String, Set<String>> storedLines = new TreeMap<>();
        for (Map<String, AttributeValue> row : scan(Ledger.LINES_TABLE)) {
            storedLines
                    .computeIfAbsent(Audit.text(row, "account"), none -> new TreeSet<>())
                    .add(Audit.text(row, "id"));
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
        if (!lines.equals(storedLines)) {
            throw new BrokenRule(Rules.SEQUENTIAL, "", "the rows are " + storedLines + "; they must be " + lines);
        }
    }

    private static void run(SentRecord record, Map<String, Integer> balances, Map<String, Set<String>> lines) {
        Posting posting = record.posting();
        if (posting == null && !record.isDeadWithoutKey() && !record.isInGap()) {
            throw new BrokenRule(
                    Rules.SEQUENTIAL, record.lane().name(), record + " is neither a dead letter nor in a gap");
        }
        if (posting == null) {
            return;
        }
        for (String account : posting.accounts()) {
            boolean isOver = record.isInGap() || record.isDeadWithoutKey();
            boolean missing = isOver && !record.isAbsorbedBy(account);
            if (!record.isDeadAt(account) && !missing) {
                if (!record.isForgottenAt(account)) {
                    balances.merge(account, posting.amountOf(account), Integer::sum);
                }
                Set<String> ofAccount = lines.computeIfAbsent(account, none -> new TreeSet<>());
                ofAccount.add(Line.LATEST);
                ofAccount.add(posting.id());
                for (int i = 0; i < posting.extraLines(); i++) {
                    ofAccount.add(Line.extraId(posting.id(), i));
                }
            }
        }
    }

    private static Iterable<Map<String, AttributeValue>> scan(String table) {
        return SimulatedAws.DYNAMO_DB
                .scanPaginator(ScanRequest.builder().tableName(table).build())
                .items();
    }
}
