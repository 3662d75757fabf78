package io.millrace.simulation;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The rows of a transaction in a seed with event time, by account and id. */
final class WrittenStatements {
    private final Map<String, Map<String, StatementRow>> rows = new TreeMap<>();

    void add(Map<String, AttributeValue> item) {
        StatementRow row = StatementRow.of(item);
        rows.computeIfAbsent(row.account(), none -> new TreeMap<>()).put(row.id(), row);
    }

    /** Takes an account's rows out of the others. */
    Map<String, StatementRow> take(String account) {
        return Objects.requireNonNullElse(rows.remove(account), Map.of());
    }

    /** All rows must have been taken with their cells. */
    void requireNoneLeft() {
        rows.forEach((account, left) -> {
            throw new BrokenRule(
                    Rules.WITH_CELL,
                    account,
                    "the rows " + left.keySet() + " of account " + account + " are put without its cell");
        });
    }
}
