package io.millrace;

/** Turns one element into none, one or many. Must give the same elements in the same order each time. */
@FunctionalInterface
public interface FlatMapFunction<T, R> {
    /** Collects the elements that {@code value} becomes. */
    void flatMap(T value, Collector<R> out) throws Exception;
}
