package io.millrace.internal.engine;

import io.millrace.AggregateFunction;
import io.millrace.state.AggregatingState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The handle of an aggregating state, which is a value with a function. */
final class LiveAggregating<I, A, O> implements AggregatingState<I, O> {
    private final LiveValue<A> accumulated;
    private final AggregateFunction<I, A, O> function;

    LiveAggregating(LiveValue<A> accumulated, AggregateFunction<I, A, O> function) {
        this.accumulated = accumulated;
        this.function = function;
    }

    @Override
    public @Nullable O get() {
        A accumulator = accumulated.value();
        return accumulator == null ? null : function.getResult(accumulator);
    }

    @Override
    public void add(I value) {
        Objects.requireNonNull(value, "an aggregating state takes no null");
        A before = accumulated.valueToAddTo();
        A accumulator = before == null
                ? Objects.requireNonNull(
                        function.createAccumulator(), "createAccumulator returned null; return an accumulator")
                : before;
        accumulated.update(
                Objects.requireNonNull(function.add(value, accumulator), "add returned null; return the accumulator"));
    }

    @Override
    public void clear() {
        accumulated.clear();
    }
}
