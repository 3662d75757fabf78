package io.millrace.state;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A map a key. It is stored in the key's cell, so the whole of it must stay small (DynamoDB: 400 KB a cell). It is
 * walked in the order of the user keys' text form. The returned collections are snapshots.
 */
public interface MapState<UK, UV> extends State {
    /** The value of a user key, or null if there is none. */
    @Nullable
    UV get(UK key);

    /** Sets the value of a user key; neither may be null. */
    void put(UK key, UV value);

    /** Puts all entries. */
    default void putAll(Map<? extends UK, ? extends UV> map) {
        map.forEach(this::put);
    }

    /** Removes a user key, if it is there. */
    void remove(UK key);

    /** Whether a user key is there. */
    boolean contains(UK key);

    /** Whether the map has no entry. */
    boolean isEmpty();

    /** All entries. */
    Iterable<Map.Entry<UK, UV>> entries();

    /** All user keys. */
    default Iterable<UK> keys() {
        return stream(entries()).map(Map.Entry::getKey).toList();
    }

    /** All values. */
    default Iterable<UV> values() {
        return stream(entries()).map(Map.Entry::getValue).toList();
    }

    private static <T> java.util.stream.Stream<T> stream(Iterable<T> elements) {
        return java.util.stream.StreamSupport.stream(elements.spliterator(), false);
    }
}
