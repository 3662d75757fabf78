package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.KeyedStream;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Elements that a producer repeats. Times are in milliseconds; ids count for 100. */
class DeduplicationTest {
    private static final Lane OTHER_LANE = new Lane(0, "events", "shardId-000000000001");

    private final StageEngine engine = engine(true);
    private Cell cell = Cell.absent(CellStore.key("a"));
    private int records;
    private @Nullable Unit last;

    /** One or several elements of the key "a": an id each, or the word "fail". */
    record Event(List<String> ids) {}

    record Line(@PartitionKey String key, @SortKey long count, String id) {}

    private record Pipeline(boolean deduplicated) implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            KeyedStream<String, String> ids = pipeline.fromKinesis("events", Json.of(Event.class))
                    .<String>flatMap((event, out) -> event.ids().forEach(out::collect))
                    .keyBy(id -> "a");
            KeyedStream<String, String> passing =
                    deduplicated ? ids.deduplicate(Pipeline::idOf, Duration.ofMillis(100)) : ids;
            passing.process(new Lines()).uid("lines").sinkTo(DynamoDbSink.rows("lines", Line.class));
        }

        @SuppressWarnings("NullAway") // null is what one test is about
        private static String idOf(String id) {
            return id.equals("null") ? null : id;
        }
    }

    private static final class Lines extends KeyedProcessFunction<String, String, Line> {
        private @Nullable ValueState<Long> count;

        @Override
        public void open(OpenContext openContext) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
        }

        @Override
        public void processElement(String id, Context ctx, Collector<Line> out) {
            ValueState<Long> state = Objects.requireNonNull(count);
            Long before = state.value();
            long now = before == null ? 1 : before + 1;
            if (id.equals("clear")) {
                state.clear();
            } else {
                state.update(now);
            }
            out.collect(new Line(ctx.getCurrentKey(), now, id));
            if (id.equals("fail")) {
                throw new IllegalStateException("told to");
            }
        }
    }

    private static StageEngine engine(boolean deduplicated) {
        return new StageEngine(PipelineBuilder.plan(new Pipeline(deduplicated)).stage("lines"), () -> "version");
    }

    private InputRecord record(long arrivalMillis, String... ids) {
        return new InputRecord(
                Position.of(Integer.toString(++records)),
                Json.of(Event.class).serialize(new Event(List.of(ids))),
                Instant.ofEpochMilli(arrivalMillis));
    }

    private RunResult run(StageEngine code, Lane lane, Condemned condemned, InputRecord... inputs) {
        List<RoutedRecord> routed = new ArrayList<>();
        try {
            for (InputRecord input : inputs) {
                routed.add(code.route(input));
            }
        } catch (RecordFailure e) {
            throw new AssertionError(e);
        }
        return code.run(
                lane,
                StageTime.withoutWatermark(Instant.EPOCH),
                routed,
                Map.of("a", cell),
                condemned,
                Set.of(),
                () -> false);
    }

    /** Commits what records gave, as one unit, and returns the ids that passed. */
    private List<String> commit(RunResult result) {
        assertThat(result.failure()).isNull();
        last = EngineHarness.units(result, "a").get(0);
        cell = CellItems.fromItem(cell.key(), last.item());
        return last.rows().stream()
                .map(row -> row.attributes().path("id").asText())
                .toList();
    }

    private List<String> passing(InputRecord... inputs) {
        return commit(run(engine, EngineHarness.LANE, new Condemned(), inputs));
    }

    private String ids() {
        return Objects.requireNonNull(last).item().path("state").path("_ids").toString();
    }

    private int repetitions() {
        return Objects.requireNonNull(last).repetitions();
    }

    @Test
    void firstElementOfAnIdPassesAndLaterOnesDoNot() {
        assertThat(passing(record(1_000, "x"))).containsExactly("x");
        assertThat(repetitions()).isZero();
        assertThat(passing(record(1_001, "x"), record(1_002, "y"), record(1_003, "x")))
                .containsExactly("y");
        assertThat(repetitions()).isEqualTo(2);
        assertThat(EngineHarness.text(cell, "count")).isEqualTo("2");
        assertThat(ids()).isEqualTo("{\"x\":\"1000\",\"y\":\"1002\"}");
    }

    @Test
    void idCountsFromTheArrivalOfItsFirstElementToTheMillisecond() {
        passing(record(1_000, "x"));
        assertThat(passing(record(1_050, "x")))
                .as("a repetition does not renew it")
                .isEmpty();
        assertThat(passing(record(1_099, "x"))).isEmpty();
        assertThat(passing(record(1_100, "x"))).containsExactly("x");
        assertThat(passing(record(1_199, "x"))).isEmpty();
        assertThat(passing(record(1_200, "x"))).containsExactly("x");
    }

    @Test
    void idsThatDoNotCountAnyMoreAreDroppedByTheArrivalOfTheLatestElement() {
        passing(record(1_000, "x"), record(1_001, "y"));
        passing(record(1_099, "z"), record(1_050, "u"));
        assertThat(ids()).isEqualTo("{\"u\":\"1050\",\"x\":\"1000\",\"y\":\"1001\",\"z\":\"1099\"}");
        passing(record(1_100, "x"), record(1_100, "y"));
        assertThat(ids()).isEqualTo("{\"u\":\"1050\",\"x\":\"1100\",\"y\":\"1001\",\"z\":\"1099\"}");
        passing(record(1_199, "v"));
        assertThat(ids()).isEqualTo("{\"v\":\"1199\",\"x\":\"1100\"}");
    }

    @Test
    void repetitionOfAnotherShardThatArrivedBeforeTheFirstElementIsOneToo() {
        passing(record(1_000, "x"));

        assertThat(commit(run(engine, OTHER_LANE, new Condemned(), record(10, "x", "y"))))
                .containsExactly("y");
        assertThat(ids()).isEqualTo("{\"x\":\"1000\",\"y\":\"10\"}");
    }

    @Test
    void repetitionWithinARecordIsOneToo() {
        assertThat(passing(record(1_000, "x", "x", "y", "x"))).containsExactly("x", "y");
        assertThat(repetitions()).isEqualTo(2);
    }

    @Test
    void emptyIdIsAnId() {
        assertThat(passing(record(1_000, "", "", "%"))).containsExactly("", "%");
        assertThat(passing(record(1_001, "", "%"))).isEmpty();
    }

    @Test
    void elementThatThrowsIsNotRemembered() {
        RunResult failed = run(engine, EngineHarness.LANE, new Condemned(), record(1_000, "x", "fail"));
        RecordFailure failure = Objects.requireNonNull(failed.failure());
        assertThat(failure.kind()).isEqualTo(RecordFailure.Kind.FUNCTION_THREW);

        assertThat(passing(record(1_001, "x"))).containsExactly("x");
    }

    @Test
    void recordThatBecomesADeadLetterIsNotRememberedAndKeepsTheIdsThatAre() {
        passing(record(1_000, "x"));
        InputRecord lost = record(5_000, "y");
        Condemned condemned = new Condemned();
        condemned.add(new RecordFailure(RecordFailure.Kind.PROCESS_KILLED, lost.position(), "a", null), 1);
        assertThat(commit(run(engine, EngineHarness.LANE, condemned, lost))).isEmpty();
        assertThat(ids()).isEqualTo("{\"x\":\"1000\"}");

        assertThat(passing(record(1_001, "y"))).containsExactly("y");
    }

    @Test
    void idThatIsNullIsTheRecordsFault() {
        RunResult result = run(engine, EngineHarness.LANE, new Condemned(), record(1_000, "null"));

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().kind()).isEqualTo(RecordFailure.Kind.FUNCTION_THREW);
        assertThat(result.failure()).hasMessageContaining("the id is null");
    }

    @Test
    void idThatIsTooLongIsTheRecordsFault() {
        RunResult result = run(engine, EngineHarness.LANE, new Condemned(), record(1_000, "i".repeat(65_535)));

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().kind()).isEqualTo(RecordFailure.Kind.UNACCEPTABLE);
        assertThat(result.failure()).hasMessageContaining("state '_ids'");
    }

    @Test
    void redeliveredRecordIsADuplicateAndNoRepetition() {
        InputRecord record = record(1_000, "x");
        passing(record);
        RunResult again = run(engine, EngineHarness.LANE, new Condemned(), record);

        assertThat(again.duplicates()).isEqualTo(1);
        assertThat(EngineHarness.units(again, "a")).isEmpty();
    }

    @Test
    void cellWithIdsAloneExpiresWhenTheLastOfThemDoes() {
        passing(record(1_000, "x"));
        assertThat(Objects.requireNonNull(last).expiry())
                .as("its count never expires")
                .isNull();
        passing(record(1_020, "y"), record(1_010, "clear"));
        assertThat(Objects.requireNonNull(last).expiry()).isEqualTo(Instant.ofEpochMilli(1_120));
    }

    @Test
    void idsGoWhenNothingIsDeduplicatedAnyMore() {
        passing(record(1_000, "x"));

        StageEngine without = engine(false);
        assertThat(commit(run(without, EngineHarness.LANE, new Condemned(), record(1_001, "x"))))
                .containsExactly("x");
        assertThat(cell.states()).containsOnlyKeys("count");
        assertThat(repetitions()).isZero();
    }

    @Test
    void idsThatMillraceDidNotWriteFailTheBatch() {
        for (StoredState strange : List.of(
                new StoredState.Value(new byte[0], true),
                new StoredState.Entries(
                        new java.util.TreeMap<>(Map.of("x", new StoredState.Value(new byte[] {'x'}, true)))))) {
            cell = new Cell(cell.key(), "v", Fence.EMPTY, Map.of("_ids", strange));
            assertThatThrownBy(() -> passing(record(1_000, "x")))
                    .isInstanceOf(UnreadableStateException.class)
                    .hasMessageContaining("The state '_ids'");
        }
    }
}
