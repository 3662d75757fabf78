package io.millrace;

import io.millrace.internal.item.UnacceptableException;
import io.millrace.serde.Keys;
import io.millrace.serde.Serde;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.window.TimeWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the windows of a key hold: a state that is keyed by window.
 *
 * @param <T> the elements
 * @param <R> what a window function sees of them
 */
abstract class WindowContents<T, R> {
    /** Registers the state. */
    abstract void open(RuntimeContext context);

    /**
     * Adds an element to a window.
     *
     * @param isShared whether other windows get it too, so that each must keep a copy: what is kept may be changed in place
     */
    abstract void add(TimeWindow window, T value, boolean isShared) throws Exception;

    /** What a window holds; it has something. */
    abstract List<R> get(TimeWindow window);

    /** The windows that hold something. */
    abstract List<TimeWindow> windows();

    /** Whether a window holds something. */
    abstract boolean has(TimeWindow window);

    /** Moves what some windows hold into another one, which may be one of them. */
    abstract void merge(List<TimeWindow> windows, TimeWindow target) throws Exception;

    /** Forgets a window. */
    abstract void clear(TimeWindow window);

    private static <V> V own(Serde<V> serde, V kept, boolean isShared) throws Exception {
        return isShared ? serde.deserialize(serde.serialize(kept)) : kept;
    }

    private static List<TimeWindow> windowsOf(MapState<String, ?> state) {
        List<TimeWindow> windows = new ArrayList<>();
        state.keys().forEach(text -> windows.add(TimeWindow.parse(text)));
        return windows;
    }

    /** One accumulator a window. */
    static final class Aggregated<T, ACC, R> extends WindowContents<T, R> {
        private final AggregateFunction<T, ACC, R> function;
        private final Serde<ACC> serde;
        private @Nullable MapState<String, ACC> accumulators;

        Aggregated(AggregateFunction<T, ACC, R> function, Serde<ACC> serde) {
            this.function = function;
            this.serde = serde;
        }

        @Override
        void open(RuntimeContext context) {
            accumulators = context.getMapState(new MapStateDescriptor<>("windows", Keys.STRING, serde));
        }

        private MapState<String, ACC> state() {
            return Objects.requireNonNull(accumulators, "open() comes first");
        }

        @Override
        void add(TimeWindow window, T value, boolean isShared) throws Exception {
            ACC before = state().get(window.toString());
            ACC after = function.add(value, before == null ? function.createAccumulator() : before);
            put(
                    window,
                    own(serde, Objects.requireNonNull(after, "add returned null; return an accumulator"), isShared));
        }

        private void put(TimeWindow window, ACC accumulator) {
            state().put(window.toString(), accumulator);
        }

        @Override
        List<R> get(TimeWindow window) {
            ACC accumulator = Objects.requireNonNull(state().get(window.toString()));
            return List.of(Objects.requireNonNull(
                    function.getResult(accumulator), "getResult returned null; return a result"));
        }

        @Override
        List<TimeWindow> windows() {
            return windowsOf(state());
        }

        @Override
        boolean has(TimeWindow window) {
            return state().contains(window.toString());
        }

        @Override
        void merge(List<TimeWindow> windows, TimeWindow target) {
            ACC merged = null;
            for (TimeWindow window : windows) {
                ACC part = Objects.requireNonNull(state().get(window.toString()));
                merged = merged == null ? part : function.merge(merged, part);
                clear(window);
            }
            put(target, Objects.requireNonNull(merged, "at least one window is merged"));
        }

        @Override
        void clear(TimeWindow window) {
            state().remove(window.toString());
        }
    }

    /** One reduced element a window. */
    static final class Reduced<T> extends WindowContents<T, T> {
        private final ReduceFunction<T> function;
        private final Serde<T> serde;
        private @Nullable MapState<String, T> elements;

        Reduced(ReduceFunction<T> function, Serde<T> serde) {
            this.function = function;
            this.serde = serde;
        }

        @Override
        void open(RuntimeContext context) {
            elements = context.getMapState(new MapStateDescriptor<>("windows", Keys.STRING, serde));
        }

        private MapState<String, T> state() {
            return Objects.requireNonNull(elements, "open() comes first");
        }

        @Override
        void add(TimeWindow window, T value, boolean isShared) throws Exception {
            T before = state().get(window.toString());
            state().put(window.toString(), own(serde, before == null ? value : reduced(before, value), isShared));
        }

        private T reduced(T before, T value) throws Exception {
            return Objects.requireNonNull(function.reduce(before, value), "reduce returned null; return an element");
        }

        @Override
        List<T> get(TimeWindow window) {
            return List.of(Objects.requireNonNull(state().get(window.toString())));
        }

        @Override
        List<TimeWindow> windows() {
            return windowsOf(state());
        }

        @Override
        boolean has(TimeWindow window) {
            return state().contains(window.toString());
        }

        @Override
        void merge(List<TimeWindow> windows, TimeWindow target) throws Exception {
            T merged = null;
            for (TimeWindow window : windows) {
                T part = Objects.requireNonNull(state().get(window.toString()));
                merged = merged == null ? part : reduced(merged, part);
                clear(window);
            }
            state().put(target.toString(), Objects.requireNonNull(merged, "at least one window is merged"));
        }

        @Override
        void clear(TimeWindow window) {
            state().remove(window.toString());
        }
    }

    /** All elements of a window, up to a bound; each an entry of its own, by the window and its number. */
    static final class Buffered<T> extends WindowContents<T, T> {
        private static final String SEPARATOR = "#";

        private final Serde<T> serde;
        private final int elementsMax;
        private @Nullable MapState<String, T> elements;
        private @Nullable MapState<String, Integer> counts;

        Buffered(Serde<T> serde, int elementsMax) {
            this.serde = serde;
            this.elementsMax = elementsMax;
        }

        @Override
        void open(RuntimeContext context) {
            counts = context.getMapState(new MapStateDescriptor<>("windows", String.class, Integer.class));
            elements = context.getMapState(new MapStateDescriptor<>("elements", Keys.STRING, serde));
        }

        private MapState<String, T> elements() {
            return Objects.requireNonNull(elements, "open() comes first");
        }

        private MapState<String, Integer> counts() {
            return Objects.requireNonNull(counts, "open() comes first");
        }

        private int count(TimeWindow window) {
            Integer count = counts().get(window.toString());
            return count == null ? 0 : count;
        }

        private static String key(TimeWindow window, int number) {
            return window + SEPARATOR + number;
        }

        @Override
        void add(TimeWindow window, T value, boolean isShared) throws Exception {
            int number = count(window);
            if (number == elementsMax) {
                throw new UnacceptableException(
                        "The window " + window + " of one key would hold more than " + elementsMax
                                + " elements, which is the bound that process(...) was given. Gather them by aggregate(...) or"
                                + " reduce(...), take smaller windows, or raise the bound as far as 400 KB a key allow.");
            }
            elements().put(key(window, number), own(serde, value, isShared));
            counts().put(window.toString(), number + 1);
        }

        @Override
        List<T> get(TimeWindow window) {
            List<T> all = new ArrayList<>();
            for (int number = 0; number < count(window); number++) {
                all.add(Objects.requireNonNull(elements().get(key(window, number))));
            }
            return all;
        }

        @Override
        List<TimeWindow> windows() {
            return windowsOf(counts());
        }

        @Override
        boolean has(TimeWindow window) {
            return counts().contains(window.toString());
        }

        @Override
        void merge(List<TimeWindow> windows, TimeWindow target) throws Exception {
            List<T> merged = new ArrayList<>();
            for (TimeWindow window : windows) {
                merged.addAll(get(window));
                clear(window);
            }
            for (T value : merged) {
                add(target, value, false);
            }
        }

        @Override
        void clear(TimeWindow window) {
            for (int number = 0; number < count(window); number++) {
                elements().remove(key(window, number));
            }
            counts().remove(window.toString());
        }
    }
}
