package io.millrace;

/**
 * Turns one element into another. Runs before or behind a stage's state, possibly several times for one element; must
 * give the same result each time.
 */
@FunctionalInterface
public interface MapFunction<T, R> {
    /** Returns the new element, never null. */
    R map(T value) throws Exception;
}
