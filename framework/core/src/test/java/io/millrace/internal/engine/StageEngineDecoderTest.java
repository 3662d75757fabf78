package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.internal.engine.InputRecord.BrokenAggregate;
import io.millrace.internal.engine.InputRecord.EmptyAggregate;
import io.millrace.serde.Gzip;
import io.millrace.serde.Json;
import io.millrace.serde.RecordDecoder;
import io.millrace.serde.StreamRecord;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the engine makes of decoders that give none, one or many elements of a record. */
class StageEngineDecoderTest {
    private static final Position POSITION = Position.parse("7:2");

    record Line(@PartitionKey String key, String value) {}

    /** A pipeline of words that are their own keys. */
    private record Words(RecordDecoder<String> decoder) implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("words", decoder)
                    .filter(word -> !word.equals("dropped"))
                    .keyBy(word -> word.substring(0, 1))
                    .process(new KeyedProcessFunction<String, String, Line>() {
                        @Override
                        public void processElement(String value, Context ctx, Collector<Line> out) {
                            out.collect(new Line(ctx.getCurrentKey(), value));
                        }
                    })
                    .uid("words")
                    .sinkTo(DynamoDbSink.rows("lines", Line.class));
        }
    }

    private static StageEngine engine(RecordDecoder<String> decoder) {
        AtomicInteger versions = new AtomicInteger();
        return new StageEngine(
                PipelineBuilder.plan(new Words(decoder)).stage("words"), () -> "v" + versions.incrementAndGet());
    }

    private static InputRecord record(String text) {
        return new InputRecord(
                POSITION, text.getBytes(StandardCharsets.UTF_8), Instant.ofEpochSecond(5), "partition key");
    }

    private static String text(StreamRecord record) {
        return new String(record.payload(), StandardCharsets.UTF_8);
    }

    /** One element for each word. */
    private static void split(StreamRecord record, Collector<String> out) {
        for (String word : text(record).split(" ", -1)) {
            if (!word.isEmpty()) {
                out.collect(word);
            }
        }
    }

    private static List<Object> values(RoutedRecord routed, String key) {
        return routed.elements().getOrDefault(key, List.of()).stream()
                .map(RoutedRecord.Element::value)
                .toList();
    }

    private static RecordFailure failureOf(StageEngine engine, InputRecord record) {
        try {
            engine.route(record);
        } catch (RecordFailure failure) {
            return failure;
        }
        throw new AssertionError("the record was routed");
    }

    @Test
    void manyElementsAreDividedByKeyInTheirOrder() throws RecordFailure {
        RoutedRecord routed = engine(StageEngineDecoderTest::split).route(record("apple bean dropped avocado banana"));

        assertThat(routed.elements().keySet()).containsExactly("a", "b");
        assertThat(values(routed, "a")).containsExactly("apple", "avocado");
        assertThat(values(routed, "b")).containsExactly("bean", "banana");
    }

    @Test
    void aRecordWithoutElementsIsDoneWithoutACell() throws RecordFailure {
        StageEngine engine = engine(StageEngineDecoderTest::split);
        RoutedRecord routed = engine.route(record(""));

        assertThat(routed.elements()).isEmpty();
        assertThat(routed.position()).isEqualTo(POSITION);
        RunResult result = engine.run(
                EngineHarness.LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(routed),
                Map.of(),
                new Condemned(),
                Set.of(),
                () -> false);
        assertThat(result.units()).isEmpty();
        assertThat(result.failure()).isNull();
        assertThat(result.stoppedAt()).isNull();
    }

    @Test
    void aDecoderSeesTheRecordsMetadata() throws RecordFailure {
        RecordDecoder<String> metadata = (record, out) -> out.collect(record.partitionKey() + "|" + record.arrival()
                + "|" + record.sequenceNumber() + ":" + record.subSequence());

        assertThat(values(engine(metadata).route(record("x")), "p"))
                .containsExactly("partition key|1970-01-01T00:00:05Z|7:2");
    }

    @Test
    void aRecordWithoutAPartitionKeyHasNone() throws RecordFailure {
        RecordDecoder<String> keys = (record, out) -> out.collect("key " + record.partitionKey());

        RoutedRecord routed = engine(keys).route(new InputRecord(POSITION, new byte[0], Instant.EPOCH));

        assertThat(values(routed, "k")).containsExactly("key null");
    }

    @Test
    void aDecoderThatChangesThePayloadChangesItForNobodyElse() throws RecordFailure {
        RecordDecoder<String> greedy = (record, out) -> {
            byte[] payload = record.payload();
            out.collect(new String(payload, StandardCharsets.UTF_8));
            java.util.Arrays.fill(payload, (byte) '#');
            out.collect(text(record) + " again");
        };
        StageEngine engine = engine(greedy);
        InputRecord record = record("apple");

        for (int run = 0; run < 2; run++) {
            assertThat(values(engine.route(record), "a")).containsExactly("apple", "apple again");
        }
        assertThat(record.payload()).asString(StandardCharsets.UTF_8).isEqualTo("apple");
    }

    @Test
    void whatWasCollectedBeforeADecoderThrowsDoesNotCount() {
        RecordDecoder<String> throwing = (record, out) -> {
            out.collect("apple");
            throw new java.io.IOException("half");
        };

        RecordFailure failure = failureOf(engine(throwing), record("x"));

        assertThat(failure.kind()).isEqualTo(RecordFailure.Kind.UNDECODABLE);
        assertThat(failure.position()).isEqualTo(POSITION);
        assertThat(failure.key()).isNull();
        assertThat(failure).hasMessageContaining("half");
    }

    @Test
    @SuppressWarnings("NullAway") // a null element is what the test is about
    void aNullElementMakesTheRecordUndecodable() {
        RecordFailure failure = failureOf(engine((record, out) -> out.collect(null)), record("x"));

        assertThat(failure.kind()).isEqualTo(RecordFailure.Kind.UNDECODABLE);
        assertThat(failure).hasMessageContaining("the decoder put out a null");
    }

    @Test
    void aCollectorIsGoodDuringItsCallOnly() throws RecordFailure {
        List<Collector<String>> kept = new ArrayList<>();
        StageEngine engine = engine((record, out) -> {
            kept.add(out);
            if (text(record).equals("throw")) {
                throw new IllegalStateException("told to");
            }
            out.collect("apple");
        });
        engine.route(record("x"));
        failureOf(engine, record("throw"));

        assertThat(kept)
                .hasSize(2)
                .allSatisfy(collector -> assertThatThrownBy(() -> collector.collect("late"))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("Collect only during decode"));
    }

    @Test
    void anEmptyAggregateGivesNoElementAndMeetsNoDecoder() throws RecordFailure {
        InputRecord empty = new InputRecord(POSITION, new byte[] {1}, Instant.EPOCH, null, new EmptyAggregate());

        assertThat(engine(StageEngineDecoderTest::refuse).route(empty).elements())
                .isEmpty();
    }

    @Test
    void aBrokenAggregateIsUndecodableWhateverTheDecoderIs() {
        InputRecord broken = new InputRecord(
                POSITION, new byte[] {1}, Instant.EPOCH, null, new BrokenAggregate("A field is cut at byte 9."));

        RecordFailure failure = failureOf(engine(StageEngineDecoderTest::split), broken);

        assertThat(failure.kind()).isEqualTo(RecordFailure.Kind.UNDECODABLE);
        assertThat(failure).hasMessageContaining("A field is cut at byte 9. Its producer is broken.");
    }

    private static void refuse(StreamRecord record, @Nullable Collector<String> out) {
        throw new IllegalStateException("a decoder met " + record);
    }

    @Test
    void theSerdeOfADecodersElementsIsUsedWhereElementsAreStored() {
        assertThat(PipelineBuilder.plan(new Reducing(Gzip.of(Json.of(Line.class))))
                        .stages())
                .hasSize(1);
        assertThatThrownBy(() -> PipelineBuilder.plan(new Reducing((record, out) -> {})))
                .hasMessageContaining(".returns(");
    }

    /** A pipeline that stores its elements. */
    private record Reducing(RecordDecoder<Line> decoder) implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("words", decoder)
                    .keyBy(Line::key)
                    .reduce((before, now) -> now)
                    .uid("words")
                    .sinkTo(DynamoDbSink.rows("lines", Line.class));
        }
    }

    @Test
    void userRecordsOfOneAggregateAreFencedEach() throws RecordFailure {
        StageEngine engine = engine(StageEngineDecoderTest::split);
        CellStore store = new CellStore();
        List<RoutedRecord> all = new ArrayList<>();
        for (int index = 0; index < 3; index++) {
            all.add(engine.route(new InputRecord(
                    Position.parse("7:" + index), "a b".getBytes(StandardCharsets.UTF_8), Instant.EPOCH)));
        }
        for (List<RoutedRecord> delivery : List.of(all.subList(0, 2), all)) {
            Map<String, Cell> cells = new LinkedHashMap<>();
            for (String key : List.of("a", "b")) {
                cells.put(key, store.load(new CellKey("words", key, 1)));
            }
            RunResult result = engine.run(
                    EngineHarness.LANE,
                    StageTime.withoutWatermark(Instant.EPOCH),
                    delivery,
                    cells,
                    new Condemned(),
                    Set.of(),
                    () -> false);
            result.units().values().forEach(units -> units.forEach(store::commit));
            assertThat(result.duplicates()).isEqualTo(delivery.size() == 3 ? 4 : 0);
        }
        assertThat(store.load(new CellKey("words", "a", 1)).fence().at(EngineHarness.LANE))
                .isEqualTo(Position.parse("7:2"));
    }
}
