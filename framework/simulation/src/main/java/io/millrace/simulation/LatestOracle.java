package io.millrace.simulation;

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
 * What the rows of the accounts' latest postings must be at the end. Where one lane has written an account, exactly what
 * its records give in their order; where several have, the row is as some lane's last record has left it.
 */
final class LatestOracle {
    private final SentRecords sent;
    private final Map<String, Map<SentLane, List<SentRecord>>> absorbed = new TreeMap<>();

    LatestOracle(SentRecords sent) {
        this.sent = sent;
    }

    /**
     * Compares the rows with the records.
     *
     * @param isAbsorbed whether an account has absorbed a record
     */
    void check(Iterable<Map<String, AttributeValue>> rows, Absorption isAbsorbed) {
        collect(isAbsorbed);
        Map<String, @Nullable Map<String, String>> stored = new HashMap<>();
        rows.forEach(row ->
                stored.put(Audit.text(row, Latest.ACCOUNT), RowContents.stored(Audit.text(row, Latest.ACCOUNT), row)));
        absorbed.forEach((account, lanes) -> {
            Map<String, String> content = stored.get(account);
            if (lanes.size() == 1) {
                requireSequential(account, lanes.values().iterator().next(), content);
            } else {
                requireLastOfALane(account, lanes, content);
            }
        });
        stored.keySet().stream()
                .filter(account -> !absorbed.containsKey(account))
                .forEach(account -> {
                    throw broken(account, "there is a row of account " + account + ", and no record of it");
                });
    }

    /** Whether an account has absorbed a record. */
    interface Absorption {
        boolean isAbsorbed(SentRecord record, String account);
    }

    private void collect(Absorption isAbsorbed) {
        for (SentLane lane : sent.lanes()) {
            for (SentRecord record : lane.records()) {
                Posting posting = record.posting();
                if (posting == null) {
                    continue;
                }
                for (String account : posting.accounts()) {
                    if (isAbsorbed.isAbsorbed(record, account)) {
                        absorbed.computeIfAbsent(account, none -> new HashMap<>())
                                .computeIfAbsent(lane, none -> new ArrayList<>())
                                .add(record);
                    }
                }
            }
        }
    }

    private static void requireSequential(
            String account, List<SentRecord> records, @Nullable Map<String, String> stored) {
        Map<String, String> content = null;
        for (SentRecord record : records) {
            // A redriven one can have come at any time.
            if (record.isRedrivenAt(account)) {
                return;
            }
            content = RowContents.after(content, RowContents.latestName(account), postingOf(record));
        }
        if (!Objects.equals(content, stored)) {
            throw broken(
                    account,
                    "the row of account " + account + " is " + RowContents.words(stored) + "; it must be "
                            + RowContents.words(content));
        }
    }

    private static void requireLastOfALane(
            String account, Map<SentLane, List<SentRecord>> lanes, @Nullable Map<String, String> stored) {
        Set<String> possible = new HashSet<>();
        for (List<SentRecord> records : lanes.values()) {
            SentRecord last = null;
            for (SentRecord record : records) {
                if (record.isRedrivenAt(account)) {
                    possible.add(postingOf(record).id());
                } else {
                    last = record;
                }
            }
            if (last != null) {
                possible.add(postingOf(last).id());
            }
        }
        if (stored != null && !possible.contains(stored.get(Latest.POSTING))) {
            throw broken(
                    account,
                    "the row of account " + account + " is " + stored + "; its last posting must be one of "
                            + possible);
        }
    }

    private static Posting postingOf(SentRecord record) {
        return Objects.requireNonNull(record.posting());
    }

    private static BrokenRule broken(String account, String what) {
        return new BrokenRule(Rules.SEQUENTIAL, account, what);
    }
}
