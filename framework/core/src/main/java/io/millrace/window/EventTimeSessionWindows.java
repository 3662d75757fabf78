package io.millrace.window;

import java.time.Duration;
import java.util.List;

/**
 * Sessions: elements of a key that follow one another within a gap are in one window, which ends the gap behind the last
 * of them. An element between two sessions merges them. Immutable and thread-safe.
 */
public final class EventTimeSessionWindows implements WindowAssigner {
    private final long gapMillis;

    private EventTimeSessionWindows(long gapMillis) {
        this.gapMillis = gapMillis;
    }

    /**
     * Sessions that end after a gap.
     *
     * @param gap 1 millisecond to {@link WindowAssigner#SIZE_MAX}; elements exactly so far apart are in one session
     * @throws IllegalArgumentException outside these bounds
     */
    public static EventTimeSessionWindows withGap(Duration gap) {
        return new EventTimeSessionWindows(WindowAssigner.gapMillis(gap));
    }

    @Override
    public List<TimeWindow> assignWindows(long timestamp) {
        return List.of(new TimeWindow(timestamp, timestamp + gapMillis));
    }

    @Override
    public boolean isMerging() {
        return true;
    }

    @Override
    public String toString() {
        return "sessions with a gap of " + Duration.ofMillis(gapMillis);
    }
}
