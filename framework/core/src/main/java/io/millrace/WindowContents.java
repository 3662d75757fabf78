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

    /** One value a window, into which all elements go. */
    private abstract static class OneValue<T, V, R> extends WindowContents<T, R> {
        private final Serde<V> serde;
        private @Nullable MapState<String, V> values;

        OneValue(Serde<V> serde) {
            this.serde = serde;
        }

        /** The value with an element more; there is none before the first one. */
        abstract V added(@Nullable V before, T element) throws Exception;

        abstract V merged(V one, V other) throws Exception;

        abstract R result(V value);

        @Override
        final void open(RuntimeContext context) {
            values = context.getMapState(new MapStateDescriptor<>("windows", Keys.STRING, serde));
        }

        private MapState<String, V> state() {
            return Objects.requireNonNull(values, "open() comes first");
        }

        private V value(TimeWindow window) {
            return Objects.requireNonNull(state().get(window.toString()));
        }

        @Override
        final void add(TimeWindow window, T element, boolean isShared) throws Exception {
            state().put(window.toString(), own(serde, added(state().get(window.toString()), element), isShared));
        }

        @Override
        final List<R> get(TimeWindow window) {
            return List.of(result(value(window)));
        }

        @Override
        final List<TimeWindow> windows() {
            return windowsOf(state());
        }

        @Override
        final boolean has(TimeWindow window) {
            return state().contains(window.toString());
        }

        @Override
        final void merge(List<TimeWindow> windows, TimeWindow target) throws Exception {
            V merged = null;
            for (TimeWindow window : windows) {
                merged = merged == null ? value(window) : merged(merged, value(window));
                clear(window);
            }
            state().put(target.toString(), Objects.requireNonNull(merged, "at least one window is merged"));
        }

        @Override
        final void clear(TimeWindow window) {
            state().remove(window.toString());
        }
    }

    /** One accumulator a window. */
    static final class Aggregated<T, ACC, R> extends OneValue<T, ACC, R> {
        private final AggregateFunction<T, ACC, R> function;

        Aggregated(AggregateFunction<T, ACC, R> function, Serde<ACC> serde) {
            super(serde);
            this.function = function;
        }

        @Override
        ACC added(@Nullable ACC before, T element) {
            ACC after = function.add(element, before == null ? function.createAccumulator() : before);
            return Objects.requireNonNull(after, "add returned null; return an accumulator");
        }

        @Override
        ACC merged(ACC one, ACC other) {
            return function.merge(one, other);
        }

        @Override
        R result(ACC accumulator) {
            return Objects.requireNonNull(function.getResult(accumulator), "getResult returned null; return a result");
        }
    }

    /** One reduced element a window. */
    static final class Reduced<T> extends OneValue<T, T, T> {
        private final ReduceFunction<T> function;

        Reduced(ReduceFunction<T> function, Serde<T> serde) {
            super(serde);
            this.function = function;
        }

        @Override
        T added(@Nullable T before, T element) throws Exception {
            return before == null ? element : merged(before, element);
        }

        @Override
        T merged(T one, T other) throws Exception {
            return Objects.requireNonNull(function.reduce(one, other), "reduce returned null; return an element");
        }

        @Override
        T result(T element) {
            return element;
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
