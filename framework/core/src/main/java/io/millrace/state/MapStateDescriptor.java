package io.millrace.state;

import io.millrace.serde.Json;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Keys;
import io.millrace.serde.Serde;

/** Describes a {@link MapState}. */
public final class MapStateDescriptor<UK, UV> extends StateDescriptor {
    private final KeyCodec<UK> keyCodec;
    private final Serde<UV> valueSerde;

    public MapStateDescriptor(String name, KeyCodec<UK> keyCodec, Serde<UV> valueSerde) {
        super(name);
        this.keyCodec = keyCodec;
        this.valueSerde = valueSerde;
    }

    /** A map whose values are kept as JSON, with user keys of a type that {@link Keys#of} knows. */
    public MapStateDescriptor(String name, Class<UK> keyType, Class<UV> valueType) {
        this(name, Keys.of(keyType), Json.of(valueType));
    }

    /** How a user key becomes text. */
    public KeyCodec<UK> keyCodec() {
        return keyCodec;
    }

    /** How a value is stored. */
    public Serde<UV> valueSerde() {
        return valueSerde;
    }
}
