package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.time.WatermarkStrategy;
import io.millrace.window.ProcessWindowFunction;
import io.millrace.window.TumblingEventTimeWindows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What is refused of windows when a pipeline is built, and with which way out. */
class WindowDefinitionTest {
    private static final OutputTag<Event> LATE = new OutputTag<>("late", Event.class);

    record Event(@PartitionKey String key, long time) {}

    record Row(@PartitionKey String key, long count) {}

    /** Counts. */
    static class Count implements AggregateFunction<Event, Long, Long> {
        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(Event value, Long accumulator) {
            return accumulator + 1;
        }

        @Override
        public Long getResult(Long accumulator) {
            return accumulator;
        }

        @Override
        public Long merge(Long a, Long b) {
            return a + b;
        }
    }

    /** Keeps something of a type that its class does not tell. */
    static final class Generic<A> implements AggregateFunction<Event, A, Long> {
        private final A first;

        Generic(A first) {
            this.first = first;
        }

        @Override
        public A createAccumulator() {
            return first;
        }

        @Override
        public A add(Event value, A accumulator) {
            return accumulator;
        }

        @Override
        public Long getResult(A accumulator) {
            return 0L;
        }

        @Override
        public A merge(A a, A b) {
            return a;
        }
    }

    /** Keeps some number; which class of numbers it is only its maker knows. */
    static class Bounded<N extends Number> implements AggregateFunction<Event, N, Long> {
        private final N first;

        Bounded(N first) {
            this.first = first;
        }

        @Override
        public N createAccumulator() {
            return first;
        }

        @Override
        public N add(Event value, N accumulator) {
            return accumulator;
        }

        @Override
        public Long getResult(N accumulator) {
            return accumulator.longValue();
        }

        @Override
        public N merge(N a, N b) {
            return a;
        }
    }

    /** Tells by its superclass what that one does not. */
    static final class Longs extends Bounded<Long> {
        Longs() {
            super(1L);
        }
    }

    /** Keeps a list, whose elements' class Jackson would have to guess. */
    static final class Listing implements AggregateFunction<Event, List<Event>, Long> {
        @Override
        public List<Event> createAccumulator() {
            return new ArrayList<>();
        }

        @Override
        public List<Event> add(Event value, List<Event> accumulator) {
            accumulator.add(value);
            return accumulator;
        }

        @Override
        public Long getResult(List<Event> accumulator) {
            return (long) accumulator.size();
        }

        @Override
        public List<Event> merge(List<Event> a, List<Event> b) {
            a.addAll(b);
            return a;
        }
    }

    /** Puts out a row. */
    static final class Rows extends ProcessWindowFunction<Long, Row, String> {
        @Override
        public void process(String key, Context context, Iterable<Long> counts, Collector<Row> out) {
            counts.forEach(count -> out.collect(new Row(key, count)));
        }
    }

    private static KeyedStream<String, Event> timed(PipelineBuilder pipeline) {
        return pipeline.fromKinesis("events", Json.of(Event.class))
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Event>forMonotonousTimestamps()
                        .withTimestampAssigner((event, arrival) -> event.time()))
                .keyBy(Event::key);
    }

    private static WindowedStream<String, Event> days(PipelineBuilder pipeline) {
        return timed(pipeline).window(TumblingEventTimeWindows.of(Duration.ofDays(1)));
    }

    private static void plan(Function<PipelineBuilder, StageStream<?>> stage) {
        PipelineBuilder.plan(new PipelineDefinition() {
            @Override
            public String name() {
                return "windows";
            }

            @Override
            public void define(PipelineBuilder pipeline) {
                stage.apply(pipeline).uid("stage");
            }
        });
    }

    private static void planToRows(Function<PipelineBuilder, StageStream<Row>> stage) {
        plan(pipeline -> stage.apply(pipeline).sinkTo(DynamoDbSink.rows("rows", Row.class)));
    }

    @Test
    void accumulatorIsTakenFromTheFunctionsClass() {
        planToRows(pipeline -> days(pipeline).aggregate(new Count(), new Rows()));
        planToRows(pipeline -> days(pipeline).aggregate(new Count() {}, new Rows()));
        planToRows(pipeline -> days(pipeline).aggregate(new Longs(), new Rows()));
        planToRows(pipeline -> timed(pipeline).aggregate(new Count()).map(count -> new Row("all", count)));
    }

    @Test
    void accumulatorThatItsClassDoesNotTellIsRefusedWithTheLineToAdd() {
        assertThatThrownBy(() -> planToRows(pipeline -> days(pipeline).aggregate(new Generic<>(1L), new Rows())))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining("Generic is not known from its class")
                .hasMessageContaining("aggregate(function, Accumulator.class)");
        assertThatThrownBy(() -> planToRows(pipeline -> days(pipeline).aggregate(new Listing(), new Rows())))
                .isInstanceOf(PipelineDefinitionException.class);
        planToRows(pipeline -> days(pipeline).aggregate(new Generic<>(1L), Json.of(Long.class), new Rows()));
        planToRows(pipeline -> days(pipeline).aggregate(new Generic<>(1L), Long.class, new Rows()));
    }

    /** Its bound is no answer: JSON would read the accumulator as another class than was written. */
    @Test
    void accumulatorOfWhichOnlyABoundIsKnownIsRefused() {
        assertThatThrownBy(() -> planToRows(pipeline -> days(pipeline).aggregate(new Bounded<>(1L), new Rows())))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining("Bounded is not known from its class");
        planToRows(pipeline -> days(pipeline).aggregate(new Bounded<Long>(1L) {}, new Rows()));
    }

    @Test
    void windowsWithoutWatermarksMustBeAskedFor() {
        planToRows(pipeline -> pipeline.fromKinesis("events", Json.of(Event.class))
                .assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks())
                .keyBy(Event::key)
                .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
                .aggregate(new Count(), new Rows()));
    }

    @Test
    void windowNeedsAWatermarkStrategy() {
        assertThatThrownBy(() -> planToRows(pipeline -> pipeline.fromKinesis("events", Json.of(Event.class))
                        .keyBy(Event::key)
                        .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
                        .aggregate(new Count(), new Rows())))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining("cut into tumbling windows of PT24H have no watermark")
                .hasMessageContaining(".assignTimestampsAndWatermarks(");
    }

    @Test
    void timestampsAreAssignedOnce() {
        assertThatThrownBy(() -> plan(pipeline -> {
                    DataStream<Event> stream = pipeline.fromKinesis("events", Json.of(Event.class))
                            .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps());
                    return stream.assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks())
                            .keyBy(Event::key)
                            .aggregate(new Count());
                }))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining("called twice");
    }

    @Test
    void lateOutputNeedsASink() {
        assertThatThrownBy(() -> planToRows(
                        pipeline -> days(pipeline).sideOutputLateData(LATE).aggregate(new Count(), new Rows())))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining(
                        "The late elements of stage 'stage' go to the side output 'late', which has no sink");
        plan(pipeline -> {
            StageStream<Row> stage = days(pipeline).sideOutputLateData(LATE).aggregate(new Count(), new Rows());
            stage.getSideOutput(LATE).sinkTo(DynamoDbSink.rows("late", Event.class));
            return stage.sinkTo(DynamoDbSink.rows("rows", Row.class));
        });
    }

    @Test
    void elementsThatAreKeptNeedASerdeAndABound() {
        assertThatThrownBy(() -> plan(pipeline -> pipeline.fromKinesis("events", Json.of(Event.class))
                        .map(event -> event)
                        .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps())
                        .keyBy(Event::key)
                        .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
                        .reduce((a, b) -> b)))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining("before reduce(...) is not known");
        for (int bound : new int[] {0, WindowedStream.ELEMENTS_MAX + 1}) {
            assertThatThrownBy(() -> plan(pipeline -> days(pipeline)
                            .process(
                                    new ProcessWindowFunction<Event, Row, String>() {
                                        @Override
                                        public void process(
                                                String key,
                                                Context context,
                                                Iterable<Event> elements,
                                                Collector<Row> out) {}
                                    },
                                    bound)))
                    .isInstanceOf(PipelineDefinitionException.class)
                    .hasMessageContaining("process(...) may keep " + bound + " elements");
        }
    }

    @Test
    void latenessOutOfItsBoundsIsRefused() {
        for (Duration lateness : List.of(Duration.ofMillis(-1), Duration.ofDays(36_501))) {
            assertThatThrownBy(() -> plan(
                            pipeline -> days(pipeline).allowedLateness(lateness).aggregate(new Count())))
                    .isInstanceOf(PipelineDefinitionException.class)
                    .hasMessageContaining("allowedLateness(...) is " + lateness);
        }
        assertThat(Duration.ofDays(36_500)).isEqualTo(io.millrace.window.WindowAssigner.SIZE_MAX);
    }
}
