package io.millrace.internal.engine;

import io.millrace.RuntimeContext;
import io.millrace.internal.plan.Deduplication;
import io.millrace.serde.Serde;
import io.millrace.state.AggregatingState;
import io.millrace.state.AggregatingStateDescriptor;
import io.millrace.state.ListState;
import io.millrace.state.ListStateDescriptor;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ReducingState;
import io.millrace.state.ReducingStateDescriptor;
import io.millrace.state.StateDescriptor;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The states that a function has registered. Not thread-safe. */
final class StateRegistry implements RuntimeContext {
    private final String stage;
    private final Map<String, LiveState> states = new LinkedHashMap<>();
    private boolean open = true;
    private long nowMillis;

    StateRegistry(String stage) {
        this.stage = stage;
    }

    @Override
    public <T> ValueState<T> getState(ValueStateDescriptor<T> descriptor) {
        return registerValue(descriptor, descriptor.serde());
    }

    @Override
    public <UK, UV> MapState<UK, UV> getMapState(MapStateDescriptor<UK, UV> descriptor) {
        return register(descriptor, new LiveMap<>(descriptor.keyCodec(), typeOf(descriptor, descriptor.valueSerde())));
    }

    @Override
    public <T> ListState<T> getListState(ListStateDescriptor<T> descriptor) {
        return register(descriptor, new LiveList<>(typeOf(descriptor, descriptor.elementSerde())));
    }

    @Override
    public <T> ReducingState<T> getReducingState(ReducingStateDescriptor<T> descriptor) {
        return new LiveReducing<>(registerValue(descriptor, descriptor.serde()), descriptor.function());
    }

    @Override
    public <IN, ACC, OUT> AggregatingState<IN, OUT> getAggregatingState(
            AggregatingStateDescriptor<IN, ACC, OUT> descriptor) {
        return new LiveAggregating<>(registerValue(descriptor, descriptor.accumulatorSerde()), descriptor.function());
    }

    /** Registers the ids of elements, a state of Millrace's own. */
    SeenIds registerIds(Deduplication deduplication) {
        SeenIds ids = new SeenIds(deduplication);
        states.put(SeenIds.NAME, ids);
        return ids;
    }

    private <T> LiveValue<T> registerValue(StateDescriptor descriptor, Serde<T> serde) {
        return register(descriptor, new LiveValue<>(typeOf(descriptor, serde)));
    }

    private static <T> ValueType<T> typeOf(StateDescriptor descriptor, Serde<T> serde) {
        return new ValueType<>(descriptor.name(), serde, TimeToLive.of(descriptor));
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

    /** Sets the time at which time to live is judged, until it is set again. */
    void setTime(Instant now) {
        nowMillis = now.toEpochMilli();
    }

    /** A cell's content, by state name. */
    Map<String, LiveState.Content> load(Cell cell) {
        Map<String, LiveState.Content> contents = new HashMap<>();
        states.forEach(
                (name, state) -> contents.put(name, state.load(cell.states().get(name), nowMillis)));
        return contents;
    }

    /** Makes all handles show a cell's content; null for none. */
    void show(@Nullable Map<String, LiveState.Content> contents) {
        states.forEach((name, state) -> state.show(contents == null ? null : contents.get(name)));
    }

    /**
     * What shall be stored of a cell. States that this code does not know stay as they are; ids go when nothing is
     * deduplicated any more, since no code of the user can clear them.
     */
    Map<String, StoredState> store(Cell cell, Map<String, LiveState.Content> contents) {
        Map<String, StoredState> stored = new HashMap<>(cell.states());
        stored.remove(SeenIds.NAME);
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

    /**
     * From when on a cell with these states is as good as one without any; the epoch if it has none. Null for never: a
     * state has no time to live, or this code does not know it.
     */
    @Nullable
    Instant expiry(Map<String, StoredState> stored) {
        Instant expiry = Instant.EPOCH;
        for (Map.Entry<String, StoredState> entry : stored.entrySet()) {
            LiveState state = states.get(entry.getKey());
            Long expiryMillis = state == null ? null : state.expiryMillis(entry.getValue());
            if (expiryMillis == null) {
                return null;
            }
            Instant other = Instant.ofEpochMilli(expiryMillis);
            expiry = expiry.isAfter(other) ? expiry : other;
        }
        return expiry;
    }
}
