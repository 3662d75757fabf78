package io.millrace.internal.engine;

import io.millrace.AggregateFunction;
import io.millrace.Collector;
import io.millrace.KeyedStream;
import io.millrace.OutputTag;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.StageStream;
import io.millrace.WindowedStream;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.time.WatermarkStrategy;
import io.millrace.window.ProcessWindowFunction;
import io.millrace.window.TimeWindow;
import io.millrace.window.WindowAssigner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Windows over cells that are stored as items. Times are in milliseconds, keys are one key, and the watermark is what a test
 * says. Each firing is noted as {@code 0-10: 3}, the window and its content.
 */
final class WindowProbe implements PipelineDefinition {
    static final OutputTag<Element> LATE = new OutputTag<>("late", Element.class);

    record Element(long time, int value) {}

    record Fired(@PartitionKey String window, int value) {}

    record LateRow(@PartitionKey String id, @SortKey long time) {}

    /** Adds the values up; the accumulator is an array, which is changed in place. */
    static final class Sum implements AggregateFunction<Element, int[], Integer> {
        @Override
        public int[] createAccumulator() {
            return new int[1];
        }

        @Override
        public int[] add(Element element, int[] accumulator) {
            accumulator[0] += element.value();
            return accumulator;
        }

        @Override
        public Integer getResult(int[] accumulator) {
            return accumulator[0];
        }

        @Override
        public int[] merge(int[] a, int[] b) {
            return new int[] {a[0] + b[0]};
        }
    }

    /** Puts out the window and its sum. */
    final class Rows extends ProcessWindowFunction<Integer, Fired, String> {
        @Override
        public void process(String key, Context context, Iterable<Integer> sums, Collector<Fired> out) {
            for (int sum : sums) {
                firings.add(text(context.window()) + ": " + sum);
                out.collect(new Fired(text(context.window()), sum));
            }
        }
    }

    final List<String> firings = new ArrayList<>();
    final CellStore store = new CellStore();
    long watermark = WatermarkStrategy.NO_WATERMARK;
    long clockMillis;
    int late;
    private final WindowAssigner assigner;
    private final Definition windows;
    private final boolean lateSink;
    private final UnaryOperator<KeyedStream<String, Element>> before;
    final StageEngine engine;
    private int records;
    private int versions;

    WindowProbe(WindowAssigner assigner, boolean lateSink, Definition windows) {
        this(assigner, lateSink, UnaryOperator.identity(), windows);
    }

    /** @param before what is done to the keyed elements before they are cut into windows */
    WindowProbe(
            WindowAssigner assigner,
            boolean lateSink,
            UnaryOperator<KeyedStream<String, Element>> before,
            Definition windows) {
        this.before = before;
        this.assigner = assigner;
        this.windows = windows;
        this.lateSink = lateSink;
        this.engine = new StageEngine(PipelineBuilder.plan(this).stage("windows"), () -> "v" + ++versions);
    }

    /** What a test makes of the windows; the function notes the firings. */
    interface Definition {
        StageStream<Fired> of(
                WindowedStream<String, Element> windowed, ProcessWindowFunction<Integer, Fired, String> noting);
    }

    /** Windows of sums, whose late elements are counted. */
    static WindowProbe sums(WindowAssigner assigner) {
        return new WindowProbe(assigner, false, (windowed, noting) -> windowed.aggregate(new Sum(), noting));
    }

    /** Windows of sums, whose late elements are rows. */
    static WindowProbe sums(WindowAssigner assigner, Duration lateness) {
        return new WindowProbe(
                assigner,
                true,
                (windowed, noting) -> windowed.allowedLateness(lateness)
                        .sideOutputLateData(LATE)
                        .aggregate(new Sum(), noting));
    }

    static String text(TimeWindow window) {
        return window.getStart() + "-" + window.getEnd();
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        KeyedStream<String, Element> keyed = pipeline.fromKinesis("events", Json.of(Element.class))
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Element>forBoundedOutOfOrderness(Duration.ZERO)
                        .withTimestampAssigner((element, arrival) -> element.time()))
                .keyBy(element -> "k");
        StageStream<Fired> stage = windows.of(before.apply(keyed).window(assigner), new Rows())
                .uid("windows")
                .sinkTo(DynamoDbSink.rows("fired", Fired.class));
        if (lateSink) {
            stage.getSideOutput(LATE)
                    .map(element -> new LateRow("late", element.time()))
                    .sinkTo(DynamoDbSink.rows("late", LateRow.class));
        }
    }

    private StageTime time() {
        return new StageTime(Instant.ofEpochMilli(clockMillis), watermark);
    }

    Cell cell() {
        return store.load(new CellKey("windows", "k", 1));
    }

    /** Runs and commits a batch of a record for each element. */
    List<Unit> add(Element... elements) throws RecordFailure {
        RunResult result = run(elements);
        if (result.failure() != null) {
            throw result.failure();
        }
        return commit(result.units().values().stream().flatMap(List::stream).toList());
    }

    RunResult run(Element... elements) throws RecordFailure {
        List<RoutedRecord> routed = new ArrayList<>();
        for (Element element : elements) {
            byte[] payload = Json.of(Element.class).serialize(element);
            routed.add(engine.route(EngineHarness.record(++records, payload)));
        }
        Map<String, Cell> cells = new LinkedHashMap<>(Map.of("k", cell()));
        return engine.run(EngineHarness.LANE, time(), routed, cells, new Condemned(), Set.of(), () -> false);
    }

    List<Unit> add(long time, int value) throws RecordFailure {
        return add(new Element(time, value));
    }

    /** Moves the watermark, and sweeps. */
    List<Unit> watermark(long newWatermark) throws TimerFailure {
        watermark = newWatermark;
        return sweep();
    }

    /** Moves the clock, and sweeps. */
    List<Unit> clock(long newClockMillis) throws TimerFailure {
        clockMillis = newClockMillis;
        return sweep();
    }

    private List<Unit> sweep() throws TimerFailure {
        return commit(engine.fireTimers(cell(), time()));
    }

    private List<Unit> commit(List<Unit> units) {
        for (Unit unit : units) {
            store.commit(unit);
            late += unit.late();
        }
        return units;
    }

    /** The firings since this was asked the last time. */
    List<String> fired() {
        List<String> fired = List.copyOf(firings);
        firings.clear();
        return fired;
    }

    /** The event times of the late rows. */
    List<Long> lateTimes() {
        return store.rows.keySet().stream()
                .filter(row -> row.table().equals("late"))
                .map(row -> Objects.requireNonNull(row.sortKey()))
                .map(Long::parseLong)
                .sorted()
                .toList();
    }
}
