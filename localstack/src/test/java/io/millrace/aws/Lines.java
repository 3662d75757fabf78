package io.millrace.aws;

import io.millrace.Collector;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.RecordDecoder;
import io.millrace.serde.StreamRecord;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A pipeline of texts under their partition keys: each key counts its texts, and has a row for each. */
final class Lines implements PipelineDefinition {
    static final String TABLE = "lines";

    /** A text and the partition key of its record. */
    record Text(String key, String text) {}

    /** The row of a text: the how many-th of its key it was. */
    record Line(@PartitionKey String key, @SortKey String text, int number) {}

    /** Called before each text is counted. */
    @FunctionalInterface
    interface Trap {
        void meet(String text) throws Exception;
    }

    private final ErrorPolicy policy;
    private final ErrorPolicy undecodable;
    private final Trap trap;
    private final List<String> run = new CopyOnWriteArrayList<>();

    Lines(ErrorPolicy policy, ErrorPolicy undecodable, Trap trap) {
        this.policy = policy;
        this.undecodable = undecodable;
        this.trap = trap;
    }

    static Lines harmless() {
        return new Lines(ErrorPolicy.fail(), ErrorPolicy.deadLetter(), text -> {});
    }

    /** The texts that the function was run with, repeated runs included. */
    List<String> textsRun() {
        return run;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        RecordDecoder<Text> decoder = Lines::decode;
        pipeline.fromKinesis("texts", decoder)
                .undecodable(undecodable)
                .keyBy(Text::key)
                .process(new Count())
                .uid("count")
                .errorPolicy(policy)
                .sinkTo(DynamoDbSink.rows(TABLE, Line.class));
    }

    private static void decode(StreamRecord record, Collector<Text> out) {
        out.collect(new Text(
                Objects.requireNonNull(record.partitionKey()), new String(record.payload(), StandardCharsets.UTF_8)));
    }

    private final class Count extends KeyedProcessFunction<String, Text, Line> {
        private @Nullable ValueState<Integer> count;

        @Override
        public void open(OpenContext openContext) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Integer.class));
        }

        @Override
        public void processElement(Text element, Context ctx, Collector<Line> out) throws Exception {
            ValueState<Integer> state = Objects.requireNonNull(count);
            Integer before = state.value();
            int number = before == null ? 1 : before + 1;
            state.update(number);
            run.add(element.text());
            trap.meet(element.text());
            out.collect(new Line(ctx.getCurrentKey(), element.text(), number));
        }
    }
}
