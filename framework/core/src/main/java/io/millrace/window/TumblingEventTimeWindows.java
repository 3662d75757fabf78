package io.millrace.window;

import java.time.Duration;
import java.util.List;

/**
 * Windows of one size, one behind the other, so that each element is in one. They begin at multiples of their size since
 * 1970 in UTC, plus an offset. Immutable and thread-safe.
 */
public final class TumblingEventTimeWindows implements WindowAssigner {
    private final long sizeMillis;
    private final long offsetMillis;

    private TumblingEventTimeWindows(Duration size, Duration offset) {
        this.sizeMillis = WindowAssigner.sizeMillis(size);
        this.offsetMillis = WindowAssigner.offsetMillis(offset, sizeMillis);
    }

    /**
     * Windows without an offset: days begin at midnight UTC.
     *
     * @param size 1 millisecond to {@link WindowAssigner#SIZE_MAX}
     * @throws IllegalArgumentException outside these bounds
     */
    public static TumblingEventTimeWindows of(Duration size) {
        return of(size, Duration.ZERO);
    }

    /**
     * Windows that begin later, or earlier: days of a zone two hours ahead of UTC have an offset of minus two hours.
     *
     * @param size 1 millisecond to {@link WindowAssigner#SIZE_MAX}
     * @param offset smaller than the size, either way
     * @throws IllegalArgumentException outside these bounds
     */
    public static TumblingEventTimeWindows of(Duration size, Duration offset) {
        return new TumblingEventTimeWindows(size, offset);
    }

    @Override
    public List<TimeWindow> assignWindows(long timestamp) {
        long start = WindowAssigner.startOf(timestamp, offsetMillis, sizeMillis);
        return List.of(new TimeWindow(start, start + sizeMillis));
    }

    @Override
    public String toString() {
        return "tumbling windows of " + Duration.ofMillis(sizeMillis);
    }
}
