package io.millrace.internal.engine;

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
import java.util.ArrayList;
import java.util.List;

/** A pipeline of texts that are their own keys, around a function that is given. */
record TextPipeline(KeyedProcessFunction<String, String, TextPipeline.Counted> function) implements PipelineDefinition {
    /** A class that Jackson writes as an object with its fields as they are when it is written. */
    static final class Counter {
        public int count;
    }

    record Counted(@PartitionKey String text, @SortKey int part, Counter counter) {}

    record Line(@PartitionKey String text, @SortKey int part, int count) {}

    static StageEngine engine(KeyedProcessFunction<String, String, Counted> function) {
        return new StageEngine(PipelineBuilder.plan(new TextPipeline(function)).stage("texts"), () -> "version");
    }

    static byte[] payload(String text) {
        return Json.of(String.class).serialize(text);
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("texts", Json.of(String.class))
                .keyBy(text -> text)
                .process(function)
                .uid("texts")
                .map(counted -> new Line(counted.text(), counted.part(), counted.counter().count))
                .sinkTo(DynamoDbSink.rows("lines", Line.class));
    }

    /** Adds one to each of eight counters. */
    static final class EightCounters extends KeyedProcessFunction<String, String, Counted> {
        private final List<ValueState<Long>> counters = new ArrayList<>();

        @Override
        public void open(OpenContext openContext) {
            for (int i = 1; i <= 8; i++) {
                counters.add(getRuntimeContext().getState(new ValueStateDescriptor<>("counter" + i, Long.class)));
            }
        }

        @Override
        public void processElement(String value, Context ctx, Collector<Counted> out) {
            for (ValueState<Long> counter : counters) {
                Long before = counter.value();
                counter.update(before == null ? 1 : before + 1);
            }
        }
    }

    /** Puts out one object three times, and changes it in between. */
    static final class Growing extends KeyedProcessFunction<String, String, Counted> {
        @Override
        public void processElement(String value, Context ctx, Collector<Counted> out) {
            Counter counter = new Counter();
            for (int part = 1; part <= 3; part++) {
                counter.count++;
                out.collect(new Counted(value, part, counter));
            }
        }
    }
}
