package io.millrace.simulation;

import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.RowChange;
import io.millrace.sink.RowKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A change of the row of an account's latest posting, as the simulated pipelines put it out. */
record Latest(String account, String posting, int amount, RowChange change) {
    static final String TABLE = "ledger-latest";
    static final String ACCOUNT = "account";
    static final String POSTING = "posting";
    static final String AMOUNT = "amount";

    /** How many attributes the sets of an account's postings take in turn. */
    static final int SLOTS = 3;

    private static final int TOO_MANY_ATTRIBUTES = 201;

    /** The changes that an entry of a posting makes, in their order. */
    static List<Latest> of(Posting posting, Posting.Entry entry) {
        return switch (entry.latest()) {
            case PUT -> List.of(of(posting, entry, put(posting, entry)));
            case SET -> List.of(of(posting, entry, set(posting, entry)));
            case DELETE -> List.of(of(posting, entry, RowChange.delete()));
            case RENEW -> List.of(of(posting, entry, RowChange.delete()), of(posting, entry, set(posting, entry)));
        };
    }

    /** A change of more attributes than one write takes. */
    static Latest tooMuch(Posting posting, Posting.Entry entry) {
        Map<String, Integer> attributes = new TreeMap<>();
        for (int i = 0; i < TOO_MANY_ATTRIBUTES; i++) {
            attributes.put("attribute" + i, i);
        }
        return of(posting, entry, RowChange.set(attributes));
    }

    private static Latest of(Posting posting, Posting.Entry entry, RowChange change) {
        return new Latest(entry.account(), posting.id(), entry.amount(), change);
    }

    private static RowChange put(Posting posting, Posting.Entry entry) {
        return RowChange.put(Map.of(POSTING, posting.id(), AMOUNT, entry.amount()));
    }

    private static RowChange set(Posting posting, Posting.Entry entry) {
        Map<String, @Nullable Object> attributes = new HashMap<>();
        attributes.put(POSTING, posting.id());
        attributes.put(slot(posting.number()), entry.amount());
        attributes.put(slot(posting.number() + 1), null);
        return RowChange.set(attributes);
    }

    static String slot(int number) {
        return "slot" + number % SLOTS;
    }

    static DynamoDbSink<Latest> sink() {
        return DynamoDbSink.changes(TABLE, RowKey.text(ACCOUNT, Latest::account), Latest::change);
    }
}
