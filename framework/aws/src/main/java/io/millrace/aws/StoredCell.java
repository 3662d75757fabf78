package io.millrace.aws;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.StoredState;
import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.UnacceptableException;
import io.millrace.serde.Json;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Serde;
import io.millrace.time.WatermarkStrategy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a stage keeps of a key, as one item of the state table had it at one moment. Readable without the pipeline's
 * classes; who has them reads values by {@link #value(String, Serde)}, {@link #list} and {@link #map}. Immutable.
 *
 * <p>An item that is no cell that Millrace wrote, or is damaged, is a cell too, one that {@linkplain #isReadable is not
 * readable}: all that it has is its stage, key, generation and size, as far as the item tells.
 */
public final class StoredCell {
    private final String itemKey;
    private final CellKey cellKey;
    private final int bytes;
    private final boolean compressed;
    private final @Nullable Instant expiry;
    private final @Nullable Cell cell;
    private final @Nullable String damage;

    private StoredCell(ObjectNode item, CellKey cellKey, @Nullable Cell cell, @Nullable String damage) {
        this.itemKey = item.path(CellItems.PARTITION_KEY).asText();
        this.cellKey = cellKey;
        this.bytes = sizeOf(item);
        this.compressed = item.path(CellItems.STATE).isBinary();
        this.expiry = item.path(CellItems.TIME_TO_LIVE).isNumber()
                ? Instant.ofEpochSecond(item.path(CellItems.TIME_TO_LIVE).longValue())
                : null;
        this.cell = cell;
        this.damage = damage;
    }

    /** The cell of an item, readable or not. */
    static StoredCell of(ObjectNode item) {
        String itemKey = item.path(CellItems.PARTITION_KEY).asText();
        CellName name = CellName.parse(itemKey);
        if (name == null) {
            CellKey unknown = new CellKey(itemKey.replaceFirst("(?s)#.*", ""), itemKey, 0);
            return new StoredCell(item, unknown, null, "Its partition key is not STAGE#KEY#GENERATION.");
        }
        boolean hasKey = item.path(CellItems.KEY).isTextual();
        String key = hasKey ? item.path(CellItems.KEY).asText() : name.key();
        CellKey cellKey = new CellKey(name.stage(), key, name.generation());
        try {
            Cell cell = CellItems.fromItem(cellKey, item);
            return CellItems.partitionKey(cellKey).equals(itemKey)
                    ? new StoredCell(item, cellKey, cell, null)
                    : new StoredCell(item, cellKey, null, "Its attribute 'key' belongs to another partition key.");
        } catch (MillraceException e) {
            return new StoredCell(item, cellKey, null, messageOf(e));
        }
    }

    private static String messageOf(MillraceException failure) {
        Throwable cause = failure.getCause();
        return failure.getMessage() + (cause == null ? "" : " (" + cause.getMessage() + ")");
    }

    /** An item that another program wrote may have a number that Millrace would refuse; 0 then. */
    private static int sizeOf(ObjectNode item) {
        try {
            return ItemSize.of(item);
        } catch (UnacceptableException e) {
            return 0;
        }
    }

    /** The item's partition key: {@code STAGE#KEY#GENERATION}, with a hash for the key if that is long. */
    public String itemKey() {
        return itemKey;
    }

    /** The uid of its stage. */
    public String stage() {
        return cellKey.stage();
    }

    /** Its key, as the key codec writes it. */
    public String key() {
        return cellKey.key();
    }

    /** The generation that wrote it; 0 if it is not readable and does not tell. */
    public long generation() {
        return cellKey.generation();
    }

    /** The size of its item in bytes, as DynamoDB counts it; 0 if it is not readable and cannot be counted. */
    public int bytes() {
        return bytes;
    }

    /** Whether its states are stored compressed. */
    public boolean isCompressed() {
        return compressed;
    }

    /** When DynamoDB deletes it, as one of which all state has a time to live; null for never. */
    public @Nullable Instant expiry() {
        return expiry;
    }

    /** Whether it could be read. If not, only {@link #damage} tells more than its name and size. */
    public boolean isReadable() {
        return cell != null;
    }

    /** Why it cannot be read, in sentences; null if it can. */
    public @Nullable String damage() {
        return damage;
    }

    private Cell cell() {
        if (cell == null) {
            throw new MillraceException("The cell " + itemKey + " cannot be read: " + damage);
        }
        return cell;
    }

    /**
     * Its states by their names. That of {@code deduplicate} is {@code _ids}, a running reduce's is {@code reduced}, a running
     * aggregate's {@code aggregated}.
     *
     * @throws MillraceException if it is not readable, as all methods below
     */
    public SortedMap<String, StoredStateView> states() {
        TreeMap<String, StoredStateView> states = new TreeMap<>();
        cell().states().forEach((name, stored) -> states.put(name, view(stored)));
        return Collections.unmodifiableSortedMap(states);
    }

    private static StoredStateView view(StoredState stored) {
        if (stored instanceof StoredState.Value value) {
            return new StoredStateView.OfValue(new StoredValue(value));
        }
        if (stored instanceof StoredState.Elements list) {
            return new StoredStateView.OfList(
                    list.elements().stream().map(StoredValue::new).toList());
        }
        TreeMap<String, StoredValue> entries = new TreeMap<>();
        ((StoredState.Entries) stored).entries().forEach((key, value) -> entries.put(key, new StoredValue(value)));
        return new StoredStateView.OfMap(entries);
    }

    /** Whether it keeps neither state nor timers any more, only what it has absorbed. */
    public boolean isTombstone() {
        return cell().isTombstone();
    }

    /** Its timers in the order in which they fire, those of event time first. */
    public List<StoredTimer> timers() {
        return cell().time().timers().entrySet().stream()
                .map(entry -> new StoredTimer(
                        entry.getKey().domain(),
                        Instant.ofEpochMilli(entry.getKey().time()),
                        entry.getKey().name(),
                        entry.getValue()))
                .toList();
    }

    /**
     * The highest watermark at which its timers have fired; null if there was none. The end of the input is the latest time
     * that a {@code long} has.
     */
    public @Nullable Instant watermark() {
        long watermark = cell().time().watermark();
        return watermark == WatermarkStrategy.NO_WATERMARK ? null : Instant.ofEpochMilli(watermark);
    }

    /**
     * What it has absorbed, by lane. A lane is named by the index of its stream among the pipeline's sources and the number of
     * its shard: {@code 0.12}.
     */
    public SortedMap<String, StoredPosition> fence() {
        TreeMap<String, StoredPosition> fence = new TreeMap<>();
        cell().fence()
                .positions()
                .forEach((lane, position) -> fence.put(
                        lane, new StoredPosition(position.sequenceNumber().digits(), position.subSequence())));
        return Collections.unmodifiableSortedMap(fence);
    }

    /** The redrives that it has absorbed, each with the time at which it may be forgotten. */
    public SortedMap<String, Instant> redrives() {
        return cell().redrives().expiries();
    }

    /** What names the write that made it. */
    public String version() {
        return String.valueOf(cell().version());
    }

    /**
     * The value of a state that has one, for who has its class; empty if nothing is stored under the name.
     *
     * @throws MillraceException if the state is a list or a map, the serde cannot read it, or the cell is not readable
     */
    public <T> Optional<T> value(String name, Serde<T> serde) {
        StoredStateView view = states().get(name);
        if (view == null) {
            return Optional.empty();
        }
        if (view instanceof StoredStateView.OfValue of) {
            return Optional.of(read(name, of.value(), serde));
        }
        throw otherKind(name, view, "value");
    }

    /**
     * The value of a state that is stored as JSON.
     *
     * @throws MillraceException as {@link #value(String, Serde)}
     */
    public <T> Optional<T> value(String name, Class<T> type) {
        return value(name, Json.of(type));
    }

    /**
     * The elements of a list state, in their order; none if nothing is stored under the name.
     *
     * @throws MillraceException if the state is no list, the serde cannot read it, or the cell is not readable
     */
    public <T> List<T> list(String name, Serde<T> serde) {
        StoredStateView view = states().get(name);
        if (view == null) {
            return List.of();
        }
        if (view instanceof StoredStateView.OfList of) {
            List<T> elements = new ArrayList<>();
            of.elements().forEach(element -> elements.add(read(name, element, serde)));
            return Collections.unmodifiableList(elements);
        }
        throw otherKind(name, view, "list");
    }

    /**
     * The entries of a map state, in the order of their user keys' texts; none if nothing is stored under the name.
     *
     * @throws MillraceException if the state is no map, the codec or the serde cannot read it, or the cell is not readable
     */
    public <K, V> Map<K, V> map(String name, KeyCodec<K> keys, Serde<V> values) {
        StoredStateView view = states().get(name);
        if (view == null) {
            return Map.of();
        }
        if (view instanceof StoredStateView.OfMap of) {
            Map<K, V> entries = new LinkedHashMap<>();
            of.entries().forEach((key, value) -> entries.put(decode(name, key, keys), read(name, value, values)));
            return Collections.unmodifiableMap(entries);
        }
        throw otherKind(name, view, "map");
    }

    private <T> T read(String name, StoredValue value, Serde<T> serde) {
        try {
            return value.read(serde);
        } catch (Exception e) {
            throw undecodable(name, serde.description(), e);
        }
    }

    private <K> K decode(String name, String key, KeyCodec<K> keys) {
        try {
            return keys.decode(key);
        } catch (RuntimeException e) {
            throw undecodable(name, keys.description(), e);
        }
    }

    private MillraceException undecodable(String name, String by, Exception cause) {
        return new MillraceException(
                "The state '" + name + "' of the cell " + itemKey + " cannot be read by " + by
                        + ". Is it the type that the pipeline's code gives to the state?",
                cause);
    }

    private MillraceException otherKind(String name, StoredStateView view, String wanted) {
        return new MillraceException("The state '" + name + "' of the cell " + itemKey + " is stored as a "
                + view.kind() + ", not as a " + wanted + ". Read it as a " + view.kind() + ".");
    }

    @Override
    public String toString() {
        return itemKey;
    }
}
