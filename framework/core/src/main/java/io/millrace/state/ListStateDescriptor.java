package io.millrace.state;

import io.millrace.serde.Json;
import io.millrace.serde.Serde;

/** Describes a {@link ListState}. */
public final class ListStateDescriptor<T> extends StateDescriptor {
    private final Serde<T> elementSerde;

    /** A list whose elements are kept as JSON. */
    public ListStateDescriptor(String name, Class<T> elementType) {
        this(name, Json.of(elementType));
    }

    public ListStateDescriptor(String name, Serde<T> elementSerde) {
        super(name);
        this.elementSerde = elementSerde;
    }

    /** How an element is stored. */
    public Serde<T> elementSerde() {
        return elementSerde;
    }
}
