package io.millrace.local.internal.dynamodb;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A map value, and so also a whole item: names and values in two arrays sorted by name, because a million items must fit
 * into a small heap. Immutable: changes make a new map that shares the values.
 */
final class MapValue implements Value {
    static final MapValue EMPTY = new MapValue(new String[0], new Value[0]);

    private final String[] names;
    private final Value[] values;
    private final int contentBytes;

    private MapValue(String[] names, Value[] values) {
        this.names = names;
        this.values = values;
        int bytes = 0;
        for (int i = 0; i < names.length; i++) {
            bytes += Utf8.lengthBytes(names[i]) + values[i].sizeBytes();
        }
        this.contentBytes = bytes;
    }

    static MapValue of(Map<String, Value> attributes) {
        if (attributes.isEmpty()) {
            return EMPTY;
        }
        TreeMap<String, Value> sorted = new TreeMap<>(attributes);
        return new MapValue(
                sorted.keySet().toArray(new String[0]), sorted.values().toArray(new Value[0]));
    }

    @Nullable
    Value get(String name) {
        int index = Arrays.binarySearch(names, name);
        return index >= 0 ? values[index] : null;
    }

    int count() {
        return names.length;
    }

    String name(int index) {
        return names[index];
    }

    Value value(int index) {
        return values[index];
    }

    MapValue with(String name, Value value) {
        int index = Arrays.binarySearch(names, name);
        if (index >= 0) {
            Value[] changed = values.clone();
            changed[index] = value;
            return new MapValue(names, changed);
        }
        int insertion = -index - 1;
        String[] newNames = new String[names.length + 1];
        Value[] newValues = new Value[names.length + 1];
        System.arraycopy(names, 0, newNames, 0, insertion);
        System.arraycopy(values, 0, newValues, 0, insertion);
        newNames[insertion] = name;
        newValues[insertion] = value;
        System.arraycopy(names, insertion, newNames, insertion + 1, names.length - insertion);
        System.arraycopy(values, insertion, newValues, insertion + 1, names.length - insertion);
        return new MapValue(newNames, newValues);
    }

    MapValue without(String name) {
        int index = Arrays.binarySearch(names, name);
        if (index < 0) {
            return this;
        }
        String[] newNames = new String[names.length - 1];
        Value[] newValues = new Value[names.length - 1];
        System.arraycopy(names, 0, newNames, 0, index);
        System.arraycopy(values, 0, newValues, 0, index);
        System.arraycopy(names, index + 1, newNames, index, newNames.length - index);
        System.arraycopy(values, index + 1, newValues, index, newNames.length - index);
        return new MapValue(newNames, newValues);
    }

    /** The attributes of these names, as far as they exist. */
    MapValue only(Collection<String> wanted) {
        TreeMap<String, Value> kept = new TreeMap<>();
        for (String name : wanted) {
            Value value = get(name);
            if (value != null) {
                kept.put(name, value);
            }
        }
        return of(kept);
    }

    /** The size as an item: names and values, without the overhead of a nested map. */
    int itemSizeBytes() {
        return contentBytes;
    }

    @Override
    public AttributeType type() {
        return AttributeType.M;
    }

    @Override
    public int sizeBytes() {
        return CONTAINER_OVERHEAD_BYTES + ELEMENT_OVERHEAD_BYTES * names.length + contentBytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MapValue map
                && contentBytes == map.contentBytes
                && Arrays.equals(names, map.names)
                && Arrays.equals(values, map.values);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(names) + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return "MapValue" + Arrays.toString(names);
    }
}
