package io.millrace.internal.engine;

import io.millrace.serde.Serde;
import io.millrace.state.ValueState;
import org.jspecify.annotations.Nullable;

/** The handle of a value state. */
final class LiveValue<T> implements ValueState<T>, LiveState {
    private final String name;
    private final Serde<T> serde;
    private @Nullable ValueContent shown;

    LiveValue(String name, Serde<T> serde) {
        this.name = name;
        this.serde = serde;
    }

    @Override
    public Content load(@Nullable StoredState stored) {
        if (stored instanceof StoredState.Entries) {
            throw new UnreadableStateException(
                    "The state '" + name + "' is stored as a map, but registered as a value."
                            + " Give the new state another name.",
                    null);
        }
        return new ValueContent((StoredState.Value) stored);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void show(@Nullable Content content) {
        shown = (ValueContent) content;
    }

    @Override
    public @Nullable T value() {
        return shown().value();
    }

    @Override
    public void update(@Nullable T newValue) {
        shown().update(newValue);
    }

    @Override
    public void clear() {
        update(null);
    }

    private ValueContent shown() {
        if (shown == null) {
            throw LiveState.notInUse(name);
        }
        return shown;
    }

    /** Encoded again whenever it was looked at, since the object may have been changed in place. */
    private final class ValueContent implements Content {
        private final StoredState.@Nullable Value stored;
        private @Nullable T value;
        private boolean decoded;

        ValueContent(StoredState.@Nullable Value stored) {
            this.stored = stored;
        }

        @Nullable
        T value() {
            if (!decoded) {
                value = stored == null ? null : StateDecoding.decode(name, serde, stored);
                decoded = true;
            }
            return value;
        }

        void update(@Nullable T newValue) {
            value = newValue;
            decoded = true;
        }

        @Override
        public @Nullable StoredState store() {
            if (!decoded) {
                return stored;
            }
            return value == null ? null : new StoredState.Value(serde.serialize(value), serde.isText());
        }
    }
}
