package io.millrace.internal.engine;

import io.millrace.TimeDomain;
import java.util.Comparator;

/**
 * A timer of a cell.
 *
 * @param time when it is due, in milliseconds since the epoch
 * @param name what tells timers of one time apart, such as a window; empty for those of users
 */
public record Timer(TimeDomain domain, long time, String name) implements Comparable<Timer> {
    private static final Comparator<Timer> ORDER =
            Comparator.comparing(Timer::domain).thenComparing(Timer::time).thenComparing(Timer::name);

    /** A domain's timers by time, then by name. */
    @Override
    public int compareTo(Timer other) {
        return ORDER.compare(this, other);
    }
}
