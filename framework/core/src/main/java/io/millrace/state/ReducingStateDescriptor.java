package io.millrace.state;

import io.millrace.ReduceFunction;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;

/** Describes a {@link ReducingState}. It is stored as a {@link ValueState} of the same type is. */
public final class ReducingStateDescriptor<T> extends StateDescriptor {
    private final ReduceFunction<T> function;
    private final Serde<T> serde;

    /** A state kept as JSON. */
    public ReducingStateDescriptor(String name, ReduceFunction<T> function, Class<T> type) {
        this(name, function, Json.of(type));
    }

    public ReducingStateDescriptor(String name, ReduceFunction<T> function, Serde<T> serde) {
        super(name);
        this.function = function;
        this.serde = serde;
    }

    /** What combines an added value into the state. */
    public ReduceFunction<T> function() {
        return function;
    }

    /** How the value is stored. */
    public Serde<T> serde() {
        return serde;
    }
}
