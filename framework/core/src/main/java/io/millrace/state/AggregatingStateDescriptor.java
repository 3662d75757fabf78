package io.millrace.state;

import io.millrace.AggregateFunction;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;

/** Describes an {@link AggregatingState}. The accumulator is stored as a {@link ValueState} of its type is. */
public final class AggregatingStateDescriptor<IN, ACC, OUT> extends StateDescriptor {
    private final AggregateFunction<IN, ACC, OUT> function;
    private final Serde<ACC> accumulatorSerde;

    /** A state whose accumulator is kept as JSON. */
    public AggregatingStateDescriptor(
            String name, AggregateFunction<IN, ACC, OUT> function, Class<ACC> accumulatorType) {
        this(name, function, Json.of(accumulatorType));
    }

    public AggregatingStateDescriptor(
            String name, AggregateFunction<IN, ACC, OUT> function, Serde<ACC> accumulatorSerde) {
        super(name);
        this.function = function;
        this.accumulatorSerde = accumulatorSerde;
    }

    /** What adds elements to the accumulator and takes results from it. */
    public AggregateFunction<IN, ACC, OUT> function() {
        return function;
    }

    /** How the accumulator is stored. */
    public Serde<ACC> accumulatorSerde() {
        return accumulatorSerde;
    }
}
