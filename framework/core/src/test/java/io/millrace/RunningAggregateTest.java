package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.millrace.internal.engine.Unit;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A running aggregate in an engine. */
class RunningAggregateTest {
    private static final Lane LANE = new Lane(0, "clicks", "shardId-000000000000");

    private Cell cell = Cell.absent(new CellKey("texts", "all", 1));
    private int records;

    record Text(@PartitionKey String text) {}

    /** The pages one behind the other, with a point behind the last in the result. */
    static final class Concatenation implements AggregateFunction<PipelineBuilderTest.Click, String, String> {
        @Override
        public String createAccumulator() {
            return "";
        }

        @Override
        public String add(PipelineBuilderTest.Click click, String accumulator) {
            return accumulator + click.page();
        }

        @Override
        @SuppressWarnings("NullAway") // null is what one test is about
        public String getResult(String accumulator) {
            return accumulator.endsWith("x") ? null : accumulator + ".";
        }

        @Override
        public String merge(String a, String b) {
            return a + b;
        }
    }

    private static StageEngine engine() {
        PipelineDefinition pipeline = builder -> builder.fromKinesis("clicks", Json.of(PipelineBuilderTest.Click.class))
                .keyBy(click -> "all")
                .aggregate(new Concatenation(), String.class)
                .uid("texts")
                .map(Text::new)
                .sinkTo(DynamoDbSink.rows("texts", Text.class));
        return new StageEngine(PipelineBuilder.plan(named(pipeline)).stage("texts"), () -> "version");
    }

    private static PipelineDefinition named(PipelineDefinition definition) {
        return new PipelineDefinition() {
            @Override
            public String name() {
                return "texts";
            }

            @Override
            public void define(PipelineBuilder pipeline) {
                definition.define(pipeline);
            }
        };
    }

    private RunResult run(String... pages) throws RecordFailure {
        StageEngine engine = engine();
        List<RoutedRecord> routed = new ArrayList<>();
        for (String page : pages) {
            routed.add(engine.route(new InputRecord(
                    Position.of(Integer.toString(++records)),
                    Json.of(PipelineBuilderTest.Click.class).serialize(new PipelineBuilderTest.Click(page, 1)),
                    Instant.EPOCH)));
        }
        return engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                routed,
                Map.of("all", cell),
                new Condemned(),
                Set.of(),
                () -> false);
    }

    private List<String> commit(String... pages) throws RecordFailure {
        Unit unit = Objects.requireNonNull(run(pages).units().get("all")).get(0);
        cell = unit.after();
        return unit.rows().stream()
                .map(row -> row.attributes().path("text").asText())
                .toList();
    }

    @Test
    void resultIsPutOutAfterEachElement() throws RecordFailure {
        assertThat(commit("a", "b")).containsExactly("a.", "ab.");
        assertThat(commit("c")).containsExactly("abc.");
        assertThat(cell.states()).containsOnlyKeys("aggregated");
    }

    @Test
    void resultThatIsNullIsTheRecordsFault() throws RecordFailure {
        RunResult result = run("x");

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure()).hasMessageContaining("getResult returned null; return a result");
    }
}
