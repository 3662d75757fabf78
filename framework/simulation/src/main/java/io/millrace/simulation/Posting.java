package io.millrace.simulation;

import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import java.time.Instant;
import java.util.List;

/**
 * A record of the simulated streams: amounts posted to accounts, and what goes wrong with it until the code is mended.
 *
 * @param extraLines how many rows each entry puts out beside the usual two
 * @param eventTime when it happened, in milliseconds since the epoch
 * @param dueAt when it is to be told of by the clock, in seeds whose pipeline does that
 */
record Posting(String id, List<Entry> entries, Mishap mishap, int extraLines, long eventTime, long dueAt) {
    /** When the first postings happened: before the simulation, as in old data that is read once more. */
    static final long EARLY = Instant.parse("2026-01-30T00:00:00Z").toEpochMilli();

    /** When postings happen whose clock is wrong. */
    static final long FUTURE = Instant.parse("2286-11-20T17:46:39Z").toEpochMilli();

    static final Serde<Posting> SERDE = Json.of(Posting.class);

    /** An amount posted to an account, and what becomes of the row of the account's latest posting. */
    record Entry(String account, int amount, LatestChange latest) {}

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

    /** Whether its event time may not move the watermark. */
    boolean isFuture() {
        return eventTime >= FUTURE;
    }

    /** The number in its id. */
    int number() {
        return Integer.parseInt(id.substring(1));
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
