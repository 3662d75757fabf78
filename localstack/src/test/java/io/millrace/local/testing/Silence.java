package io.millrace.local.testing;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.local.testing.HourlyMaxima.Reading;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The pipeline with timers of the guide on testing: tells of sensors that nothing came of for 10 minutes, by the clock. */
public final class Silence implements PipelineDefinition {
    static final long SILENT_MILLIS = Duration.ofMinutes(10).toMillis();

    /** A row each time that a sensor has become silent. */
    public record SilentRow(
            @PartitionKey String sensor, @SortKey String since) {}

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("readings", Json.of(Reading.class))
                .keyBy(Reading::sensor)
                .process(new Watch())
                .uid("watch")
                .sinkTo(DynamoDbSink.rows("silent-sensors", SilentRow.class));
    }

    /** Sets a timer at each reading, and takes the one of the reading before back. */
    static final class Watch extends KeyedProcessFunction<String, Reading, SilentRow> {
        private @Nullable ValueState<Long> timer;

        @Override
        public void open(OpenContext openContext) {
            timer = getRuntimeContext().getState(new ValueStateDescriptor<>("timer", Long.class));
        }

        @Override
        public void processElement(Reading reading, Context ctx, Collector<SilentRow> out) {
            ValueState<Long> pending = Objects.requireNonNull(timer);
            Long before = pending.value();
            if (before != null) {
                ctx.timerService().deleteProcessingTimeTimer(before);
            }
            long due = ctx.timerService().currentProcessingTime() + SILENT_MILLIS;
            ctx.timerService().registerProcessingTimeTimer(due);
            pending.update(due);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext ctx, Collector<SilentRow> out) {
            Objects.requireNonNull(timer).clear();
            String since = Instant.ofEpochMilli(timestamp - SILENT_MILLIS).toString();
            out.collect(new SilentRow(ctx.getCurrentKey(), since));
        }
    }
}
