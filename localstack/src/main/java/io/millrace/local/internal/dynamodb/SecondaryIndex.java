package io.millrace.local.internal.dynamodb;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A global secondary index: the items of its table that have its key attributes, each reduced to what is projected.
 * Unlike the real ones it is never behind its table. Guarded by the lock of the {@link TableStore}.
 */
final class SecondaryIndex {
    private final String name;
    private final KeySchema keys;
    private final ProjectionType projectionType;
    private final List<String> nonKeyAttributes;
    private final Set<String> projected;
    private final TreeMap<StoredKey, MapValue> entries = new TreeMap<>();

    /** What an index holds of an item beside the keys. */
    enum ProjectionType {
        ALL,
        KEYS_ONLY,
        INCLUDE
    }

    SecondaryIndex(
            String name,
            KeySchema keys,
            KeySchema tableKeys,
            ProjectionType projectionType,
            List<String> nonKeyAttributes) {
        this.name = name;
        this.keys = keys;
        this.projectionType = projectionType;
        this.nonKeyAttributes = List.copyOf(nonKeyAttributes);
        Set<String> names = new LinkedHashSet<>(keys.names());
        names.addAll(tableKeys.names());
        names.addAll(nonKeyAttributes);
        this.projected = names;
    }

    String name() {
        return name;
    }

    KeySchema keys() {
        return keys;
    }

    ProjectionType projectionType() {
        return projectionType;
    }

    List<String> nonKeyAttributes() {
        return nonKeyAttributes;
    }

    boolean projects(String attribute) {
        return projectionType == ProjectionType.ALL || projected.contains(attribute);
    }

    NavigableMap<StoredKey, MapValue> entries() {
        return entries;
    }

    long sizeBytes() {
        return entries.values().stream().mapToLong(MapValue::itemSizeBytes).sum();
    }

    /** Follows a change of the table and answers what it costs: nothing, one write, or two when the entry moves. */
    double apply(Change change) {
        StoredKey oldKey = keyOf(change, change.before());
        StoredKey newKey = keyOf(change, change.after());
        MapValue oldEntry = oldKey == null ? null : entries.get(oldKey);
        MapValue newEntry = newKey == null || change.after() == null ? null : project(change.after());
        if (newKey != null && newKey.equals(oldKey)) {
            return replace(newKey, oldEntry, newEntry);
        }
        double units = 0;
        if (oldKey != null && oldEntry != null) {
            entries.remove(oldKey);
            units += CapacityUnits.writes(oldEntry.itemSizeBytes());
        }
        if (newKey != null && newEntry != null) {
            entries.put(newKey, newEntry);
            units += CapacityUnits.writes(newEntry.itemSizeBytes());
        }
        return units;
    }

    private double replace(StoredKey key, @Nullable MapValue oldEntry, @Nullable MapValue newEntry) {
        if (oldEntry == null || newEntry == null) {
            throw new IllegalStateException("index " + name + " has lost the entry of an item that did not move");
        }
        entries.put(key, newEntry);
        if (newEntry.equals(oldEntry)) {
            return 0;
        }
        return CapacityUnits.writes(Math.max(oldEntry.itemSizeBytes(), newEntry.itemSizeBytes()));
    }

    private @Nullable StoredKey keyOf(Change change, @Nullable MapValue item) {
        return item == null ? null : keys.inIndex(item, change.key());
    }

    private MapValue project(MapValue item) {
        return projectionType == ProjectionType.ALL ? item : item.only(projected);
    }
}
