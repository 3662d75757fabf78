package io.millrace.internal.engine;

import io.millrace.serde.KeyCodec;
import io.millrace.state.MapState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The handle of a map state. */
final class LiveMap<K, V> implements MapState<K, V>, LiveState {
    private final KeyCodec<K> keyCodec;
    private final ValueType<V> type;
    private @Nullable MapContent shown;

    LiveMap(KeyCodec<K> keyCodec, ValueType<V> type) {
        this.keyCodec = keyCodec;
        this.type = type;
    }

    @Override
    public Content load(@Nullable StoredState stored, long nowMillis) {
        if (stored != null && !(stored instanceof StoredState.Entries)) {
            throw LiveState.otherShape(type.state(), stored, "a map");
        }
        return new MapContent((StoredState.Entries) stored, nowMillis);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void show(@Nullable Content content) {
        shown = (MapContent) content;
    }

    @Override
    public @Nullable Long expiryMillis(StoredState stored) {
        return type.expiryMillis(stored);
    }

    @Override
    public @Nullable V get(K key) {
        MapContent content = shown();
        Slot<V> slot = content.slots.get(keyCodec.encode(key));
        return slot == null ? null : slot.read(content.nowMillis);
    }

    @Override
    public void put(K key, V value) {
        Objects.requireNonNull(value, "a map state keeps no null; use remove to drop an entry");
        MapContent content = shown();
        content.slots.put(
                EntryNames.checked(type.state(), keyCodec.encode(key)), Slot.ofWritten(type, value, content.nowMillis));
    }

    @Override
    public void remove(K key) {
        shown().slots.remove(keyCodec.encode(key));
    }

    @Override
    public boolean contains(K key) {
        MapContent content = shown();
        Slot<V> slot = content.slots.get(keyCodec.encode(key));
        if (slot != null) {
            slot.noteRead(content.nowMillis);
        }
        return slot != null;
    }

    @Override
    public boolean isEmpty() {
        return shown().slots.isEmpty();
    }

    @Override
    public Iterable<Map.Entry<K, V>> entries() {
        MapContent content = shown();
        List<Map.Entry<K, V>> entries = new ArrayList<>(content.slots.size());
        content.slots.forEach(
                (key, slot) -> entries.add(Map.entry(keyCodec.decode(key), slot.read(content.nowMillis))));
        return entries;
    }

    @Override
    public void clear() {
        shown().slots.clear();
    }

    private MapContent shown() {
        if (shown == null) {
            throw LiveState.notInUse(type.state());
        }
        return shown;
    }

    /** Entries are decoded one by one when used, and only those are encoded again. */
    private final class MapContent implements Content {
        private final long nowMillis;
        private final TreeMap<String, Slot<V>> slots = new TreeMap<>();

        MapContent(StoredState.@Nullable Entries stored, long nowMillis) {
            this.nowMillis = nowMillis;
            if (stored != null) {
                stored.entries().forEach((key, value) -> {
                    Slot<V> slot = Slot.ofStored(type, value, nowMillis);
                    if (slot != null) {
                        slots.put(key, slot);
                    }
                });
            }
        }

        @Override
        public @Nullable StoredState store() {
            TreeMap<String, StoredState.Value> entries = new TreeMap<>();
            slots.forEach((key, slot) -> {
                StoredState.Value value = slot.store();
                if (value != null) {
                    entries.put(key, value);
                }
            });
            return entries.isEmpty() ? null : new StoredState.Entries(entries);
        }
    }
}
