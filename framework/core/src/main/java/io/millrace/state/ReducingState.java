package io.millrace.state;

import org.jspecify.annotations.Nullable;

/** One value a key, into which each added one is combined by a {@link io.millrace.ReduceFunction}. */
public interface ReducingState<T> extends State {
    /** The value of all that was added, or null if nothing was. */
    @Nullable
    T get();

    /**
     * Combines a value into the state; the first one is kept as it is.
     *
     * @throws NullPointerException if it is null, or the function returned null
     * @throws Exception what the function throws; the state keeps its value
     */
    void add(T value) throws Exception;
}
