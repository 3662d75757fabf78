package io.millrace.internal.engine;

import io.millrace.RuntimeContext;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.StateDescriptor;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The states that a function has registered. Not thread-safe. */
final class StateRegistry implements RuntimeContext {
    private final String stage;
    private final Map<String, LiveState> states = new LinkedHashMap<>();
    private boolean open = true;

    StateRegistry(String stage) {
        this.stage = stage;
    }

    @Override
    public <T> ValueState<T> getState(ValueStateDescriptor<T> descriptor) {
        return register(descriptor, new LiveValue<>(descriptor.name(), descriptor.serde()));
    }

    @Override
    public <UK, UV> MapState<UK, UV> getMapState(MapStateDescriptor<UK, UV> descriptor) {
        return register(descriptor, new LiveMap<>(descriptor.name(), descriptor.keyCodec(), descriptor.valueSerde()));
    }

    private <S extends LiveState> S register(StateDescriptor descriptor, S state) {
        if (!open) {
            throw new IllegalStateException("The state '" + descriptor.name() + "' of stage '" + stage
                    + "' is registered too late: register all state in open().");
        }
        if (states.putIfAbsent(descriptor.name(), state) != null) {
            throw new IllegalStateException("The state '" + descriptor.name() + "' of stage '" + stage
                    + "' is registered twice: keep the handle of the first time, or take another name.");
        }
        return state;
    }

    /** Closes registration. */
    void close() {
        open = false;
    }

    /** A cell's content, by state name. */
    Map<String, LiveState.Content> load(Cell cell) {
        Map<String, LiveState.Content> contents = new HashMap<>();
        states.forEach(
                (name, state) -> contents.put(name, state.load(cell.states().get(name))));
        return contents;
    }

    /** Makes all handles show a cell's content; null for none. */
    void show(@Nullable Map<String, LiveState.Content> contents) {
        states.forEach((name, state) -> state.show(contents == null ? null : contents.get(name)));
    }

    /** What shall be stored of a cell; states that this code does not know stay as they are. */
    Map<String, StoredState> store(Cell cell, Map<String, LiveState.Content> contents) {
        Map<String, StoredState> stored = new HashMap<>(cell.states());
        contents.forEach((name, content) -> {
            StoredState state = content.store();
            if (state == null) {
                stored.remove(name);
            } else {
                stored.put(name, state);
            }
        });
        return stored;
    }
}
