package io.millrace.aws;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import io.millrace.time.WatermarkStrategy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A pipeline with event time that tells, for each event, at which watermark it was processed. */
final class Gauging implements PipelineDefinition {
    static final String NAME = "gauging";
    static final String STREAM = "readings";
    static final String TABLE = "gauges";
    static final String STAGE = "gauge";

    /** What happened when, in milliseconds since the epoch. */
    record Event(String key, long time) {}

    /** The row of an event: the how many-th of its key it was, and the watermark that it saw. */
    record Gauge(@PartitionKey String key, @SortKey long time, int number, long watermark) {}

    private final List<Long> run = new CopyOnWriteArrayList<>();

    static String event(String key, long time) {
        return "{\"key\":\"" + key + "\",\"time\":" + time + "}";
    }

    /** The times of the events that the function was run with, repeated runs included. */
    List<Long> timesRun() {
        return run;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis(STREAM, Json.of(Event.class))
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Event>forMonotonousTimestamps()
                        .withTimestampAssigner((event, arrival) -> event.time()))
                .keyBy(Event::key)
                .process(new Read())
                .uid(STAGE)
                .sinkTo(DynamoDbSink.rows(TABLE, Gauge.class));
    }

    private final class Read extends KeyedProcessFunction<String, Event, Gauge> {
        private @Nullable ValueState<Integer> count;

        @Override
        public void open(OpenContext openContext) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Integer.class));
        }

        @Override
        public void processElement(Event event, Context ctx, Collector<Gauge> out) {
            ValueState<Integer> state = Objects.requireNonNull(count);
            Integer before = state.value();
            int number = before == null ? 1 : before + 1;
            state.update(number);
            run.add(event.time());
            out.collect(new Gauge(
                    ctx.getCurrentKey(),
                    event.time(),
                    number,
                    ctx.timerService().currentWatermark()));
        }
    }
}
