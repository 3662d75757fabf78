package io.millrace.simulation;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** What simulations have exercised, counted. Not thread-safe. */
public final class Exercised {
    /** A kind of event that can happen in a simulation. */
    public enum Event {
        RECORDS,
        AGGREGATES,
        INVOCATIONS,
        REQUESTS,
        CRASHES,
        REQUESTS_OF_THE_DEAD,
        ZOMBIES,
        FREEZES,
        TIME_OUTS,
        REDELIVERIES,
        OLD_BATCHES,
        RECOMPOSED_BATCHES,
        LOST_BATCHES,
        GAPS,
        CONFLICTS,
        DUPLICATES,
        FAULTS,
        OUTAGES,
        MISHAPS,
        DEAD_LETTERS,
        UNKNOWABLE_PARTS,
        REDRIVES,
        RESHARDS,
        TOMBSTONES,
        EXPIRED_CELLS,
        FIRED_TIMERS,
        LATE_RECORDS,
        TICKS,
        IDLE_LANES,
        FINISHED_LANES,
        STUBS,
        EXPIRED_STUBS,
        FENCED_ROWS,
        REPETITIONS,
        COMPRESSED_CELLS,
        CLOCK_JUMPS
    }

    private final Map<Event, Long> counts = new EnumMap<>(Event.class);

    void add(Event event, long count) {
        counts.merge(event, count, Long::sum);
    }

    void count(Event event) {
        add(event, 1);
    }

    /** How often an event happened. */
    public long get(Event event) {
        return counts.getOrDefault(event, 0L);
    }

    /** Adds what another simulation has exercised. */
    public void add(Exercised other) {
        other.counts.forEach(this::add);
    }

    /** All counts, as "3 crashes, 2 zombies". */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ");
        for (Event event : Event.values()) {
            text.add(String.format(
                    Locale.ROOT,
                    "%,d %s",
                    get(event),
                    event.name().toLowerCase(Locale.ROOT).replace('_', ' ')));
        }
        return text.toString();
    }
}
