package io.millrace;

import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;

/**
 * Where a function registers its state. Only in {@code open}: all state must be known before the first record, so a
 * later registration, or a name registered twice, is an {@link IllegalStateException}.
 */
public interface RuntimeContext {
    /** Registers one value a key. The returned handle always shows the current key's value. */
    <T> ValueState<T> getState(ValueStateDescriptor<T> descriptor);

    /** Registers a map a key. The returned handle always shows the current key's map. */
    <UK, UV> MapState<UK, UV> getMapState(MapStateDescriptor<UK, UV> descriptor);
}
