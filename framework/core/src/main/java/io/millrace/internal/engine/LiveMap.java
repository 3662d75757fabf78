package io.millrace.internal.engine;

import io.millrace.serde.KeyCodec;
import io.millrace.serde.Serde;
import io.millrace.state.MapState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The handle of a map state. */
final class LiveMap<K, V> implements MapState<K, V>, LiveState {
    private final String name;
    private final KeyCodec<K> keyCodec;
    private final Serde<V> serde;
    private @Nullable MapContent shown;

    LiveMap(String name, KeyCodec<K> keyCodec, Serde<V> serde) {
        this.name = name;
        this.keyCodec = keyCodec;
        this.serde = serde;
    }

    @Override
    public Content load(@Nullable StoredState stored) {
        if (stored instanceof StoredState.Value) {
            throw new UnreadableStateException(
                    "The state '" + name + "' is stored as a value, but registered as a map."
                            + " Give the new state another name.",
                    null);
        }
        return new MapContent((StoredState.Entries) stored);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void show(@Nullable Content content) {
        shown = (MapContent) content;
    }

    @Override
    public @Nullable V get(K key) {
        return shown().get(keyCodec.encode(key));
    }

    @Override
    public void put(K key, V value) {
        Objects.requireNonNull(value, "a map state keeps no null; use remove to drop an entry");
        shown().decoded.put(keyCodec.encode(key), value);
    }

    @Override
    public void remove(K key) {
        String encoded = keyCodec.encode(key);
        shown().decoded.remove(encoded);
        shown().stored.remove(encoded);
    }

    @Override
    public boolean contains(K key) {
        String encoded = keyCodec.encode(key);
        return shown().decoded.containsKey(encoded) || shown().stored.containsKey(encoded);
    }

    @Override
    public boolean isEmpty() {
        return shown().decoded.isEmpty() && shown().stored.isEmpty();
    }

    @Override
    public Iterable<Map.Entry<K, V>> entries() {
        MapContent content = shown();
        TreeSet<String> keys = new TreeSet<>(content.stored.keySet());
        keys.addAll(content.decoded.keySet());
        List<Map.Entry<K, V>> entries = new ArrayList<>(keys.size());
        for (String key : keys) {
            entries.add(Map.entry(keyCodec.decode(key), Objects.requireNonNull(content.get(key))));
        }
        return entries;
    }

    @Override
    public void clear() {
        shown().decoded.clear();
        shown().stored.clear();
    }

    private MapContent shown() {
        if (shown == null) {
            throw LiveState.notInUse(name);
        }
        return shown;
    }

    /** Entries are decoded one by one when used, and only those are encoded again. */
    private final class MapContent implements Content {
        private final TreeMap<String, StoredState.Value> stored;
        private final Map<String, V> decoded = new HashMap<>();

        MapContent(StoredState.@Nullable Entries entries) {
            stored = entries == null ? new TreeMap<>() : new TreeMap<>(entries.entries());
        }

        @Nullable
        V get(String key) {
            V value = decoded.get(key);
            StoredState.Value found = stored.get(key);
            if (value == null && found != null) {
                value = StateDecoding.decode(name, serde, found);
                decoded.put(key, value);
            }
            return value;
        }

        @Override
        public @Nullable StoredState store() {
            TreeMap<String, StoredState.Value> all = new TreeMap<>(stored);
            decoded.forEach(
                    (key, value) -> all.put(key, new StoredState.Value(serde.serialize(value), serde.isText())));
            return all.isEmpty() ? null : new StoredState.Entries(all);
        }
    }
}
