package io.millrace.internal.engine;

import io.millrace.AggregateFunction;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.StageStream;
import io.millrace.WindowedStream;
import io.millrace.internal.engine.WindowProbe.Fired;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.time.WatermarkStrategy;
import io.millrace.window.SlidingEventTimeWindows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Sliding windows of 10 each 5 milliseconds, so that an element is in two, over elements that can be changed in place. */
final class SharedElementProbe implements PipelineDefinition {
    /** An element. */
    static final class Mutable {
        public long time;
        public int value;
    }

    /** Adds the values up in the first element. */
    static final class IntoFirst implements AggregateFunction<Mutable, IntoFirst.First, Integer> {
        /** What is kept: the first element, none at first. */
        static final class First {
            public List<Mutable> element = new ArrayList<>();
        }

        @Override
        public First createAccumulator() {
            return new First();
        }

        @Override
        public First add(Mutable value, First accumulator) {
            if (accumulator.element.isEmpty()) {
                accumulator.element.add(value);
            } else {
                accumulator.element.get(0).value += value.value;
            }
            return accumulator;
        }

        @Override
        public Integer getResult(First accumulator) {
            return accumulator.element.get(0).value;
        }

        @Override
        public First merge(First a, First b) {
            throw new IllegalStateException("sliding windows are not merged");
        }
    }

    long watermark = WatermarkStrategy.NO_WATERMARK;
    private final Function<WindowedStream<String, Mutable>, StageStream<Fired>> windows;
    private final List<Integer> values = new ArrayList<>();
    private final StageEngine engine;
    private CellStore store = new CellStore();
    private int records;
    private int versions;

    SharedElementProbe(Function<WindowedStream<String, Mutable>, StageStream<Fired>> windows) {
        this.windows = windows;
        this.engine = new StageEngine(PipelineBuilder.plan(this).stage("shared"), () -> "v" + ++versions);
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        windows.apply(pipeline.fromKinesis("events", Json.of(Mutable.class))
                        .assignTimestampsAndWatermarks(WatermarkStrategy.<Mutable>forMonotonousTimestamps()
                                .withTimestampAssigner((element, arrival) -> element.time))
                        .keyBy(element -> "k")
                        .window(SlidingEventTimeWindows.of(Duration.ofMillis(10), Duration.ofMillis(5))))
                .uid("shared")
                .map(fired -> {
                    values.add(fired.value());
                    return fired;
                })
                .sinkTo(DynamoDbSink.rows("fired", Fired.class));
    }

    private StageTime time() {
        return new StageTime(Instant.EPOCH, watermark);
    }

    private Cell cell() {
        return store.load(new CellKey("shared", "k", 1));
    }

    void add(long time, int value) throws RecordFailure {
        addTogether(time, value);
    }

    /** Runs and commits one batch, of times and values in turn. */
    void addTogether(long... timesAndValues) throws RecordFailure {
        List<RoutedRecord> routed = new ArrayList<>();
        for (int i = 0; i < timesAndValues.length; i += 2) {
            Mutable element = new Mutable();
            element.time = timesAndValues[i];
            element.value = (int) timesAndValues[i + 1];
            byte[] payload = Json.of(Mutable.class).serialize(element);
            routed.add(engine.route(EngineHarness.record(++records, payload)));
        }
        Map<String, Cell> cells = new LinkedHashMap<>(Map.of("k", cell()));
        RunResult result =
                engine.run(EngineHarness.LANE, time(), routed, cells, new Condemned(), Set.of(), () -> false);
        if (result.failure() != null) {
            throw result.failure();
        }
        result.units().values().forEach(units -> units.forEach(store::commit));
    }

    /** Closes all windows, gives the values that they put out, and begins anew. */
    List<Integer> close() throws TimerFailure {
        watermark = 100;
        engine.fireTimers(cell(), time()).forEach(store::commit);
        watermark = WatermarkStrategy.NO_WATERMARK;
        store = new CellStore();
        List<Integer> closed = values();
        values.clear();
        return closed;
    }

    /** The values that windows have put out so far. */
    List<Integer> values() {
        return List.copyOf(values);
    }
}
