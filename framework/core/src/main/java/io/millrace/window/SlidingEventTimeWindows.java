package io.millrace.window;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Windows of one size that begin each slide, so that an element is in several: as many as slides go into the size. Each is
 * kept by itself, in the cell of its key. Immutable and thread-safe.
 */
public final class SlidingEventTimeWindows implements WindowAssigner {
    /** The most windows that an element is in. */
    public static final int WINDOWS_MAX = 1_000;

    private final long sizeMillis;
    private final long slideMillis;
    private final long offsetMillis;

    private SlidingEventTimeWindows(Duration size, Duration slide, Duration offset) {
        this.sizeMillis = WindowAssigner.sizeMillis(size);
        this.slideMillis = WindowAssigner.slideMillis(slide);
        this.offsetMillis = WindowAssigner.offsetMillis(offset, slideMillis);
        if (slideMillis > sizeMillis) {
            throw new IllegalArgumentException("Windows of " + size + " that begin each " + slide
                    + " leave gaps, in which elements would be dropped. Take a slide up to the size; to drop elements,"
                    + " filter them.");
        }
        if ((sizeMillis + slideMillis - 1) / slideMillis > WINDOWS_MAX) {
            throw new IllegalArgumentException("With windows of " + size + " that begin each " + slide
                    + " an element would be in more than " + WINDOWS_MAX + " of them. Take a longer slide.");
        }
    }

    /**
     * Windows without an offset.
     *
     * @param size 1 millisecond to {@link WindowAssigner#SIZE_MAX}
     * @param slide the time between two beginnings: at most the size, at least a {@value #WINDOWS_MAX}th of it
     * @throws IllegalArgumentException outside these bounds
     */
    public static SlidingEventTimeWindows of(Duration size, Duration slide) {
        return of(size, slide, Duration.ZERO);
    }

    /**
     * Windows that begin later, or earlier.
     *
     * @param offset smaller than the slide, either way
     * @throws IllegalArgumentException outside the bounds
     * @see #of(Duration, Duration)
     */
    public static SlidingEventTimeWindows of(Duration size, Duration slide, Duration offset) {
        return new SlidingEventTimeWindows(size, slide, offset);
    }

    @Override
    public List<TimeWindow> assignWindows(long timestamp) {
        List<TimeWindow> windows = new ArrayList<>();
        long last = WindowAssigner.startOf(timestamp, offsetMillis, slideMillis);
        for (long start = last; start > timestamp - sizeMillis; start -= slideMillis) {
            windows.add(new TimeWindow(start, start + sizeMillis));
        }
        return windows;
    }

    @Override
    public String toString() {
        return "sliding windows of " + Duration.ofMillis(sizeMillis) + " each " + Duration.ofMillis(slideMillis);
    }
}
