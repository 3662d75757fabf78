package io.millrace.simulation;

import io.millrace.internal.item.Row;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What rows hold beside their key, as text by attribute, and null for a row that is deleted or was never there: as it is
 * stored, and as the audit reckons it without the code that wrote it.
 */
final class RowContents {
    private static final String LATEST = "latest";
    private static final Set<String> KEYS = Set.of("account", "id");

    private RowContents() {}

    static boolean isOfTable(String table) {
        return table.equals(Latest.TABLE) || table.equals(Ledger.LINES_TABLE);
    }

    /** The name of the row of an account's latest posting. */
    static String latestName(String account) {
        return account + "/" + LATEST;
    }

    /** The name of the row of a posting to an account. */
    static String lineName(String account, String posting) {
        return account + "/" + posting;
    }

    static String nameOf(String table, Map<String, AttributeValue> item) {
        String account = Audit.text(item, "account");
        return table.equals(Latest.TABLE) ? latestName(account) : lineName(account, Audit.text(item, "id"));
    }

    /**
     * The content of a stored row; null for a stub.
     *
     * @throws BrokenRule if it is neither a row nor a stub
     */
    static @Nullable Map<String, String> stored(String name, Map<String, AttributeValue> item) {
        Map<String, String> content = new TreeMap<>();
        item.forEach((attribute, value) -> {
            if (!KEYS.contains(attribute) && !Row.isReserved(attribute)) {
                content.put(attribute, value.s() == null ? value.n() : value.s());
            }
        });
        boolean isStub = item.containsKey(Row.DELETED);
        if (isStub != item.containsKey(Row.TIME_TO_LIVE) || (isStub && !content.isEmpty())) {
            throw new BrokenRule(Rules.STUBS, name, "the row " + name + " is neither a row nor a stub: " + item);
        }
        return isStub ? null : content;
    }

    /** What a posting makes of a row that it changes. */
    static @Nullable Map<String, String> after(@Nullable Map<String, String> before, String name, Posting posting) {
        for (Posting.Entry entry : posting.entries()) {
            if (name.equals(latestName(entry.account()))) {
                return latestAfter(before, posting, entry);
            }
            if (name.equals(lineName(entry.account(), posting.id()))) {
                return Map.of("posting", posting.id(), "balance", String.valueOf(entry.amount()));
            }
        }
        throw new IllegalArgumentException(posting + " does not change the row " + name);
    }

    private static @Nullable Map<String, String> latestAfter(
            @Nullable Map<String, String> before, Posting posting, Posting.Entry entry) {
        String amount = String.valueOf(entry.amount());
        return switch (entry.latest()) {
            case PUT -> Map.of(Latest.POSTING, posting.id(), Latest.AMOUNT, amount);
            case DELETE -> null;
            case RENEW -> set(Map.of(), posting, amount);
            case SET -> set(Objects.requireNonNullElse(before, Map.of()), posting, amount);
        };
    }

    private static Map<String, String> set(Map<String, String> before, Posting posting, String amount) {
        Map<String, String> after = new TreeMap<>(before);
        after.put(Latest.POSTING, posting.id());
        after.put(Latest.slot(posting.number()), amount);
        after.remove(Latest.slot(posting.number() + 1));
        return after;
    }

    static String words(@Nullable Map<String, String> content) {
        return content == null ? "deleted" : content.toString();
    }
}
