package io.millrace.internal.engine;

import io.millrace.state.ValueState;
import org.jspecify.annotations.Nullable;

/** The handle of a value state. */
final class LiveValue<T> implements ValueState<T>, LiveState {
    private final ValueType<T> type;
    private @Nullable ValueContent shown;

    LiveValue(ValueType<T> type) {
        this.type = type;
    }

    @Override
    public Content load(@Nullable StoredState stored, long nowMillis) {
        if (stored != null && !(stored instanceof StoredState.Value)) {
            throw LiveState.otherShape(type.state(), stored, "a value");
        }
        return new ValueContent((StoredState.Value) stored, nowMillis);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void show(@Nullable Content content) {
        shown = (ValueContent) content;
    }

    @Override
    public @Nullable Long expiryMillis(StoredState stored) {
        return type.expiryMillis(stored);
    }

    @Override
    public @Nullable T value() {
        ValueContent content = shown();
        return content.slot == null ? null : content.slot.read(content.nowMillis);
    }

    /** The value to which something is added: an expired one is none, whether it is seen or not. */
    @Nullable
    T valueToAddTo() {
        ValueContent content = shown();
        return content.slot == null || content.slot.isExpired() ? null : content.slot.read(content.nowMillis);
    }

    @Override
    public void update(@Nullable T newValue) {
        ValueContent content = shown();
        content.slot = newValue == null ? null : Slot.ofWritten(type, newValue, content.nowMillis);
    }

    @Override
    public void clear() {
        update(null);
    }

    private ValueContent shown() {
        if (shown == null) {
            throw LiveState.notInUse(type.state());
        }
        return shown;
    }

    private final class ValueContent implements Content {
        private final long nowMillis;
        private @Nullable Slot<T> slot;

        ValueContent(StoredState.@Nullable Value stored, long nowMillis) {
            this.nowMillis = nowMillis;
            this.slot = stored == null ? null : Slot.ofStored(type, stored, nowMillis);
        }

        @Override
        public @Nullable StoredState store() {
            return slot == null ? null : slot.store();
        }
    }
}
