package io.millrace.state;

import org.jspecify.annotations.Nullable;

/** One accumulator a key, to which elements are added by an {@link io.millrace.AggregateFunction}. */
public interface AggregatingState<IN, OUT> extends State {
    /** The result of all that was added, or null if nothing was. */
    @Nullable
    OUT get();

    /**
     * Adds an element.
     *
     * @throws NullPointerException if it is null, or the function gave no accumulator
     */
    void add(IN value);
}
