package io.millrace;

import io.millrace.state.AggregatingState;
import io.millrace.state.AggregatingStateDescriptor;
import io.millrace.state.ListState;
import io.millrace.state.ListStateDescriptor;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ReducingState;
import io.millrace.state.ReducingStateDescriptor;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;

/**
 * Where a function registers its state. Only in {@code open}: all state must be known before the first record, so a
 * later registration, or a name registered twice, is an {@link IllegalStateException}. A handle that is returned always
 * shows the state of the key at hand.
 */
public interface RuntimeContext {
    /** Registers one value a key. */
    <T> ValueState<T> getState(ValueStateDescriptor<T> descriptor);

    /** Registers a map a key. */
    <UK, UV> MapState<UK, UV> getMapState(MapStateDescriptor<UK, UV> descriptor);

    /** Registers a list a key. */
    <T> ListState<T> getListState(ListStateDescriptor<T> descriptor);

    /** Registers one value a key, into which each added one is combined. */
    <T> ReducingState<T> getReducingState(ReducingStateDescriptor<T> descriptor);

    /** Registers one accumulator a key, to which elements are added. */
    <IN, ACC, OUT> AggregatingState<IN, OUT> getAggregatingState(AggregatingStateDescriptor<IN, ACC, OUT> descriptor);
}
