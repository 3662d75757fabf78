package io.millrace.internal.item;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A change of one row: its table, its key, and what becomes of it. Key, numbers and size are checked, so that DynamoDB
 * has no reason to refuse it that can be known without the row as it is stored. Immutable: nobody may write into the
 * attributes.
 *
 * @param attributes with {@link Action#PUT} the whole item; with {@link Action#SET} the key and what is set, null for
 *     what is removed; with {@link Action#DELETE} the key
 */
public record Row(String table, Key partitionKey, @Nullable Key sortKey, Action action, ObjectNode attributes) {
    /** The attribute that carries the generation that wrote a row. */
    public static final String GENERATION = "_generation";

    /** The attribute by which the stub of a deleted row is known: true. */
    public static final String DELETED = "_deleted";

    /** The attribute that holds when a stub expires, in seconds since 1970. */
    public static final String TIME_TO_LIVE = "_ttl";

    /** The attribute that holds the nonce of the last write, in rows of stages without state. */
    public static final String VERSION = "_version";

    /** What the names of fence entries begin with, in rows of stages without state; the lane's name follows. */
    public static final String FENCE_PREFIX = "_f.";

    /** DynamoDB's limits on keys, in bytes. */
    public static final int PARTITION_KEY_BYTES_MAX = 2_048;

    public static final int SORT_KEY_BYTES_MAX = 1_024;

    /**
     * The most attributes that are set or removed in one write. DynamoDB takes an expression of 4 KB with 300 operators,
     * in which each attribute takes an operator and some 12 bytes.
     */
    public static final int SET_ATTRIBUTES_MAX = 200;

    private static final int OWN_BYTES = GENERATION.length() + ItemSize.NUMBER_BYTES_MAX;
    private static final int STUB_BYTES = DELETED.length() + 1 + TIME_TO_LIVE.length() + ItemSize.NUMBER_BYTES_MAX;

    /** DynamoDB's types of keys that rows have. */
    public enum KeyType {
        STRING,
        NUMBER
    }

    /** What becomes of a row. */
    public enum Action {
        /** It becomes exactly this. */
        PUT,
        /** Some of its attributes change, the others stay; it is made if it is not there. */
        SET,
        /** It is deleted. */
        DELETE
    }

    /** A key attribute. */
    public record Key(String attribute, KeyType type) {}

    /** What tells one row from another: table and key values. */
    public record Identity(
            String table, String partitionKey, @Nullable String sortKey) {
        /** A text that no other row has: the length tells where the partition key ends. */
        public String text() {
            String first = table + "#" + partitionKey.length() + "#" + partitionKey;
            return sortKey == null ? first : first + "#" + sortKey;
        }
    }

    /**
     * A put of a row whose item DynamoDB accepts.
     *
     * @throws UnacceptableException if it would not
     */
    public static Row of(String table, Key partitionKey, @Nullable Key sortKey, ObjectNode attributes) {
        return of(table, partitionKey, sortKey, Action.PUT, attributes);
    }

    /**
     * A change of a row that DynamoDB accepts, as far as can be known.
     *
     * @throws UnacceptableException if it would not
     */
    public static Row of(String table, Key partitionKey, @Nullable Key sortKey, Action action, ObjectNode attributes) {
        checkKey(table, partitionKey, attributes, PARTITION_KEY_BYTES_MAX);
        if (sortKey != null) {
            checkKey(table, sortKey, attributes, SORT_KEY_BYTES_MAX);
        }
        Row row = new Row(table, partitionKey, sortKey, action, attributes);
        row.checkFits();
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

    /** Whether an attribute's name is one that Millrace keeps for itself. */
    public static boolean isReserved(String attribute) {
        return attribute.equals(GENERATION)
                || attribute.equals(DELETED)
                || attribute.equals(TIME_TO_LIVE)
                || attribute.equals(VERSION)
                || attribute.startsWith(FENCE_PREFIX);
    }

    /** Whether DynamoDB takes it, as far as can be known: a merged change can be too much where its parts were not. */
    public boolean fits() {
        return size() <= ItemSize.ITEM_BYTES_MAX && attributesSet() <= SET_ATTRIBUTES_MAX;
    }

    /**
     * Checks that DynamoDB takes it, as far as can be known.
     *
     * @throws UnacceptableException if it does not
     */
    public void checkFits() {
        int bytes = size();
        if (bytes > ItemSize.ITEM_BYTES_MAX) {
            throw new UnacceptableException("A row of table " + table + " has " + bytes + " bytes; DynamoDB allows "
                    + ItemSize.ITEM_BYTES_MAX + " an item. Put less into a row, or several rows.");
        }
        if (attributesSet() > SET_ATTRIBUTES_MAX) {
            throw new UnacceptableException(
                    attributesSet() + " attributes of a row of table " + table + " are set at once; "
                            + SET_ATTRIBUTES_MAX + " are allowed, since DynamoDB takes an expression of 4 KB."
                            + " Put the row instead, or keep them in a map attribute.");
        }
    }

    private int attributesSet() {
        return action == Action.SET ? attributes.size() - (sortKey == null ? 1 : 2) : 0;
    }

    /** The size of the item, as far as it is known, with the attributes that Millrace adds. */
    public int size() {
        return ItemSize.of(attributes) + OWN_BYTES + (action == Action.DELETE ? STUB_BYTES : 0);
    }

    /**
     * What this change and a later one of the same row come to, as one. It need not {@linkplain #fits() fit}. A set behind
     * a delete is a put of what is set, not a set over the row that was there before.
     */
    public Row followedBy(Row later) {
        if (later.action != Action.SET) {
            return later;
        }
        ObjectNode merged = action == Action.DELETE ? attributes.objectNode() : attributes.deepCopy();
        merged.setAll(later.attributes);
        Action both = action == Action.SET ? Action.SET : Action.PUT;
        if (both == Action.PUT) {
            merged.properties().removeIf(attribute -> attribute.getValue().isNull());
        }
        return new Row(table, partitionKey, sortKey, both, merged);
    }

    /** What tells this row from others. */
    public Identity identity() {
        return identityOf(attributes);
    }

    /** What tells an item of this row's table from others. */
    public Identity identityOf(ObjectNode item) {
        return new Identity(table, keyText(partitionKey, item), sortKey == null ? null : keyText(sortKey, item));
    }

    /** A key as text that is equal where DynamoDB takes keys as equal: as a number, 1.0 is 1. */
    private static String keyText(Key key, ObjectNode attributes) {
        JsonNode value = attributes.get(key.attribute());
        return key.type() == KeyType.NUMBER
                ? value.decimalValue().stripTrailingZeros().toPlainString()
                : value.asText();
    }
}
