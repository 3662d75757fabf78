package io.millrace.internal.engine;

import io.millrace.state.ListState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The handle of a list state. */
final class LiveList<T> implements ListState<T>, LiveState {
    private final ValueType<T> type;
    private @Nullable ListContent shown;

    LiveList(ValueType<T> type) {
        this.type = type;
    }

    @Override
    public Content load(@Nullable StoredState stored, long nowMillis) {
        if (stored != null && !(stored instanceof StoredState.Elements)) {
            throw LiveState.otherShape(type.state(), stored, "a list");
        }
        return new ListContent((StoredState.Elements) stored, nowMillis);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void show(@Nullable Content content) {
        shown = (ListContent) content;
    }

    @Override
    public @Nullable Long expiryMillis(StoredState stored) {
        return type.expiryMillis(stored);
    }

    @Override
    public Iterable<T> get() {
        ListContent content = shown();
        List<T> elements = new ArrayList<>(content.slots.size());
        content.slots.forEach(slot -> elements.add(slot.read(content.nowMillis)));
        return elements;
    }

    @Override
    public void add(T value) {
        addAll(List.of(Objects.requireNonNull(value, "a list state keeps no null")));
    }

    @Override
    public void addAll(List<? extends T> values) {
        ListContent content = shown();
        content.slots.addAll(written(values, content.nowMillis));
    }

    @Override
    public void update(List<? extends T> values) {
        ListContent content = shown();
        List<Slot<T>> slots = written(values, content.nowMillis);
        content.slots.clear();
        content.slots.addAll(slots);
    }

    @Override
    public void clear() {
        shown().slots.clear();
    }

    private List<Slot<T>> written(List<? extends T> values, long nowMillis) {
        List<Slot<T>> slots = new ArrayList<>(values.size());
        for (T value : values) {
            slots.add(Slot.ofWritten(type, Objects.requireNonNull(value, "a list state keeps no null"), nowMillis));
        }
        return slots;
    }

    private ListContent shown() {
        if (shown == null) {
            throw LiveState.notInUse(type.state());
        }
        return shown;
    }

    private final class ListContent implements Content {
        private final long nowMillis;
        private final List<Slot<T>> slots = new ArrayList<>();

        ListContent(StoredState.@Nullable Elements stored, long nowMillis) {
            this.nowMillis = nowMillis;
            if (stored != null) {
                for (StoredState.Value element : stored.elements()) {
                    Slot<T> slot = Slot.ofStored(type, element, nowMillis);
                    if (slot != null) {
                        slots.add(slot);
                    }
                }
            }
        }

        @Override
        public @Nullable StoredState store() {
            List<StoredState.Value> elements = new ArrayList<>(slots.size());
            for (Slot<T> slot : slots) {
                StoredState.Value element = slot.store();
                if (element != null) {
                    elements.add(element);
                }
            }
            return elements.isEmpty() ? null : new StoredState.Elements(elements);
        }
    }
}
