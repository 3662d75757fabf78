package io.millrace.internal.engine;

import io.millrace.internal.plan.Deduplication;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The ids of a key's elements, each with the arrival of the first element that had it: a state of Millrace's own, beside
 * the function's. Arrivals, not the clock, decide what is repeated: a repetition that waits in the stream for longer than
 * ids are remembered is one all the same.
 */
final class SeenIds implements LiveState {
    /** A name that no state of a user can have. */
    static final String NAME = "_ids";

    private final Deduplication deduplication;
    private @Nullable IdContent shown;

    SeenIds(Deduplication deduplication) {
        this.deduplication = deduplication;
    }

    @Override
    public Content load(@Nullable StoredState stored, long nowMillis) {
        if (stored != null && !(stored instanceof StoredState.Entries)) {
            throw LiveState.otherShape(NAME, stored, "a map");
        }
        return new IdContent((StoredState.Entries) stored);
    }

    @Override
    public void show(@Nullable Content content) {
        shown = (IdContent) content;
    }

    /** The latest arrival with the time for which it counts; a record that arrived by then can be processed later. */
    @Override
    public @Nullable Long expiryMillis(StoredState stored) {
        long expiry = 0;
        for (StoredState.Value arrival :
                ((StoredState.Entries) stored).entries().values()) {
            expiry = Math.max(expiry, decode(arrival) + deduplication.within().toMillis());
        }
        return expiry;
    }

    /** Whether an element is no repetition; its id is noted then. */
    boolean isFirst(Object element, Instant arrival) throws Exception {
        String id = Objects.requireNonNull(deduplication.idFunction().getKey(element), "the id is null");
        return Objects.requireNonNull(shown).isFirst(EntryNames.checked(NAME, id), arrival.toEpochMilli());
    }

    /** How many repetitions met a content. */
    static int repetitions(Map<String, Content> contents) {
        return contents.get(NAME) instanceof IdContent ids ? ids.repetitions : 0;
    }

    private static long decode(StoredState.Value arrival) {
        try {
            return Long.parseLong(arrival.text());
        } catch (NumberFormatException e) {
            throw new UnreadableStateException(
                    "The state '" + NAME + "' cannot be read. Was it written by something other than Millrace?", e);
        }
    }

    private final class IdContent implements Content {
        private final TreeMap<String, Long> arrivals = new TreeMap<>();
        private long latestMillis;
        private int repetitions;

        IdContent(StoredState.@Nullable Entries stored) {
            if (stored != null) {
                stored.entries().forEach((id, arrival) -> arrivals.put(id, decode(arrival)));
            }
        }

        boolean isFirst(String id, long arrivalMillis) {
            latestMillis = Math.max(latestMillis, arrivalMillis);
            Long first = arrivals.get(id);
            if (first != null && !isPast(first, arrivalMillis)) {
                repetitions++;
                return false;
            }
            arrivals.put(id, arrivalMillis);
            return true;
        }

        private boolean isPast(long firstMillis, long arrivalMillis) {
            return arrivalMillis - firstMillis >= deduplication.within().toMillis();
        }

        @Override
        public @Nullable StoredState store() {
            TreeMap<String, StoredState.Value> entries = new TreeMap<>();
            arrivals.forEach((id, first) -> {
                if (!isPast(first, latestMillis)) {
                    entries.put(id, new StoredState.Value(Long.toString(first).getBytes(StandardCharsets.UTF_8), true));
                }
            });
            return entries.isEmpty() ? null : new StoredState.Entries(entries);
        }
    }
}
