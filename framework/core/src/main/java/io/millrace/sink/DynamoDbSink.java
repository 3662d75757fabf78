package io.millrace.sink;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.item.Row;
import io.millrace.serde.Json;
import java.lang.annotation.Annotation;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a DynamoDB table, put in the transaction that commits the state that they came from: a row is there exactly
 * if the state is. Several rows of one key in a batch become one put, the last one's. A row key that does not contain
 * the state key can be written by several keys; then the last writer wins. Immutable.
 *
 * <p>Each component of the record is an attribute, null ones are left out. Millrace adds the attribute
 * {@value Row#GENERATION}, by which a writer of before a restore is kept from overwriting newer rows.
 */
public final class DynamoDbSink<T> implements Sink<T> {
    private static final Pattern TABLE_NAMES = Pattern.compile("[A-Za-z0-9_.-]{3,255}");

    private final String table;
    private final Row.Key partitionKey;
    private final Row.@Nullable Key sortKey;

    private DynamoDbSink(String table, Row.Key partitionKey, Row.@Nullable Key sortKey) {
        this.table = table;
        this.partitionKey = partitionKey;
        this.sortKey = sortKey;
    }

    /**
     * Puts rows of a record class, of which one component is marked {@link PartitionKey} and at most one
     * {@link SortKey}.
     *
     * @throws IllegalArgumentException if the table name is none (3 to 255 letters, digits, {@code _ . -}) or the class
     *     is no record with such components
     */
    public static <T extends Record> DynamoDbSink<T> rows(String table, Class<T> type) {
        if (!TABLE_NAMES.matcher(table).matches()) {
            throw new IllegalArgumentException("The table name '" + table
                    + "' is not one of DynamoDB: 3 to 255 letters, digits, '_', '.' or '-'.");
        }
        for (RecordComponent component : type.getRecordComponents()) {
            if (attributeOf(component).equals(Row.GENERATION)) {
                throw new IllegalArgumentException("The component " + component.getName() + " of " + type.getName()
                        + " takes the attribute name " + Row.GENERATION + ", which Millrace needs. Rename it.");
            }
        }
        Row.Key partitionKey = keyMarked(type, PartitionKey.class);
        if (partitionKey == null) {
            throw new IllegalArgumentException(
                    type.getName() + " has no component marked @PartitionKey, so its rows have no key. Mark one.");
        }
        return new DynamoDbSink<>(table, partitionKey, keyMarked(type, SortKey.class));
    }

    private static Row.@Nullable Key keyMarked(Class<?> type, Class<? extends Annotation> marker) {
        List<RecordComponent> marked = Arrays.stream(type.getRecordComponents())
                .filter(component -> component.isAnnotationPresent(marker))
                .toList();
        if (marked.size() > 1) {
            throw new IllegalArgumentException(type.getName() + " has " + marked.size() + " components marked @"
                    + marker.getSimpleName() + "; one is allowed.");
        }
        if (marked.isEmpty()) {
            return null;
        }
        RecordComponent component = marked.get(0);
        return new Row.Key(attributeOf(component), keyTypeOf(type, component));
    }

    private static String attributeOf(RecordComponent component) {
        JsonProperty property = component.getAccessor().getAnnotation(JsonProperty.class);
        return property == null || property.value().isEmpty() ? component.getName() : property.value();
    }

    private static Row.KeyType keyTypeOf(Class<?> type, RecordComponent component) {
        Class<?> component1 = component.getType();
        if (component1 == String.class || component1.getPackageName().startsWith("java.time")) {
            return Row.KeyType.STRING;
        }
        if (Number.class.isAssignableFrom(component1) || component1 == int.class || component1 == long.class) {
            return Row.KeyType.NUMBER;
        }
        throw new IllegalArgumentException("The key component " + component.getName() + " of " + type.getName()
                + " is a " + component1.getName() + "; a String, a java.time type or a number is needed.");
    }

    /** The table's name. */
    public String table() {
        return table;
    }

    /** The partition key's attribute. */
    public Row.Key partitionKey() {
        return partitionKey;
    }

    /** The sort key's attribute, if the table has one. */
    public Row.@Nullable Key sortKey() {
        return sortKey;
    }

    /** The row of a value. */
    public Row row(T value) {
        JsonNode tree = Json.mapper().valueToTree(value);
        if (!(tree instanceof ObjectNode attributes)) {
            throw new MillraceException("A row of table " + table + " is written by Jackson as " + tree.getNodeType()
                    + ", where an object is needed: " + value.getClass().getName());
        }
        attributes.properties().removeIf(attribute -> attribute.getValue().isNull());
        return Row.of(table, partitionKey, sortKey, attributes);
    }
}
