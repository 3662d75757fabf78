package io.millrace.window;

import java.time.Duration;

/**
 * When windows show a result before they are complete: what they hold by then, and later all of it again. Not in Flink's
 * windows without a trigger of one's own; the words are those of Flink SQL. Immutable and thread-safe.
 */
public sealed interface EarlyFiring {
    /**
     * After each so many elements of the window.
     *
     * @param count at least 1
     * @throws IllegalArgumentException if it is less
     */
    static EarlyFiring everyElements(int count) {
        if (count < 1) {
            throw new IllegalArgumentException(
                    "An early firing after each " + count + " elements is asked for; at least 1 is needed.");
        }
        return new EveryElements(count);
    }

    /**
     * So long after the first element that no result has shown yet, by the clock: at the next record of the key or the next
     * sweep behind that time.
     *
     * @param delay 1 millisecond to {@link WindowAssigner#SIZE_MAX}; what is shorter than the time between two ticks is as
     *     good as that
     * @throws IllegalArgumentException outside these bounds
     */
    static EarlyFiring every(Duration delay) {
        if (delay.compareTo(Duration.ofMillis(1)) < 0 || delay.compareTo(WindowAssigner.SIZE_MAX) > 0) {
            throw new IllegalArgumentException("An early firing " + delay
                    + " after an element is asked for; PT0.001S to " + WindowAssigner.SIZE_MAX + " are allowed.");
        }
        return new Every(delay.toMillis());
    }

    /** After each so many elements. */
    record EveryElements(int count) implements EarlyFiring {}

    /** So many milliseconds after the first element that was not shown. */
    record Every(long delayMillis) implements EarlyFiring {}
}
