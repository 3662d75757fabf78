package io.millrace;

/** Takes the elements that a function puts out. Valid only during the call that it was passed to; not thread-safe. */
@FunctionalInterface
public interface Collector<T> {
    /**
     * Puts out one element.
     *
     * @throws NullPointerException if it is null
     */
    void collect(T element);
}
