package io.millrace.internal.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedMap;

/** A state as it is stored in its cell. Immutable: nobody may write into the arrays, maps or lists. */
public sealed interface StoredState {
    /** The time of a value whose state has no time to live. */
    long NO_TIME = Long.MIN_VALUE;

    /** The latest time of its values; {@link #NO_TIME} if none has one. */
    long latestTimeMillis();

    /**
     * One value.
     *
     * @param timeMillis when its time to live began, since the epoch; {@link #NO_TIME} if it has none
     */
    record Value(byte[] data, boolean isText, long timeMillis) implements StoredState {
        public Value(byte[] data, boolean isText) {
            this(data, isText, NO_TIME);
        }

        /** The value as text. */
        public String text() {
            return new String(data, StandardCharsets.UTF_8);
        }

        boolean hasTime() {
            return timeMillis != NO_TIME;
        }

        /** The same value with another time. */
        Value at(long newTimeMillis) {
            return new Value(data, isText, newTimeMillis);
        }

        @Override
        public long latestTimeMillis() {
            return timeMillis;
        }
    }

    /** A map's entries, by their keys' text. Never empty. */
    record Entries(SortedMap<String, Value> entries) implements StoredState {
        @Override
        public long latestTimeMillis() {
            return entries.values().stream().mapToLong(Value::timeMillis).max().orElse(NO_TIME);
        }
    }

    /** A list's elements. Never empty. */
    record Elements(List<Value> elements) implements StoredState {
        @Override
        public long latestTimeMillis() {
            return elements.stream().mapToLong(Value::timeMillis).max().orElse(NO_TIME);
        }
    }
}
