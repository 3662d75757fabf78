package io.millrace;

import io.millrace.serde.Serde;
import io.millrace.state.AggregatingState;
import io.millrace.state.AggregatingStateDescriptor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The running aggregate: one accumulator a key, whose result is put out after each element. */
final class AggregatingFunction<K, T, ACC, R> extends KeyedProcessFunction<K, T, R> {
    private final AggregateFunction<T, ACC, R> function;
    private final Serde<ACC> serde;
    private @Nullable AggregatingState<T, R> aggregated;

    AggregatingFunction(AggregateFunction<T, ACC, R> function, Serde<ACC> serde) {
        this.function = function;
        this.serde = serde;
    }

    @Override
    public void open(OpenContext openContext) {
        aggregated = getRuntimeContext()
                .getAggregatingState(new AggregatingStateDescriptor<>("aggregated", function, serde));
    }

    @Override
    public void processElement(T value, Context ctx, Collector<R> out) {
        AggregatingState<T, R> state = Objects.requireNonNull(aggregated);
        state.add(value);
        out.collect(Objects.requireNonNull(state.get(), "getResult returned null; return a result"));
    }
}
