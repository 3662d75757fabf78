package io.millrace;

/** Combines two elements of one key into one of the same type. */
@FunctionalInterface
public interface ReduceFunction<T> {
    /** Returns {@code accumulated} with {@code value} added, never null. */
    T reduce(T accumulated, T value) throws Exception;
}
