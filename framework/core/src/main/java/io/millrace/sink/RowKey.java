package io.millrace.sink;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.Row;
import io.millrace.serde.Json;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The key of a table's rows: the names of its one or two attributes, their types, and how they are read from an
 * element. Immutable.
 *
 * <pre>{@code RowKey.text("account", Posting::account).thenNumber("posting", Posting::number)}</pre>
 */
public final class RowKey<T> {
    private final Part<T> partition;
    private final @Nullable Part<T> sort;

    /** One attribute of the key. */
    private record Part<T>(Row.Key key, Function<? super T, ?> value) {}

    private RowKey(Part<T> partition, @Nullable Part<T> sort) {
        this.partition = partition;
        this.sort = sort;
    }

    /** A partition key of text, 1 to 2,048 bytes. */
    public static <T> RowKey<T> text(String attribute, Function<? super T, String> value) {
        return new RowKey<>(part(attribute, Row.KeyType.STRING, value), null);
    }

    /** A partition key that is a number of at most 38 digits. */
    public static <T> RowKey<T> number(String attribute, Function<? super T, ? extends Number> value) {
        return new RowKey<>(part(attribute, Row.KeyType.NUMBER, value), null);
    }

    /** This partition key with a sort key of text, 1 to 1,024 bytes. */
    public RowKey<T> thenText(String attribute, Function<? super T, String> value) {
        return then(part(attribute, Row.KeyType.STRING, value));
    }

    /** This partition key with a sort key that is a number of at most 38 digits. */
    public RowKey<T> thenNumber(String attribute, Function<? super T, ? extends Number> value) {
        return then(part(attribute, Row.KeyType.NUMBER, value));
    }

    private RowKey<T> then(Part<T> part) {
        if (sort != null) {
            throw new IllegalArgumentException("The key has a sort key, " + sort.key.attribute()
                    + ", already; DynamoDB has one partition key and at most one sort key.");
        }
        if (part.key.attribute().equals(partition.key.attribute())) {
            throw new IllegalArgumentException("The sort key has the name of the partition key, " + part.key.attribute()
                    + ". Give it another one.");
        }
        return new RowKey<>(partition, part);
    }

    private static <T> Part<T> part(String attribute, Row.KeyType type, Function<? super T, ?> value) {
        if (attribute.isEmpty() || Row.isReserved(attribute)) {
            throw new IllegalArgumentException("The key attribute '" + attribute
                    + "' is empty, or a name that Millrace needs for itself. Rename it.");
        }
        return new Part<>(new Row.Key(attribute, type), value);
    }

    Row.Key partitionKey() {
        return partition.key;
    }

    Row.@Nullable Key sortKey() {
        return sort == null ? null : sort.key;
    }

    /** Whether an attribute is part of the key. */
    boolean contains(String attribute) {
        return attribute.equals(partition.key.attribute()) || (sort != null && attribute.equals(sort.key.attribute()));
    }

    /** Writes the key of an element into a row's attributes. */
    void write(T element, ObjectNode attributes) {
        write(partition, element, attributes);
        if (sort != null) {
            write(sort, element, attributes);
        }
    }

    private static <T> void write(Part<T> part, T element, ObjectNode attributes) {
        attributes.set(part.key.attribute(), Json.mapper().valueToTree(part.value.apply(element)));
    }

    /** The functions that decide the key. */
    Class<?>[] code() {
        return sort == null
                ? new Class<?>[] {partition.value.getClass()}
                : new Class<?>[] {partition.value.getClass(), sort.value.getClass()};
    }
}
