package io.millrace;

import io.millrace.internal.operator.OperatorContext;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.window.EarlyFiring;
import io.millrace.window.ProcessWindowFunction;
import io.millrace.window.TimeWindow;
import io.millrace.window.WindowAssigner;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The operator of windows, by the rules of Flink's: an element goes into each of its windows that is not over, a window
 * fires when the watermark has reached its last millisecond and for each element that comes behind that, and is over, and
 * forgotten, when the watermark is the allowed lateness further. Each window's timers carry its name.
 *
 * @param <R> what a window holds, as the window function sees it
 */
final class WindowingFunction<K, T, R, O> extends KeyedProcessFunction<K, T, O> {
    private final Windowing<T> windowing;
    private final WindowContents<T, R> contents;
    private final ProcessWindowFunction<R, O, K> function;
    private @Nullable MapState<String, Long> unshown;

    /**
     * How elements are divided, and when windows fire and end.
     *
     * @param lateOutput where elements go that are too late for all their windows; null to count and drop them
     */
    record Windowing<T>(
            WindowAssigner assigner,
            long latenessMillis,
            @Nullable OutputTag<T> lateOutput,
            @Nullable EarlyFiring earlyFiring) {
        long cleanupTime(TimeWindow window) {
            return window.maxTimestamp() + latenessMillis;
        }
    }

    WindowingFunction(Windowing<T> windowing, WindowContents<T, R> contents, ProcessWindowFunction<R, O, K> function) {
        this.windowing = windowing;
        this.contents = contents;
        this.function = function;
    }

    @Override
    public void open(OpenContext openContext) {
        contents.open(getRuntimeContext());
        if (windowing.earlyFiring() != null) {
            unshown = getRuntimeContext().getMapState(new MapStateDescriptor<>("unshown", String.class, Long.class));
        }
    }

    @Override
    public void processElement(T value, Context ctx, Collector<O> out) throws Exception {
        OperatorContext operator = (OperatorContext) ctx;
        boolean isLate = true;
        List<TimeWindow> windows = windowing.assigner().assignWindows(operator.operatorTimestamp());
        for (TimeWindow assigned : windows) {
            List<TimeWindow> met = windowing.assigner().isMerging() ? windowsThatMeet(assigned, operator) : List.of();
            TimeWindow window = met.stream().reduce(assigned, TimeWindow::cover);
            if (!isOver(window, operator)) {
                isLate = false;
                merge(met, window, operator);
                contents.add(window, value, windows.size() > 1);
                onAdded(window, ctx, operator, out);
            }
        }
        if (isLate) {
            onLate(value, ctx, operator);
        }
    }

    private void onLate(T value, Context ctx, OperatorContext operator) {
        if (windowing.lateOutput() == null) {
            operator.countLate();
        } else {
            ctx.output(windowing.lateOutput(), value);
        }
    }

    private boolean isOver(TimeWindow window, OperatorContext operator) {
        return windowing.cleanupTime(window) <= operator.currentWatermark();
    }

    /**
     * Sessions that have a millisecond in common with a window or touch it, by their start. One that is over can still be
     * there, when its timer failed or has not fired yet: nothing is added to it any more.
     */
    private List<TimeWindow> windowsThatMeet(TimeWindow window, OperatorContext operator) {
        return contents.windows().stream()
                .filter(window::intersects)
                .filter(known -> !isOver(known, operator))
                .sorted()
                .toList();
    }

    private void merge(List<TimeWindow> met, TimeWindow target, OperatorContext operator) throws Exception {
        if (met.isEmpty() || met.equals(List.of(target))) {
            return;
        }
        long unshownBefore = 0;
        for (TimeWindow window : met) {
            unshownBefore += forgetTimers(window, operator);
        }
        contents.merge(met, target);
        if (windowing.earlyFiring() instanceof EarlyFiring.EveryElements && unshownBefore > 0) {
            unshown().put(target.toString(), unshownBefore);
        }
    }

    /** A window has got an element: it fires if it is complete already, else its timers are set. */
    private void onAdded(TimeWindow window, Context ctx, OperatorContext operator, Collector<O> out) throws Exception {
        String name = window.toString();
        operator.registerTimer(TimeDomain.EVENT_TIME, windowing.cleanupTime(window), name);
        if (window.maxTimestamp() <= operator.currentWatermark()) {
            fire(window, ctx, operator, out);
            return;
        }
        operator.registerTimer(TimeDomain.EVENT_TIME, window.maxTimestamp(), name);
        if (windowing.earlyFiring() instanceof EarlyFiring.EveryElements every) {
            Long before = unshown().get(name);
            long now = before == null ? 1 : before + 1;
            if (now >= every.count()) {
                unshown().remove(name);
                fire(window, ctx, operator, out);
            } else {
                unshown().put(name, now);
            }
        } else if (windowing.earlyFiring() instanceof EarlyFiring.Every every
                && !unshown().contains(name)) {
            long due = operator.currentProcessingTime() + every.delayMillis();
            unshown().put(name, due);
            operator.registerTimer(TimeDomain.PROCESSING_TIME, due, name);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext ctx, Collector<O> out) throws Exception {
        OperatorContext operator = (OperatorContext) ctx;
        TimeWindow window = TimeWindow.parse(operator.timerName());
        if (!contents.has(window)) {
            return;
        }
        if (ctx.timeDomain() == TimeDomain.PROCESSING_TIME) {
            unshown().remove(window.toString());
            fire(window, ctx, operator, out);
            return;
        }
        if (timestamp == window.maxTimestamp()) {
            forgetUnshown(window, operator);
            fire(window, ctx, operator, out);
        }
        if (timestamp == windowing.cleanupTime(window)) {
            contents.clear(window);
        }
    }

    private void fire(TimeWindow window, Context ctx, OperatorContext operator, Collector<O> out) throws Exception {
        ProcessWindowFunction.Context ofWindow = new ProcessWindowFunction.Context() {
            @Override
            public TimeWindow window() {
                return window;
            }

            @Override
            public long currentWatermark() {
                return operator.currentWatermark();
            }

            @Override
            public long currentProcessingTime() {
                return operator.currentProcessingTime();
            }

            @Override
            public <X> void output(OutputTag<X> outputTag, X value) {
                ctx.output(outputTag, value);
            }
        };
        function.process(ctx.getCurrentKey(), ofWindow, contents.get(window), out);
    }

    /** Takes a window's timers back, and returns how many of its elements were not shown, where that is counted. */
    private long forgetTimers(TimeWindow window, OperatorContext operator) {
        operator.deleteTimer(TimeDomain.EVENT_TIME, window.maxTimestamp(), window.toString());
        operator.deleteTimer(TimeDomain.EVENT_TIME, windowing.cleanupTime(window), window.toString());
        return forgetUnshown(window, operator);
    }

    private long forgetUnshown(TimeWindow window, OperatorContext operator) {
        if (windowing.earlyFiring() == null) {
            return 0;
        }
        String name = window.toString();
        Long before = unshown().get(name);
        if (before == null) {
            return 0;
        }
        unshown().remove(name);
        if (windowing.earlyFiring() instanceof EarlyFiring.Every) {
            operator.deleteTimer(TimeDomain.PROCESSING_TIME, before, name);
        }
        return before;
    }

    private MapState<String, Long> unshown() {
        return Objects.requireNonNull(unshown, "windows that fire early have this state");
    }
}
