package io.millrace.sink;

import java.util.Map;

/**
 * What becomes of a row: it is put, some of its attributes are set, or it is deleted. Which row is told by the sink's
 * {@link RowKey}, so a change names no key attributes. Several changes of one row, made in one commit, are merged in
 * their order. Immutable as long as nobody changes the map behind it.
 *
 * <p>Values are text, numbers, booleans, {@code byte[]}, {@code java.time} values, lists, maps, and whatever else
 * Jackson writes. At most 400 KB a row, as DynamoDB counts.
 */
public sealed interface RowChange permits RowChange.Put, RowChange.Set, RowChange.Delete {

    /** The row becomes exactly this, whatever it was: attributes that it had and that are not named here are gone. */
    record Put(Map<String, ?> attributes) implements RowChange {}

    /** These attributes change and all others stay. */
    record Set(Map<String, ?> attributes) implements RowChange {}

    /** The row is deleted. */
    record Delete() implements RowChange {}

    /** The row becomes exactly this. An attribute that is null is left out. */
    static RowChange put(Map<String, ?> attributes) {
        return new Put(attributes);
    }

    /**
     * These attributes change and all others stay; one that is null is removed from the row. A row that is not there is
     * made. At most 200 attributes.
     */
    static RowChange set(Map<String, ?> attributes) {
        return new Set(attributes);
    }

    /**
     * The row is deleted. What stays for a while is a stub: the key, {@code _deleted} (true), {@code _generation} and
     * {@code _ttl}, at which DynamoDB's time to live may take it. Readers pass over items that have {@code _deleted}.
     */
    static RowChange delete() {
        return new Delete();
    }
}
