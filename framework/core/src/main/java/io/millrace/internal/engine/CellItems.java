package io.millrace.internal.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Cells as DynamoDB items: names, types and the partition key {@code stage#key#generation}. A key that would take this
 * over DynamoDB's limit is hashed there; the attribute {@value #KEY} always holds the whole key, and is compared. The
 * attribute {@value #STATE} is a map of the states, or binary: their compressed form, if that saves a write unit.
 */
public final class CellItems {
    public static final String PARTITION_KEY = "pk";
    public static final String KEY = "key";
    public static final String VERSION = "version";
    public static final String FENCE = "fence";
    public static final String STATE = "state";
    public static final String REDRIVES = "redrives";
    public static final String TIME_TO_LIVE = "ttl";

    /** Where the time is in a value that has one. */
    private static final int TIME_INDEX = 1;

    private static final int TIME_TO_LIVE_BYTES = TIME_TO_LIVE.length() + ItemSize.NUMBER_BYTES_MAX;

    private CellItems() {}

    /** The partition key's value of a cell. */
    public static String partitionKey(CellKey key) {
        String plain = key.stage() + "#" + key.key() + "#" + key.generation();
        return ItemSize.utf8Length(plain) <= Row.PARTITION_KEY_BYTES_MAX
                ? plain
                : key.stage() + "#sha256:" + sha256(key.key()) + "#" + key.generation();
    }

    /** The item of a cell that has a version; compressed if the cell is. */
    public static ObjectNode toItem(Cell cell) {
        ObjectNode item = JsonNodeFactory.instance.objectNode();
        item.put(PARTITION_KEY, partitionKey(cell.key()));
        item.put(KEY, cell.key().key());
        item.put(VERSION, cell.version());
        ObjectNode fence = item.putObject(FENCE);
        cell.fence().positions().forEach((lane, position) -> fence.put(lane, position.encode()));
        if (!cell.redrives().expiries().isEmpty()) {
            ObjectNode redrives = item.putObject(REDRIVES);
            cell.redrives().expiries().forEach((id, expiry) -> redrives.put(id, expiry.getEpochSecond()));
        }
        TimerItems.addTo(item, cell.key(), cell.time());
        if (cell.compressed() != null) {
            item.put(STATE, cell.compressed());
            return item;
        }
        ObjectNode state = item.putObject(STATE);
        new TreeMap<>(cell.states()).forEach((name, stored) -> state.set(name, toNode(stored)));
        return item;
    }

    /**
     * The cell with its states compressed if its item is large and that saves a write unit, else the cell itself.
     *
     * @param plain the cell's item
     */
    static Cell compressedIfCheaper(Cell cell, ObjectNode plain) {
        int plainBytes = ItemSize.of(plain);
        if (plainBytes <= CompressedStates.PLAIN_BYTES_MAX) {
            return cell;
        }
        byte[] compressed = CompressedStates.deflate((ObjectNode) plain.path(STATE));
        if (compressed == null) {
            return cell;
        }
        Cell smaller = new Cell(
                cell.key(), cell.version(), cell.fence(), cell.states(), cell.redrives(), cell.time(), compressed);
        boolean saves = ItemSize.writeUnits(ItemSize.of(toItem(smaller))) < ItemSize.writeUnits(plainBytes);
        return saves ? smaller : cell;
    }

    /** What the fence takes of a cell's item, its name included. */
    static int fenceBytes(ObjectNode item) {
        return ItemSize.of(JsonNodeFactory.instance.objectNode().set(FENCE, item.path(FENCE)));
    }

    /** The size of a cell's item, with the time to live that some cells get. */
    static int size(ObjectNode item) {
        return ItemSize.of(item) + TIME_TO_LIVE_BYTES;
    }

    /**
     * The cell of an item.
     *
     * @throws MillraceException if the item belongs to another key, or is no cell
     * @throws UnreadableStateException if its states are compressed and claim to be larger than any that were written
     */
    public static Cell fromItem(CellKey key, ObjectNode item) {
        if (!item.path(KEY).isTextual()
                || !item.path(VERSION).isTextual()
                || !item.path(FENCE).isObject()
                || !(item.path(STATE).isObject() || item.path(STATE).isBinary())) {
            throw unreadable(key, null);
        }
        String storedKey = item.path(KEY).asText();
        if (!storedKey.equals(key.key())) {
            throw new MillraceException("The cell " + partitionKey(key) + " belongs to another key ("
                    + storedKey.length() + " characters instead of " + key.key().length()
                    + "): two keys take the same item. Change one.");
        }
        try {
            Map<String, Position> fence = new TreeMap<>();
            for (Map.Entry<String, JsonNode> entry : item.path(FENCE).properties()) {
                fence.put(entry.getKey(), Position.decode(bytes(entry.getValue())));
            }
            byte[] compressed = item.path(STATE).binaryValue();
            JsonNode state = compressed == null ? item.path(STATE) : CompressedStates.inflate(key, compressed);
            Map<String, StoredState> states = new TreeMap<>();
            for (Map.Entry<String, JsonNode> entry : state.properties()) {
                states.put(entry.getKey(), fromNode(entry.getValue()));
            }
            Map<String, Instant> redrives = new TreeMap<>();
            for (Map.Entry<String, JsonNode> entry : item.path(REDRIVES).properties()) {
                redrives.put(
                        entry.getKey(), Instant.ofEpochSecond(entry.getValue().asLong()));
            }
            return new Cell(
                    key,
                    item.path(VERSION).asText(),
                    Fence.of(fence),
                    states,
                    DoneRedrives.of(redrives),
                    TimerItems.read(item),
                    compressed);
        } catch (IOException e) {
            throw unreadable(key, e);
        }
    }

    private static JsonNode toNode(StoredState stored) {
        if (stored instanceof StoredState.Value value) {
            return toNode(value);
        }
        if (stored instanceof StoredState.Elements list) {
            ArrayNode elements = JsonNodeFactory.instance.arrayNode();
            list.elements().forEach(value -> elements.add(toNode(value)));
            return elements;
        }
        ObjectNode entries = JsonNodeFactory.instance.objectNode();
        ((StoredState.Entries) stored)
                .entries()
                .forEach((key, value) -> entries.set(EntryNames.ofKey(key), toNode(value)));
        return entries;
    }

    /** A value with a time is a list of both. No list of values looks like it, since no value is a number. */
    private static JsonNode toNode(StoredState.Value value) {
        JsonNode data = value.isText()
                ? JsonNodeFactory.instance.textNode(value.text())
                : JsonNodeFactory.instance.binaryNode(value.data());
        return value.hasTime() ? JsonNodeFactory.instance.arrayNode().add(data).add(value.timeMillis()) : data;
    }

    private static StoredState fromNode(JsonNode node) throws IOException {
        if (node.isObject()) {
            TreeMap<String, StoredState.Value> entries = new TreeMap<>();
            for (Map.Entry<String, JsonNode> entry : node.properties()) {
                entries.put(EntryNames.toKey(entry.getKey()), valueFromNode(entry.getValue()));
            }
            return new StoredState.Entries(entries);
        }
        if (node.isArray() && !hasTime(node)) {
            List<StoredState.Value> elements = new ArrayList<>(node.size());
            for (JsonNode element : node) {
                elements.add(valueFromNode(element));
            }
            return new StoredState.Elements(elements);
        }
        return valueFromNode(node);
    }

    private static boolean hasTime(JsonNode node) {
        return node.size() == 2 && node.path(TIME_INDEX).isNumber();
    }

    private static StoredState.Value valueFromNode(JsonNode node) throws IOException {
        if (hasTime(node)) {
            return dataFromNode(node.get(0)).at(node.get(TIME_INDEX).longValue());
        }
        return dataFromNode(node);
    }

    private static StoredState.Value dataFromNode(JsonNode node) throws IOException {
        return node.isTextual()
                ? new StoredState.Value(node.textValue().getBytes(StandardCharsets.UTF_8), true)
                : new StoredState.Value(bytes(node), false);
    }

    private static byte[] bytes(JsonNode node) throws IOException {
        if (!node.isBinary()) {
            throw new IOException("a " + node.getNodeType() + " is stored where bytes are expected");
        }
        return node.binaryValue();
    }

    private static MillraceException unreadable(CellKey key, @Nullable Exception cause) {
        return new MillraceException(
                "The cell " + partitionKey(key) + " cannot be read."
                        + " Was its item written by something other than Millrace?",
                cause);
    }

    /** The SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
    public static String sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The SHA-256 of bytes, in hexadecimal. */
    public static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
