package io.millrace.window;

import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A piece of time, from its start to just before its end, in milliseconds since the epoch. As text it reads {@code
 * 2001-01-31T00:00:00Z/2001-02-01T00:00:00Z}, and so it stands in state. Immutable.
 */
public final class TimeWindow implements Comparable<TimeWindow> {
    private static final String SEPARATOR = "/";

    private final long start;
    private final long end;

    /**
     * A window.
     *
     * @throws IllegalArgumentException if it does not end behind its start
     */
    public TimeWindow(long start, long end) {
        if (end <= start) {
            throw new IllegalArgumentException(
                    "A window from " + start + " to " + end + " holds nothing; its end must lie behind its start.");
        }
        this.start = start;
        this.end = end;
    }

    /**
     * The window of a text.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static TimeWindow parse(String text) {
        int separator = text.indexOf(SEPARATOR);
        try {
            return new TimeWindow(
                    Instant.parse(text.substring(0, separator)).toEpochMilli(),
                    Instant.parse(text.substring(separator + 1)).toEpochMilli());
        } catch (DateTimeException | StringIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no window; one such as 2001-01-31T00:00:00Z/2001-02-01T00:00:00Z is expected.",
                    e);
        }
    }

    /** Its first millisecond. */
    public long getStart() {
        return start;
    }

    /** The first millisecond behind it. */
    public long getEnd() {
        return end;
    }

    /** Its last millisecond: when the watermark has reached it, the window is complete. */
    public long maxTimestamp() {
        return end - 1;
    }

    /** Whether the two have a millisecond in common, or one begins where the other ends: such sessions are merged. */
    public boolean intersects(TimeWindow other) {
        return start <= other.end && end >= other.start;
    }

    /** The smallest window that holds both. */
    public TimeWindow cover(TimeWindow other) {
        return new TimeWindow(Math.min(start, other.start), Math.max(end, other.end));
    }

    /** By start, then by end. */
    @Override
    public int compareTo(TimeWindow other) {
        int byStart = Long.compare(start, other.start);
        return byStart != 0 ? byStart : Long.compare(end, other.end);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TimeWindow window && start == window.start && end == window.end;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(start) * 31 + Long.hashCode(end);
    }

    @Override
    public String toString() {
        return Instant.ofEpochMilli(start) + SEPARATOR + Instant.ofEpochMilli(end);
    }
}
