package io.millrace.local.testing;

import io.millrace.KeySelector;
import io.millrace.KeyedProcessFunction;
import io.millrace.MillraceException;
import io.millrace.PipelineBuilder;
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
import io.millrace.internal.engine.Unit;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Keys;
import io.millrace.serde.Serde;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Runs one {@link KeyedProcessFunction} without AWS: the engine processes one element after the other, and the state of
 * each key goes through its serde in between, as it does through DynamoDB. Not thread-safe.
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

    private final StageEngine engine;
    private final KeyCodec<K> codec;
    private final Map<String, Cell> cells = new HashMap<>();
    private final List<O> collected = new ArrayList<>();
    private final Elements<I> elements = new Elements<>();
    private List<O> output = new ArrayList<>();
    private int processed;
    private int versions;

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
     * Processes an element. What it puts out comes behind what earlier elements did.
     *
     * @throws Exception what the function threw; then state and output are as before
     */
    public void processElement(I value) throws Exception {
        collected.clear();
        elements.value = value;
        InputRecord record =
                new InputRecord(Position.of(Integer.toString(++processed)), Elements.PAYLOAD, Instant.EPOCH);
        try {
            RoutedRecord routed = engine.route(record);
            for (String key : routed.elements().keySet()) {
                cells.computeIfAbsent(key, KeyedProcessFunctionTestHarness::absent);
            }
            RunResult result =
                    engine.run(LANE, Instant.EPOCH, List.of(routed), cells, new Condemned(), Set.of(), () -> false);
            if (result.failure() != null) {
                throw result.failure();
            }
            for (List<Unit> units : result.units().values()) {
                for (Unit unit : units) {
                    cells.put(unit.after().key().key(), unit.after());
                }
            }
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

    /** All that was put out since the last call, in its order. */
    public List<O> extractOutputValues() {
        List<O> extracted = output;
        output = new ArrayList<>();
        return extracted;
    }

    /** What the function keeps for a key. */
    public KeyState state(K key) {
        String text = codec.encode(key);
        return new KeyState(Objects.requireNonNullElseGet(cells.get(text), () -> absent(text)), Instant.EPOCH);
    }

    private static Cell absent(String key) {
        return Cell.absent(new CellKey(STAGE, key, GENERATION));
    }

    /** Hands the engine the element at hand, instead of decoding one. */
    private static final class Elements<I> implements Serde<I> {
        private static final byte[] PAYLOAD = "element".getBytes(StandardCharsets.UTF_8);

        private @org.jspecify.annotations.Nullable I value;

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
            Serde<I> serde,
            List<O> collected)
            implements io.millrace.PipelineDefinition {
        @Override
        public String name() {
            return "harness";
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis(LANE.stream(), serde)
                    .keyBy(keySelector, codec)
                    .process(function)
                    .uid(STAGE)
                    .<Row>flatMap((result, out) -> collected.add(result))
                    .sinkTo(DynamoDbSink.rows("harness", Row.class));
        }
    }
}
