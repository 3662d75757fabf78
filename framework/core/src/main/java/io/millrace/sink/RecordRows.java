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
import org.jspecify.annotations.Nullable;

/** Puts of rows that are records of an annotated class. */
record RecordRows<T>(Class<T> type, Row.Key partitionKey, Row.@Nullable Key sortKey) implements RowMapping<T> {

    static <T extends Record> RecordRows<T> of(Class<T> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            String attribute = attributeOf(component);
            if (Row.isReserved(attribute)) {
                throw new IllegalArgumentException("The component " + component.getName() + " of " + type.getName()
                        + " takes the attribute name " + attribute + ", which Millrace needs. Rename it.");
            }
        }
        Row.Key partitionKey = keyMarked(type, PartitionKey.class);
        if (partitionKey == null) {
            throw new IllegalArgumentException(
                    type.getName() + " has no component marked @PartitionKey, so its rows have no key. Mark one.");
        }
        return new RecordRows<>(type, partitionKey, keyMarked(type, SortKey.class));
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

    @Override
    public Row row(String table, T element) {
        JsonNode tree = Json.mapper().valueToTree(element);
        if (!(tree instanceof ObjectNode attributes)) {
            throw new MillraceException("A row of table " + table + " is written by Jackson as " + tree.getNodeType()
                    + ", where an object is needed: " + element.getClass().getName());
        }
        attributes.properties().removeIf(attribute -> attribute.getValue().isNull());
        return Row.of(table, partitionKey, sortKey, attributes);
    }

    @Override
    public List<Class<?>> code() {
        return List.of(type);
    }
}
