package io.millrace.sink;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.item.Row;
import io.millrace.serde.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Changes of rows by functions of the user's.
 *
 * @param mapper the user's function, by which the change is known
 */
record MappedRows<T>(RowKey<T> key, Function<? super T, RowChange> change, Object mapper) implements RowMapping<T> {
    @Override
    public Row.Key partitionKey() {
        return key.partitionKey();
    }

    @Override
    public Row.@Nullable Key sortKey() {
        return key.sortKey();
    }

    @Override
    public Row row(String table, T element) {
        ObjectNode attributes = JsonNodeFactory.instance.objectNode();
        key.write(element, attributes);
        RowChange made = Objects.requireNonNull(
                change.apply(element), "the mapper of a row gave null; use filter to drop elements");
        Row.Action action = Row.Action.DELETE;
        if (made instanceof RowChange.Put put) {
            action = Row.Action.PUT;
            write(table, put.attributes(), attributes);
            attributes.properties().removeIf(attribute -> attribute.getValue().isNull());
        } else if (made instanceof RowChange.Set set) {
            action = Row.Action.SET;
            write(table, set.attributes(), attributes);
        }
        return Row.of(table, key.partitionKey(), key.sortKey(), action, attributes);
    }

    private void write(String table, Map<String, ?> values, ObjectNode attributes) {
        values.forEach((name, value) -> {
            String problem = problemOf(name);
            if (problem != null) {
                throw new MillraceException("An attribute of a row of table " + table + " has the name '" + name + "', "
                        + problem + " Rename it.");
            }
            attributes.set(name, Json.mapper().valueToTree(value));
        });
    }

    private @Nullable String problemOf(String name) {
        if (name.isEmpty()) {
            return "but DynamoDB has no empty names.";
        }
        if (key.contains(name)) {
            return "which is part of the key: the key's own function tells its value.";
        }
        return Row.isReserved(name) ? "which Millrace needs for itself." : null;
    }

    @Override
    public List<Class<?>> code() {
        List<Class<?>> code = new ArrayList<>(List.of(key.code()));
        code.add(mapper.getClass());
        return code;
    }
}
