package io.millrace.internal.engine;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The redrives that a cell has absorbed, by {@link Redrive#id}, each as long as its dead letter's row lives: so that who
 * restores the cell knows which rows it accounts for. Immutable.
 */
public final class DoneRedrives {
    /** The redrives of a cell that has absorbed none. */
    public static final DoneRedrives NONE = new DoneRedrives(new TreeMap<>());

    private final SortedMap<String, Instant> expiries;

    private DoneRedrives(SortedMap<String, Instant> expiries) {
        this.expiries = Collections.unmodifiableSortedMap(expiries);
    }

    /** Redrives as stored: when each may be forgotten, by id. */
    public static DoneRedrives of(Map<String, Instant> expiries) {
        return expiries.isEmpty() ? NONE : new DoneRedrives(new TreeMap<>(expiries));
    }

    /** These and one more. */
    DoneRedrives with(Redrive redrive) {
        SortedMap<String, Instant> more = new TreeMap<>(expiries);
        more.put(redrive.id(), redrive.expiry());
        return new DoneRedrives(more);
    }

    /** Those that may not be forgotten yet. */
    DoneRedrives after(Instant now) {
        SortedMap<String, Instant> left = new TreeMap<>(expiries);
        left.values().removeIf(expiry -> !expiry.isAfter(now));
        return of(left);
    }

    /** When the last one may be forgotten; null if there is none. */
    public @Nullable Instant lastExpiry() {
        return expiries.values().stream().max(Instant::compareTo).orElse(null);
    }

    /** When each may be forgotten, by id. */
    public SortedMap<String, Instant> expiries() {
        return expiries;
    }

    @Override
    public String toString() {
        return expiries.toString();
    }
}
