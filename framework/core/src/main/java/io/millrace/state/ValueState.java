package io.millrace.state;

import org.jspecify.annotations.Nullable;

/** One value a key. */
public interface ValueState<T> extends State {
    /** The current key's value, or null if there is none. */
    @Nullable
    T value();

    /** Sets the current key's value; null removes it. */
    void update(@Nullable T value);
}
