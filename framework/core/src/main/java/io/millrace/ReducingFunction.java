package io.millrace;

import io.millrace.serde.Serde;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The running reduce: one value a key, put out whenever it changes. */
final class ReducingFunction<K, T> extends KeyedProcessFunction<K, T, T> {
    private final ReduceFunction<T> function;
    private final Serde<T> serde;
    private @Nullable ValueState<T> reduced;

    ReducingFunction(ReduceFunction<T> function, Serde<T> serde) {
        this.function = function;
        this.serde = serde;
    }

    @Override
    public void open(OpenContext openContext) {
        reduced = getRuntimeContext().getState(new ValueStateDescriptor<>("reduced", serde));
    }

    @Override
    public void processElement(T value, Context ctx, Collector<T> out) throws Exception {
        ValueState<T> state = Objects.requireNonNull(reduced);
        T before = state.value();
        T after = before == null
                ? value
                : Objects.requireNonNull(function.reduce(before, value), "reduce returned null; return an element");
        state.update(after);
        out.collect(after);
    }
}
