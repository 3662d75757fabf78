package io.millrace.internal.engine;

import static io.millrace.internal.engine.EngineHarness.LANE;
import static io.millrace.internal.engine.EngineHarness.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OutputTag;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.StageStream;
import io.millrace.internal.item.Row;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the engine makes of values that a function puts out to side outputs. */
class SideOutputTest {
    private static final OutputTag<String> LATE = new OutputTag<>("late", String.class);
    private static final OutputTag<Line> BROKEN = new OutputTag<>("broken", Line.class);

    /** A row of the main output, or of a side output. */
    record Line(@PartitionKey String text, @SortKey int part, String from) {}

    /** What the stage's function does with a value. */
    private interface Body {
        void run(String value, KeyedProcessFunction<String, String, Line>.Context ctx, Collector<Line> out)
                throws Exception;
    }

    private static final class BodyFunction extends KeyedProcessFunction<String, String, Line> {
        private final Body body;

        BodyFunction(Body body) {
            this.body = body;
        }

        @Override
        public void processElement(String value, Context ctx, Collector<Line> out) throws Exception {
            body.run(value, ctx, out);
        }
    }

    private record Pipeline(Body body) implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            StageStream<Line> lines = pipeline.fromKinesis("texts", Json.of(String.class))
                    .keyBy(text -> "all")
                    .process(new BodyFunction(body))
                    .uid("texts")
                    .sinkTo(DynamoDbSink.rows("lines", Line.class));
            lines.getSideOutput(LATE)
                    .filter(text -> !text.equals("dropped"))
                    .map(SideOutputTest::lateLine)
                    .sinkTo(DynamoDbSink.rows("lines", Line.class))
                    .sinkTo(DynamoDbSink.rows("more-lines", Line.class));
            lines.getSideOutput(BROKEN).sinkTo(DynamoDbSink.rows("broken-lines", Line.class));
        }
    }

    private static Line lateLine(String text) {
        if (text.equals("impossible")) {
            throw new IllegalStateException("no line of " + text);
        }
        return new Line(text, 0, "late");
    }

    private static RunResult run(Body body, String... values) throws RecordFailure {
        StageEngine engine =
                new StageEngine(PipelineBuilder.plan(new Pipeline(body)).stage("texts"), () -> "version");
        List<RoutedRecord> records = new ArrayList<>();
        for (String value : values) {
            records.add(engine.route(
                    record(records.size() + 1, Json.of(String.class).serialize(value))));
        }
        Cell cell = Cell.absent(new CellKey("texts", "all", 1));
        return engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                records,
                Map.of("all", cell),
                new Condemned(),
                Set.of(),
                () -> false);
    }

    private static List<String> rows(Body body, String... values) throws RecordFailure {
        RunResult result = run(body, values);
        assertThat(result.failure()).isNull();
        return EngineHarness.units(result, "all").stream()
                .flatMap(unit -> unit.rows().stream())
                .map(SideOutputTest::describe)
                .toList();
    }

    private static String describe(Row row) {
        return row.table() + ":" + row.attributes().path("text").asText() + "/"
                + row.attributes().path("part").asText() + "="
                + row.attributes().path("from").asText();
    }

    private static RecordFailure failureOf(Body body) throws RecordFailure {
        RunResult result = run(body, "first");
        assertThat(result.units()).isEmpty();
        RecordFailure failure = Objects.requireNonNull(result.failure());
        assertThat(failure.kind()).isEqualTo(RecordFailure.Kind.FUNCTION_THREW);
        return failure;
    }

    @Test
    void rowsOfAllOutputsAreInOneUnit() throws RecordFailure {
        RunResult result = run(
                (value, ctx, out) -> {
                    out.collect(new Line(value, 0, "main"));
                    ctx.output(LATE, value + "-late");
                    ctx.output(BROKEN, new Line(value, 0, "broken"));
                },
                "a",
                "b");

        assertThat(EngineHarness.units(result, "all"))
                .singleElement()
                .satisfies(unit -> assertThat(unit.rows())
                        .extracting(SideOutputTest::describe)
                        .containsExactly(
                                "lines:a/0=main",
                                "lines:a-late/0=late",
                                "more-lines:a-late/0=late",
                                "broken-lines:a/0=broken",
                                "lines:b/0=main",
                                "lines:b-late/0=late",
                                "more-lines:b-late/0=late",
                                "broken-lines:b/0=broken"));
    }

    @Test
    void stepsOfASideOutputRunOverItsValuesOnly() throws RecordFailure {
        assertThat(rows(
                        (value, ctx, out) -> {
                            ctx.output(LATE, "dropped");
                            out.collect(new Line("dropped", 0, "main"));
                        },
                        "a"))
                .containsExactly("lines:dropped/0=main");
    }

    @Test
    void ofRowsWithOneKeyTheOneThatWasPutOutLastWinsWhateverItsOutput() throws RecordFailure {
        assertThat(rows(
                        (value, ctx, out) -> {
                            out.collect(new Line("x", 0, "main"));
                            ctx.output(LATE, "x");
                        },
                        "a"))
                .contains("lines:x/0=late")
                .doesNotContain("lines:x/0=main");
        assertThat(rows(
                        (value, ctx, out) -> {
                            ctx.output(LATE, "x");
                            out.collect(new Line("x", 0, "main"));
                        },
                        "a"))
                .contains("lines:x/0=main")
                .doesNotContain("lines:x/0=late");
    }

    @Test
    void valueThatNoSinkListensToIsDropped() throws RecordFailure {
        OutputTag<Long> unknown = new OutputTag<>("unknown", Long.class);

        assertThat(rows((value, ctx, out) -> ctx.output(unknown, 1L), "a")).isEmpty();
    }

    @Test
    void valueOfASubclassIsTaken() throws RecordFailure {
        OutputTag<Number> unknown = new OutputTag<>("numbers", Number.class);

        assertThat(rows((value, ctx, out) -> ctx.output(unknown, 1L), "a")).isEmpty();
    }

    @Test
    void anotherTagObjectOfTheSameIdAndClassIsTheSameSideOutput() throws RecordFailure {
        assertThat(rows((value, ctx, out) -> ctx.output(new OutputTag<>("late", String.class), "x"), "a"))
                .containsExactly("lines:x/0=late", "more-lines:x/0=late");
    }

    @Test
    @SuppressWarnings("NullAway") // a null is what the test is about
    void nullIsNamed() throws RecordFailure {
        assertThat(failureOf((value, ctx, out) -> ctx.output(LATE, null)))
                .hasCauseInstanceOf(NullPointerException.class)
                .hasMessageContaining("the function put out a null to the side output 'late'");
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void valueOfAnotherClassIsRefusedThoughNoSinkListens() throws RecordFailure {
        for (String id : new String[] {"late", "unknown"}) {
            OutputTag tag = new OutputTag<>(id, String.class);

            assertThat(failureOf((value, ctx, out) -> ctx.output(tag, 7)))
                    .hasCauseInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("A java.lang.Integer is put out to the side output '" + id
                            + "', whose tag is of class java.lang.String");
        }
    }

    @Test
    void tagOfAnotherClassThanThePipelinesIsRefused() throws RecordFailure {
        OutputTag<Long> other = new OutputTag<>("late", Long.class);

        assertThat(failureOf((value, ctx, out) -> ctx.output(other, 1L)))
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The side output 'late' is of class java.lang.String where the pipeline gets it,"
                        + " and of class java.lang.Long where the function puts out to it");
    }

    @Test
    void failureBehindASideOutputCannotBeSwallowed() throws RecordFailure {
        assertThat(failureOf((value, ctx, out) -> {
                    try {
                        ctx.output(LATE, "impossible");
                    } catch (RuntimeException e) {
                        out.collect(new Line(value, 0, "swallowed"));
                    }
                }))
                .hasMessageContaining("no line of impossible");
    }

    @Test
    void sideOutputsOfACallThatThrowsAreDiscarded() throws RecordFailure {
        RecordFailure failure = failureOf((value, ctx, out) -> {
            ctx.output(LATE, value);
            throw new java.io.IOException("told to throw");
        });

        assertThat(failure).hasMessageContaining("told to throw");
    }

    @Test
    void rowsOfSideOutputsCountForTheTransaction() throws RecordFailure {
        Body manyRows = (value, ctx, out) -> {
            for (int i = 0; i < 60; i++) {
                ctx.output(BROKEN, new Line(value, i, "broken"));
            }
        };

        assertThat(EngineHarness.units(run(manyRows, "a", "b"), "all"))
                .extracting(unit -> unit.rows().size())
                .containsExactly(60, 60);
    }

    /** Puts a context aside at its first value and uses it where it must not be. */
    private static final class Keeper {
        private KeyedProcessFunction<String, String, Line>.@Nullable Context kept;

        void use() {
            Objects.requireNonNull(kept).output(LATE, "x");
        }
    }

    @Test
    void contextPutsNothingOutAfterItsCall() throws RecordFailure {
        Keeper keeper = new Keeper();
        rows((value, ctx, out) -> keeper.kept = ctx, "a");

        assertThatThrownBy(keeper::use)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "The side output 'late' is used outside of the call that the context was passed to, so it would be"
                                + " lost. Use the context only during processElement and onTimer.");
    }

    @Test
    void contextPutsNothingOutAfterACallThatThrew() throws RecordFailure {
        Keeper keeper = new Keeper();
        failureOf((value, ctx, out) -> {
            keeper.kept = ctx;
            throw new IllegalStateException("told to throw");
        });

        assertThatThrownBy(keeper::use).isInstanceOf(IllegalStateException.class);
    }
}
