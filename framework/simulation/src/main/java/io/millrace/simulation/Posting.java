package io.millrace.simulation;

import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import java.util.List;

/**
 * A record of the simulated streams: amounts posted to accounts, and what goes wrong with it until the code is mended.
 *
 * @param extraLines how many rows each entry puts out beside the usual two
 */
record Posting(String id, List<Entry> entries, Mishap mishap, int extraLines) {
    static final Serde<Posting> SERDE = Json.of(Posting.class);

    /** An amount posted to an account. */
    record Entry(String account, int amount) {}

    /** What goes wrong with a posting. */
    enum Mishap {
        NONE,
        THROWS,
        THROWS_AT_ITS_LAST_ACCOUNT,
        THROWS_AT_ODD_BALANCE,
        THROWS_BEFORE_ITS_KEY,
        KILLS,
        KILLS_BEFORE_ITS_KEY,
        PUTS_OUT_TOO_MUCH
    }

    Posting {
        entries = List.copyOf(entries);
    }

    List<String> accounts() {
        return entries.stream().map(Entry::account).toList();
    }

    int amountOf(String account) {
        return entries.stream()
                .filter(entry -> entry.account().equals(account))
                .mapToInt(Entry::amount)
                .sum();
    }

    boolean isLast(String account) {
        return entries.get(entries.size() - 1).account().equals(account);
    }
}
