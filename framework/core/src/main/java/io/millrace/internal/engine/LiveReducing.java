package io.millrace.internal.engine;

import io.millrace.ReduceFunction;
import io.millrace.state.ReducingState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The handle of a reducing state, which is a value with a function. */
final class LiveReducing<T> implements ReducingState<T> {
    private final LiveValue<T> reduced;
    private final ReduceFunction<T> function;

    LiveReducing(LiveValue<T> reduced, ReduceFunction<T> function) {
        this.reduced = reduced;
        this.function = function;
    }

    @Override
    public @Nullable T get() {
        return reduced.value();
    }

    @Override
    public void add(T value) throws Exception {
        Objects.requireNonNull(value, "a reducing state takes no null");
        T before = reduced.valueToAddTo();
        reduced.update(
                before == null
                        ? value
                        : Objects.requireNonNull(
                                function.reduce(before, value), "reduce returned null; return a value"));
    }

    @Override
    public void clear() {
        reduced.clear();
    }
}
