package io.millrace.internal.engine;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.TimeDomain;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A stage whose functions do with their timers what a test tells them, over cells that are stored as items. */
final class TimerProbe implements PipelineDefinition {
    static final Duration OUT_OF_ORDERNESS = Duration.ofMillis(10);

    /** An element: its text is its name, and tells the function nothing. */
    record Event(String key, String name, long time) {}

    /** What the function was called with, in its order: a row each. */
    record Called(@PartitionKey String key, @SortKey String what, long time) {}

    /** What a test lets the function do. */
    interface OnElement {
        void run(Event event, KeyedProcessFunction<String, Event, Called>.Context ctx, Collector<Called> out)
                throws Exception;
    }

    /** What a test lets the function do when a timer fires. */
    interface OnTimer {
        void run(long time, KeyedProcessFunction<String, Event, Called>.OnTimerContext ctx, Collector<Called> out)
                throws Exception;
    }

    final CellStore store = new CellStore();
    final List<String> calls = new ArrayList<>();
    final StageEngine engine;
    OnElement onElement = (event, ctx, out) -> {};
    OnTimer onTimer = (time, ctx, out) -> {};
    long watermark = WatermarkStrategy.NO_WATERMARK;
    long clockMillis;
    private int records;
    private int versions;

    TimerProbe() {
        engine = new StageEngine(PipelineBuilder.plan(this).stage("timers"), () -> "v" + ++versions);
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("events", Json.of(Event.class))
                .filter(event -> !event.name().equals("filtered before"))
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Event>forBoundedOutOfOrderness(OUT_OF_ORDERNESS)
                        .withTimestampAssigner((event, arrival) -> event.time()))
                .filter(event -> !event.name().equals("filtered behind"))
                .keyBy(Event::key)
                .process(new Probe())
                .uid("timers")
                .sinkTo(DynamoDbSink.rows("calls", Called.class));
    }

    private final class Probe extends KeyedProcessFunction<String, Event, Called> {
        @Override
        public void processElement(Event event, Context ctx, Collector<Called> out) throws Exception {
            calls.add(event.name());
            onElement.run(event, ctx, out);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext ctx, Collector<Called> out) throws Exception {
            calls.add((ctx.timeDomain() == TimeDomain.EVENT_TIME ? "event " : "processing ") + timestamp);
            onTimer.run(timestamp, ctx, out);
        }
    }

    StageTime time() {
        return new StageTime(Instant.ofEpochMilli(clockMillis), watermark);
    }

    static Event event(String name) {
        return new Event("a", name, 0);
    }

    static InputRecord record(int position, Event event) {
        return EngineHarness.record(position, Json.of(Event.class).serialize(event));
    }

    RoutedRecord route(Event event) throws RecordFailure {
        return engine.route(record(++records, event));
    }

    /** Runs records over the cells as they are stored, and commits nothing. */
    RunResult run(Condemned condemned, Event... events) throws RecordFailure {
        List<RoutedRecord> routed = new ArrayList<>();
        Map<String, Cell> cells = new LinkedHashMap<>();
        for (Event event : events) {
            RoutedRecord one = route(event);
            routed.add(one);
            one.elements().keySet().forEach(key -> cells.computeIfAbsent(key, this::cell));
        }
        return engine.run(EngineHarness.LANE, time(), routed, cells, condemned, Set.of(), () -> false);
    }

    /** Runs and commits records. */
    List<Unit> process(Event... events) throws RecordFailure {
        RunResult result = run(new Condemned(), events);
        if (result.failure() != null) {
            throw result.failure();
        }
        List<Unit> units =
                result.units().values().stream().flatMap(List::stream).toList();
        units.forEach(store::commit);
        return units;
    }

    /** Fires and commits the due timers of the cell, as a sweep does. */
    List<Unit> sweep() throws TimerFailure {
        List<Unit> units = engine.fireTimers(cell("a"), time());
        units.forEach(store::commit);
        return units;
    }

    Cell cell(String key) {
        return store.load(new CellKey("timers", key, 1));
    }
}
