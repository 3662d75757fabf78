package io.millrace.local.internal.dynamodb;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A table with its items and indexes. Guarded by the lock of the {@link TableStore}. */
final class Table {
    static final int ITEM_BYTES_MAX = 400 * 1_024;

    private final TableDefinition definition;
    private final TreeMap<StoredKey, MapValue> items = new TreeMap<>();
    private final Map<String, SecondaryIndex> indexes = new LinkedHashMap<>();
    private @Nullable String expiryAttribute;
    private long sizeBytes;

    Table(TableDefinition definition) {
        this.definition = definition;
        definition.newIndexes().forEach(index -> indexes.put(index.name(), index));
    }

    TableDefinition definition() {
        return definition;
    }

    String name() {
        return definition.name();
    }

    KeySchema keys() {
        return definition.keys();
    }

    NavigableMap<StoredKey, MapValue> items() {
        return items;
    }

    Collection<SecondaryIndex> indexes() {
        return indexes.values();
    }

    SecondaryIndex index(String name) {
        SecondaryIndex index = indexes.get(name);
        if (index == null) {
            throw ServiceErrors.validation("The table does not have the specified index: " + name);
        }
        return index;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** The attribute by which items expire, or null while that is disabled. */
    @Nullable
    String expiryAttribute() {
        return expiryAttribute;
    }

    void setExpiryAttribute(@Nullable String attribute) {
        this.expiryAttribute = attribute;
    }

    @Nullable
    MapValue get(StoredKey key) {
        return items.get(key);
    }

    /** Checks what every item must satisfy before it is stored. */
    void requireStorable(MapValue item, String tooLargeMessage) {
        if (item.itemSizeBytes() > ITEM_BYTES_MAX) {
            throw ServiceErrors.validation(tooLargeMessage);
        }
        for (SecondaryIndex index : indexes.values()) {
            index.keys().requireIndexable(item, index.name());
        }
    }

    /** Applies a checked change and answers what it costs. */
    CapacityUnits apply(Change change) {
        MapValue after = change.after();
        if (after == null) {
            items.remove(change.key());
        } else {
            items.put(change.key(), after);
        }
        sizeBytes += (after == null ? 0 : after.itemSizeBytes())
                - (change.before() == null ? 0 : change.before().itemSizeBytes());
        CapacityUnits units = new CapacityUnits().addTable(CapacityUnits.writes(change.costBytes()));
        for (SecondaryIndex index : indexes.values()) {
            units.addIndex(index.name(), index.apply(change));
        }
        return units;
    }

    /** The deletions of the items whose time to live ended before the moment, none of them applied yet. */
    List<Change> expired(long nowEpochSeconds) {
        if (expiryAttribute == null) {
            return List.of();
        }
        Expiry expiry = new Expiry(expiryAttribute, nowEpochSeconds);
        return items.entrySet().stream()
                .filter(entry -> expiry.isExpired(entry.getValue()))
                .map(entry -> new Change(entry.getKey(), entry.getValue(), null))
                .toList();
    }
}
