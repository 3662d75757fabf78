package io.millrace.window;

import java.time.Duration;
import java.util.List;

/** Tells in which windows of event time an element belongs. Immutable and thread-safe. */
public sealed interface WindowAssigner
        permits TumblingEventTimeWindows, SlidingEventTimeWindows, EventTimeSessionWindows {
    /** The longest window or gap. */
    Duration SIZE_MAX = Duration.ofDays(36_500);

    /** The windows of an element: one or more, each of which holds its event time. */
    List<TimeWindow> assignWindows(long timestamp);

    /** Whether windows that meet are merged. */
    default boolean isMerging() {
        return false;
    }

    /** Whole milliseconds of a duration, 1 to {@link #SIZE_MAX}. */
    private static long millis(String what, Duration duration) {
        if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(SIZE_MAX) > 0) {
            throw new IllegalArgumentException(
                    what + " is " + duration + "; PT0.001S to " + SIZE_MAX + " are allowed.");
        }
        return duration.toMillis();
    }

    /** The size of windows in milliseconds, if it is within its bounds. */
    static long sizeMillis(Duration size) {
        return millis("The size of a window", size);
    }

    /** The slide of windows in milliseconds, if it is within its bounds. */
    static long slideMillis(Duration slide) {
        return millis("The slide of windows", slide);
    }

    /** The gap between sessions in milliseconds, if it is within its bounds. */
    static long gapMillis(Duration gap) {
        return millis("The gap between sessions", gap);
    }

    /** The offset of windows in milliseconds, if it is smaller than their distance. */
    static long offsetMillis(Duration offset, long distanceMillis) {
        if (offset.abs().compareTo(Duration.ofMillis(distanceMillis)) >= 0) {
            throw new IllegalArgumentException("The offset of windows is " + offset + ", but they begin each "
                    + Duration.ofMillis(distanceMillis) + ": an offset must be smaller, either way.");
        }
        return offset.toMillis();
    }

    /** The start of the last window that begins at or before a time. */
    static long startOf(long timestamp, long offsetMillis, long distanceMillis) {
        return timestamp - Math.floorMod(timestamp - offsetMillis, distanceMillis);
    }
}
