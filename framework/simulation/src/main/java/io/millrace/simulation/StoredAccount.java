package io.millrace.simulation;

import io.millrace.internal.engine.CellItems;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads an account out of a cell's item, whichever kind of state it is kept in, without the code that wrote it. */
final class StoredAccount {
    private static final Serde<Account> ACCOUNTS = Json.of(Account.class);

    /** The state of {@code deduplicate}, which is there beside the account's or alone. */
    private static final String SEEN_IDS = "_ids";

    private StoredAccount() {}

    /** The account; null for a tombstone. */
    static @Nullable Account of(Map<String, AttributeValue> cell) {
        AttributeValue state = Objects.requireNonNull(cell.get(CellItems.STATE));
        try {
            return read(isCompressed(cell) ? InflatedState.of(state.b().asByteArrayUnsafe()) : state.m());
        } catch (Exception e) {
            throw new BrokenRule(
                    Rules.ABSORBED_ONCE,
                    Audit.text(cell, CellItems.KEY),
                    "the state " + state + " cannot be read: " + e);
        }
    }

    static boolean isCompressed(Map<String, AttributeValue> cell) {
        return Objects.requireNonNull(cell.get(CellItems.STATE)).b() != null;
    }

    private static @Nullable Account read(Map<String, AttributeValue> state) throws Exception {
        if (state.isEmpty() || state.keySet().equals(Set.of(SEEN_IDS))) {
            return null;
        }
        AttributeValue whole = state.get(AccountBooks.ACCOUNT);
        if (whole != null) {
            // A value that expires lies in a list, before its time.
            AttributeValue value = whole.hasL() ? whole.l().get(0) : whole;
            return ACCOUNTS.deserialize(value.s().getBytes(StandardCharsets.UTF_8));
        }
        Account account = new Account();
        account.balance = Integer.parseInt(
                Objects.requireNonNull(state.get(AccountBooks.BALANCE)).s());
        AttributeValue postings = Objects.requireNonNull(state.get(AccountBooks.POSTINGS));
        if (postings.hasL()) {
            postings.l().forEach(id -> account.postings.add(unquoted(id)));
        } else {
            Map<Integer, String> byOrder = new TreeMap<>();
            postings.m().forEach((order, id) -> byOrder.put(Integer.parseInt(order), unquoted(id)));
            account.postings.addAll(byOrder.values());
        }
        return account;
    }

    private static String unquoted(AttributeValue json) {
        return json.s().replace("\"", "");
    }
}
