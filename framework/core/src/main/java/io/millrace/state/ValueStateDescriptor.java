package io.millrace.state;

import io.millrace.serde.Json;
import io.millrace.serde.Serde;

/** Describes a {@link ValueState}. */
public final class ValueStateDescriptor<T> extends StateDescriptor {
    private final Serde<T> serde;

    /** A state kept as JSON. */
    public ValueStateDescriptor(String name, Class<T> type) {
        this(name, Json.of(type));
    }

    public ValueStateDescriptor(String name, Serde<T> serde) {
        super(name);
        this.serde = serde;
    }

    /** How the value is stored. */
    public Serde<T> serde() {
        return serde;
    }
}
