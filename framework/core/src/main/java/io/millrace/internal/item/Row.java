package io.millrace.internal.item;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A row to put: a table and the item. Its key is checked, as are its numbers and its size, so that DynamoDB has no
 * reason to refuse it.
 */
public record Row(String table, Key partitionKey, @Nullable Key sortKey, ObjectNode attributes) {
    /** The attribute that carries the generation that wrote a row. */
    public static final String GENERATION = "_generation";

    /** DynamoDB's limits on keys, in bytes. */
    public static final int PARTITION_KEY_BYTES_MAX = 2_048;

    public static final int SORT_KEY_BYTES_MAX = 1_024;

    /** DynamoDB's types of keys that rows have. */
    public enum KeyType {
        STRING,
        NUMBER
    }

    /** A key attribute. */
    public record Key(String attribute, KeyType type) {}

    /** What tells one row from another: table and key values. */
    public record Identity(
            String table, String partitionKey, @Nullable String sortKey) {}

    /**
     * A row whose item DynamoDB accepts.
     *
     * @throws UnacceptableException if it would not
     */
    public static Row of(String table, Key partitionKey, @Nullable Key sortKey, ObjectNode attributes) {
        checkKey(table, partitionKey, attributes, PARTITION_KEY_BYTES_MAX);
        if (sortKey != null) {
            checkKey(table, sortKey, attributes, SORT_KEY_BYTES_MAX);
        }
        Row row = new Row(table, partitionKey, sortKey, attributes);
        int bytes = row.size();
        if (bytes > ItemSize.ITEM_BYTES_MAX) {
            throw new UnacceptableException("A row of table " + table + " has " + bytes + " bytes; DynamoDB allows "
                    + ItemSize.ITEM_BYTES_MAX + " an item. Put less into a row, or several rows.");
        }
        return row;
    }

    private static void checkKey(String table, Key key, ObjectNode attributes, int bytesMax) {
        JsonNode value = attributes.get(key.attribute());
        if (value == null || value.isNull()) {
            throw new UnacceptableException(
                    "A row of table " + table + " has no " + key.attribute() + ", which is part of its key.");
        }
        boolean fits = key.type() == KeyType.NUMBER ? value.isNumber() : value.isTextual();
        if (!fits) {
            throw new UnacceptableException("The key attribute " + key.attribute() + " of a row of table " + table
                    + " is written as " + value.getNodeType() + ", where a " + key.type() + " is needed.");
        }
        int bytes = ItemSize.utf8Length(value.asText());
        if (bytes < 1 || bytes > bytesMax) {
            throw new UnacceptableException("The key attribute " + key.attribute() + " of a row of table " + table
                    + " has " + bytes + " bytes; DynamoDB allows 1 to " + bytesMax + ".");
        }
    }

    /** The size of the item, with the attribute that carries the generation. */
    public int size() {
        return ItemSize.of(attributes) + GENERATION.length() + ItemSize.NUMBER_BYTES_MAX;
    }

    /** What tells this row from others. */
    public Identity identity() {
        return new Identity(
                table, keyText(partitionKey, attributes), sortKey == null ? null : keyText(sortKey, attributes));
    }

    /** A key as text that is equal where DynamoDB takes keys as equal: as a number, 1.0 is 1. */
    private static String keyText(Key key, ObjectNode attributes) {
        JsonNode value = attributes.get(key.attribute());
        return key.type() == KeyType.NUMBER
                ? value.decimalValue().stripTrailingZeros().toPlainString()
                : value.asText();
    }
}
