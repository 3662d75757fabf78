package io.millrace.simulation;

import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.window.TimeWindow;
import java.util.Map;
import java.util.Objects;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A row: an account's statement for a window, a late posting, or what was open when a timer of the clock fired. */
record StatementRow(@PartitionKey String account, @SortKey String id, String postings, int amount) {
    private static final String WINDOW = "window ";
    private static final String LATE = "late ";

    static StatementRow ofWindow(String account, TimeWindow window, Statement statement) {
        return new StatementRow(account, WINDOW + window, statement.words(), statement.amount);
    }

    static StatementRow ofLate(String account, String posting, int amount) {
        return new StatementRow(account, LATE + posting, posting, amount);
    }

    static StatementRow ofTimer(String account, long time, Statement open) {
        return new StatementRow(account, time + " by the clock", open.words(), open.amount);
    }

    /** The row as it is stored. */
    static StatementRow of(Map<String, AttributeValue> item) {
        int amount = Integer.parseInt(Objects.requireNonNull(item.get("amount")).n());
        return new StatementRow(
                Audit.text(item, "account"), Audit.text(item, "id"), Audit.text(item, "postings"), amount);
    }

    boolean isOfWindow() {
        return id.startsWith(WINDOW);
    }

    boolean isLate() {
        return id.startsWith(LATE);
    }
}
