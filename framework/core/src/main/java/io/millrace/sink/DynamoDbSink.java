package io.millrace.sink;

import io.millrace.internal.item.Row;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a DynamoDB table. Behind a stage with state they are written in the transaction that commits the state that
 * they came from: a row is there exactly if the state is. Behind a stage without state each row remembers what it has
 * absorbed. Several changes of one row in a commit become one, in their order. A row key that does not contain the state
 * key can be written by several keys; then the last writer wins. Immutable; its functions may be called several times for
 * one element, and must give the same each time.
 *
 * <p>Millrace adds the attribute {@value Row#GENERATION}, by which a writer of before a restore is kept from overwriting
 * newer rows; a deleted row leaves a stub with {@value Row#DELETED} and {@value Row#TIME_TO_LIVE}; rows of a stage
 * without state have {@value Row#VERSION} and entries whose names begin with {@value Row#FENCE_PREFIX}. These names are
 * refused for attributes.
 */
public final class DynamoDbSink<T> implements Sink<T> {
    private static final Pattern TABLE_NAMES = Pattern.compile("[A-Za-z0-9_.-]{3,255}");

    private final String table;
    private final RowMapping<T> mapping;
    private final boolean deletes;

    private DynamoDbSink(String table, RowMapping<T> mapping, boolean deletes) {
        if (!TABLE_NAMES.matcher(table).matches()) {
            throw new IllegalArgumentException("The table name '" + table
                    + "' is not one of DynamoDB: 3 to 255 letters, digits, '_', '.' or '-'.");
        }
        this.table = table;
        this.mapping = mapping;
        this.deletes = deletes;
    }

    /**
     * Puts rows of a record class, of which one component is marked {@link PartitionKey} and at most one
     * {@link SortKey}. Each component is an attribute, null ones are left out.
     *
     * @throws IllegalArgumentException if the table name is none (3 to 255 letters, digits, {@code _ . -}) or the class
     *     is no record with such components
     */
    public static <T extends Record> DynamoDbSink<T> rows(String table, Class<T> type) {
        return new DynamoDbSink<>(table, RecordRows.of(type), false);
    }

    /**
     * Puts rows that a function makes of elements.
     *
     * @param attributes gives an element's attributes beside the key; null ones are left out
     * @throws IllegalArgumentException if the table name is none (3 to 255 letters, digits, {@code _ . -})
     */
    public static <T> DynamoDbSink<T> rows(
            String table, RowKey<T> key, Function<? super T, ? extends Map<String, ?>> attributes) {
        Function<T, RowChange> put = element -> RowChange.put(
                Objects.requireNonNull(attributes.apply(element), "the mapper of a row gave null; use filter"));
        return new DynamoDbSink<>(table, new MappedRows<>(key, put, attributes), false);
    }

    /**
     * Changes rows as a function tells for each element: puts them, sets some of their attributes, or deletes them. The
     * table needs DynamoDB's time to live on {@value Row#TIME_TO_LIVE}, for what deleted rows leave.
     *
     * @param change tells what becomes of an element's row
     * @throws IllegalArgumentException if the table name is none (3 to 255 letters, digits, {@code _ . -})
     */
    public static <T> DynamoDbSink<T> changes(String table, RowKey<T> key, Function<? super T, RowChange> change) {
        return new DynamoDbSink<>(table, new MappedRows<>(key, change, change), true);
    }

    /** The table's name. */
    public String table() {
        return table;
    }

    /** The partition key's attribute. */
    public Row.Key partitionKey() {
        return mapping.partitionKey();
    }

    /** The sort key's attribute, if the table has one. */
    public Row.@Nullable Key sortKey() {
        return mapping.sortKey();
    }

    /** Whether it can delete rows, so that the table needs a time to live. */
    public boolean deletes() {
        return deletes;
    }

    /** The change of a row that a value makes. */
    public Row row(T value) {
        return mapping.row(table, value);
    }

    /** The classes whose code decides which row a value changes, and how. */
    public List<Class<?>> code() {
        return mapping.code();
    }
}
