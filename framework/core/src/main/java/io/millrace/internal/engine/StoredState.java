package io.millrace.internal.engine;

import java.nio.charset.StandardCharsets;
import java.util.SortedMap;

/** A state as it is stored in its cell. Immutable: nobody may write into the arrays or maps. */
public sealed interface StoredState {

    /** One value. */
    record Value(byte[] data, boolean isText) implements StoredState {
        /** The value as text. */
        public String text() {
            return new String(data, StandardCharsets.UTF_8);
        }
    }

    /** A map's entries, by their keys' text. Never empty. */
    record Entries(SortedMap<String, Value> entries) implements StoredState {}
}
