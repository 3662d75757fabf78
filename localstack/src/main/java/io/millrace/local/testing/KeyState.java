package io.millrace.local.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.RuntimeContext;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellReader;
import io.millrace.internal.engine.StoredState;
import io.millrace.serde.Json;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.State;
import io.millrace.state.ValueStateDescriptor;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a stage keeps for one key, as it was when it was asked for. Immutable. */
public final class KeyState {
    private final Cell cell;
    private final Instant time;

    KeyState(Cell cell, Instant time) {
        this.cell = cell;
        this.time = time;
    }

    /** Whether nothing is kept. */
    public boolean isEmpty() {
        return cell.states().isEmpty();
    }

    /** The names of the states that are there, sorted. */
    public Set<String> names() {
        return new TreeSet<>(cell.states().keySet());
    }

    /** A value by its descriptor; null if there is none. */
    public <T> @Nullable T value(ValueStateDescriptor<T> descriptor) {
        return get(context -> context.getState(descriptor)).value();
    }

    /** A map by its descriptor, in the order of its keys' text; empty if there is none. */
    public <UK, UV> Map<UK, UV> map(MapStateDescriptor<UK, UV> descriptor) {
        MapState<UK, UV> state = get(context -> context.getMapState(descriptor));
        Map<UK, UV> map = new LinkedHashMap<>();
        state.entries().forEach(entry -> map.put(entry.getKey(), entry.getValue()));
        return map;
    }

    /**
     * A state of any kind, registered as in {@code open}: {@code state.get(context -> context.getState(TOTALS))}. What
     * is changed through the handle is stored nowhere.
     */
    public <S extends State> S get(Function<RuntimeContext, S> registration) {
        return CellReader.read(cell, time, registration);
    }

    /**
     * A state that is stored as JSON text, without its class, and whether it is expired or not.
     *
     * @throws IllegalArgumentException if no such state is there; the message names those that are
     * @throws IllegalStateException if its serde stores something other than JSON
     */
    public JsonNode json(String name) {
        StoredState stored = cell.states().get(name);
        if (stored == null) {
            throw new IllegalArgumentException("The key '" + cell.key().key() + "' of stage '"
                    + cell.key().stage() + "' has no state '" + name + "'; it has " + names() + ".");
        }
        if (stored instanceof StoredState.Value value) {
            return json(name, value);
        }
        if (stored instanceof StoredState.Entries entries) {
            ObjectNode map = JsonNodeFactory.instance.objectNode();
            entries.entries().forEach((key, value) -> map.set(key, json(name, value)));
            return map;
        }
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        ((StoredState.Elements) stored).elements().forEach(element -> list.add(json(name, element)));
        return list;
    }

    private JsonNode json(String name, StoredState.Value value) {
        if (!value.isText()) {
            throw notJson(name, null);
        }
        try {
            return Json.mapper().readTree(value.text());
        } catch (JsonProcessingException e) {
            throw notJson(name, e);
        }
    }

    private static IllegalStateException notJson(String name, @Nullable Exception cause) {
        return new IllegalStateException(
                "The state '" + name + "' is not stored as JSON. Read it by its descriptor.", cause);
    }
}
