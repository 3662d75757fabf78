package io.millrace.local.testing;

import io.millrace.AggregateFunction;
import io.millrace.Collector;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.time.WatermarkStrategy;
import io.millrace.window.ProcessWindowFunction;
import io.millrace.window.TumblingEventTimeWindows;
import java.time.Duration;
import java.time.Instant;

/** The pipeline with event time of the guide on testing: the highest reading of each sensor and hour. */
public final class HourlyMaxima implements PipelineDefinition {
    /** A reading. */
    public record Reading(String sensor, long value, Instant time) {}

    /** A row a sensor and hour. */
    public record HourRow(
            @PartitionKey String sensor, @SortKey String hour, long highest) {}

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("readings", Json.of(Reading.class))
                .assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Reading>forBoundedOutOfOrderness(Duration.ofMinutes(5))
                                .withTimestampAssigner(Reading::time))
                .keyBy(Reading::sensor)
                .window(TumblingEventTimeWindows.of(Duration.ofHours(1)))
                .aggregate(new Highest(), new HourRows())
                .uid("maxima")
                .sinkTo(DynamoDbSink.rows("hourly-maxima", HourRow.class));
    }

    private static final class Highest implements AggregateFunction<Reading, Long, Long> {
        @Override
        public Long createAccumulator() {
            return Long.MIN_VALUE;
        }

        @Override
        public Long add(Reading reading, Long highest) {
            return Math.max(highest, reading.value());
        }

        @Override
        public Long getResult(Long highest) {
            return highest;
        }

        @Override
        public Long merge(Long one, Long other) {
            return Math.max(one, other);
        }
    }

    private static final class HourRows extends ProcessWindowFunction<Long, HourRow, String> {
        @Override
        public void process(String sensor, Context context, Iterable<Long> highest, Collector<HourRow> out) {
            String hour = Instant.ofEpochMilli(context.window().getStart()).toString();
            highest.forEach(value -> out.collect(new HourRow(sensor, hour, value)));
        }
    }
}
