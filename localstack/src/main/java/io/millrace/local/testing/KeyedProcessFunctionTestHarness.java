package io.millrace.local.testing;

import io.millrace.KeySelector;
import io.millrace.KeyedProcessFunction;
import io.millrace.MillraceException;
import io.millrace.PipelineBuilder;
import io.millrace.TimeDomain;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.Condemned;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.internal.engine.RoutedRecord;
import io.millrace.internal.engine.RunResult;
import io.millrace.internal.engine.StageEngine;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.engine.TimerFailure;
import io.millrace.internal.engine.Unit;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Keys;
import io.millrace.serde.Serde;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.time.WatermarkStrategy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs one {@link KeyedProcessFunction} without AWS: the engine processes one element after the other, and the state of
 * each key goes through its serde in between, as it does through DynamoDB. Time stands still until the test moves it: the
 * watermark by {@link #processWatermark}, the clock, which begins in 1970, by {@link #setProcessingTime}. Not thread-safe.
 *
 * <pre>{@code
 * var harness = KeyedProcessFunctionTestHarness.of(new Running(), Order::customer);
 * harness.processElement(new Order("alice", 10));
 * assertThat(harness.extractOutputValues()).containsExactly(new OrderTotal("alice", 10));
 * }</pre>
 *
 * @param <K> the key
 * @param <I> the elements in
 * @param <O> the elements out
 */
public final class KeyedProcessFunctionTestHarness<K, I, O> {
    private static final String STAGE = "function";
    private static final long GENERATION = 1;
    private static final Lane LANE = new Lane(0, "elements", "shardId-000000000000");

    /** How many rounds of timers may fire, each registered by the one before, at one time. */
    private static final int ROUNDS_MAX = 1_000;

    private final StageEngine engine;
    private final KeyCodec<K> codec;
    private final Map<String, Cell> cells = new TreeMap<>();
    private final List<O> collected = new ArrayList<>();
    private final Elements<I> elements = new Elements<>();
    private List<O> output = new ArrayList<>();
    private int processed;
    private int versions;
    private long watermark = WatermarkStrategy.NO_WATERMARK;
    private Instant clock = Instant.EPOCH;

    private KeyedProcessFunctionTestHarness(
            KeyedProcessFunction<K, I, O> function, KeySelector<? super I, K> keySelector, KeyCodec<K> codec) {
        this.codec = codec;
        this.engine = new StageEngine(
                PipelineBuilder.plan(new HarnessPipeline<>(function, keySelector, codec, elements, collected))
                        .stage(STAGE),
                () -> "version-" + ++versions);
    }

    /** A harness of a function whose keys are text. Opens the function. */
    public static <I, O> KeyedProcessFunctionTestHarness<String, I, O> of(
            KeyedProcessFunction<String, I, O> function, KeySelector<? super I, String> keySelector) {
        return of(function, keySelector, Keys.STRING);
    }

    /**
     * A harness of a function whose keys have a codec. Opens the function.
     *
     * @throws MillraceException if it cannot be opened
     */
    public static <K, I, O> KeyedProcessFunctionTestHarness<K, I, O> of(
            KeyedProcessFunction<K, I, O> function, KeySelector<? super I, K> keySelector, KeyCodec<K> codec) {
        return new KeyedProcessFunctionTestHarness<>(function, keySelector, codec);
    }

    /**
     * Processes an element whose event time is the clock's. What it puts out comes behind what earlier elements did.
     *
     * @throws Exception what the function threw; then state and output are as before
     */
    public void processElement(I value) throws Exception {
        processElement(value, clock.toEpochMilli());
    }

    /**
     * Processes an element of an event time in milliseconds since the epoch. It does not move the watermark.
     *
     * @throws Exception what the function threw; then state and output are as before
     */
    public void processElement(I value, long timestamp) throws Exception {
        collected.clear();
        elements.value = value;
        elements.timestamp = timestamp;
        InputRecord record = new InputRecord(Position.of(Integer.toString(++processed)), Elements.PAYLOAD, clock);
        try {
            RoutedRecord routed = engine.route(record);
            for (String key : routed.elements().keySet()) {
                cells.computeIfAbsent(key, KeyedProcessFunctionTestHarness::absent);
            }
            RunResult result = engine.run(LANE, time(), List.of(routed), cells, new Condemned(), Set.of(), () -> false);
            if (result.failure() != null) {
                throw result.failure();
            }
            result.units().values().forEach(this::keep);
        } catch (RecordFailure failure) {
            throw failure.getCause() instanceof Exception thrown
                    ? thrown
                    : new MillraceException("The element " + value + " failed: " + failure.getCause(), failure);
        }
        output.addAll(collected);
    }

    /** Processes elements, one after the other. */
    @SafeVarargs
    public final void processElements(I... values) throws Exception {
        for (I value : values) {
            processElement(value);
        }
    }

    /**
     * Moves the watermark on, which fires the event-time timers that it makes due: key by key in the order of the keys' texts, a
     * key's own by time, and those that are registered meanwhile and are due too.
     *
     * @param newWatermark in milliseconds since the epoch; {@link WatermarkStrategy#END_OF_INPUT} fires all
     * @throws IllegalArgumentException if it is lower than before
     * @throws Exception what the function threw; then that key is as before the timers that fired together with it
     */
    public void processWatermark(long newWatermark) throws Exception {
        if (newWatermark < watermark) {
            throw new IllegalArgumentException(
                    "processWatermark(" + newWatermark + "): it is at " + watermark + ", and does not go back.");
        }
        watermark = newWatermark;
        fireDue();
    }

    /**
     * Moves the clock on, which fires the processing-time timers that it makes due, in the same order.
     *
     * @param time in milliseconds since the epoch
     * @throws IllegalArgumentException if it is lower than before
     * @throws Exception what the function threw; then that key is as before the timers that fired together with it
     */
    public void setProcessingTime(long time) throws Exception {
        if (time < clock.toEpochMilli()) {
            throw new IllegalArgumentException(
                    "setProcessingTime(" + time + "): it is " + clock.toEpochMilli() + ", and time does not go back.");
        }
        clock = Instant.ofEpochMilli(time);
        fireDue();
    }

    /** How many event-time timers of all keys are registered. */
    public int numEventTimeTimers() {
        return timers(TimeDomain.EVENT_TIME);
    }

    /** How many processing-time timers of all keys are registered. */
    public int numProcessingTimeTimers() {
        return timers(TimeDomain.PROCESSING_TIME);
    }

    private int timers(TimeDomain domain) {
        return (int) cells.values().stream()
                .flatMap(cell -> cell.time().timers().keySet().stream())
                .filter(timer -> timer.domain() == domain)
                .count();
    }

    private StageTime time() {
        return new StageTime(clock, watermark);
    }

    private void fireDue() throws Exception {
        for (String key : List.copyOf(cells.keySet())) {
            for (int round = 1; fireDue(key); round++) {
                if (round == ROUNDS_MAX) {
                    throw new IllegalStateException("Timers of key '" + key + "' still fire in round " + ROUNDS_MAX
                            + ". Does onTimer register one each time that is due already?");
                }
            }
        }
    }

    private boolean fireDue(String key) throws Exception {
        collected.clear();
        try {
            List<Unit> units = engine.fireTimers(Objects.requireNonNull(cells.get(key)), time());
            keep(units);
            output.addAll(collected);
            return !units.isEmpty();
        } catch (TimerFailure failure) {
            throw failure.getCause() instanceof Exception thrown
                    ? thrown
                    : new MillraceException("A timer of key '" + key + "' failed: " + failure.getCause(), failure);
        }
    }

    private void keep(List<Unit> units) {
        for (Unit unit : units) {
            cells.put(unit.after().key().key(), unit.after());
        }
    }

    /** All that was put out since the last call, in its order. */
    public List<O> extractOutputValues() {
        List<O> extracted = output;
        output = new ArrayList<>();
        return extracted;
    }

    /** What the function keeps for a key. */
    public KeyState state(K key) {
        String text = codec.encode(key);
        return new KeyState(Objects.requireNonNullElseGet(cells.get(text), () -> absent(text)), clock);
    }

    private static Cell absent(String key) {
        return Cell.absent(new CellKey(STAGE, key, GENERATION));
    }

    /** Hands the engine the element at hand, instead of decoding one. */
    private static final class Elements<I> implements Serde<I> {
        private static final byte[] PAYLOAD = "element".getBytes(StandardCharsets.UTF_8);

        private @org.jspecify.annotations.Nullable I value;
        private long timestamp;

        @Override
        public byte[] serialize(I element) {
            return PAYLOAD;
        }

        @Override
        public I deserialize(byte[] data) {
            return Objects.requireNonNull(value, "the element is null");
        }
    }

    /** A row that is never put. */
    private record Row(@PartitionKey String key) {}

    private record HarnessPipeline<K, I, O>(
            KeyedProcessFunction<K, I, O> function,
            KeySelector<? super I, K> keySelector,
            KeyCodec<K> codec,
            Elements<I> elements,
            List<O> collected)
            implements io.millrace.PipelineDefinition {
        @Override
        public String name() {
            return "harness";
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis(LANE.stream(), elements)
                    .assignTimestampsAndWatermarks(WatermarkStrategy.<I>noWatermarks()
                            .withTimestampAssigner((element, arrivalMillis) -> elements.timestamp))
                    .keyBy(keySelector, codec)
                    .process(function)
                    .uid(STAGE)
                    .<Row>flatMap((result, out) -> collected.add(result))
                    .sinkTo(DynamoDbSink.rows("harness", Row.class));
        }
    }
}
