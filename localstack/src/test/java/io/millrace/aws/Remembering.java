package io.millrace.aws;

import io.millrace.AggregateFunction;
import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.state.AggregatingState;
import io.millrace.state.AggregatingStateDescriptor;
import io.millrace.state.ListState;
import io.millrace.state.ListStateDescriptor;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ReducingState;
import io.millrace.state.ReducingStateDescriptor;
import io.millrace.state.StateTtlConfig;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A pipeline that keeps a word in state of all kinds, and registers a timer of each time. */
final class Remembering implements PipelineDefinition {
    static final String NAME = "remembering";
    static final String STAGE = "remember";
    static final String STREAM = "words";

    /** One of a key, at an event time in milliseconds since the epoch. */
    record Word(String key, String text, long time) {}

    /** Which word a key had last. */
    record WordRow(@PartitionKey String key, String text) {}

    static String word(String key, String text, long time) {
        return "{\"key\":\"" + key + "\",\"text\":\"" + text + "\",\"time\":" + time + "}";
    }

    /** Bytes as they are. */
    static final class Raw implements Serde<byte[]> {
        @Override
        public byte[] serialize(byte[] value) {
            return value;
        }

        @Override
        public byte[] deserialize(byte[] data) {
            return data.clone();
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis(STREAM, Json.of(Word.class))
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Word>forMonotonousTimestamps()
                        .withTimestampAssigner((word, arrival) -> word.time()))
                .keyBy(Word::key)
                .process(new Remember())
                .uid(STAGE)
                .sinkTo(DynamoDbSink.rows("last-words", WordRow.class));
    }

    private static final class Lengths implements AggregateFunction<String, Integer, Integer> {
        @Override
        public Integer createAccumulator() {
            return 0;
        }

        @Override
        public Integer add(String value, Integer accumulator) {
            return accumulator + value.length();
        }

        @Override
        public Integer getResult(Integer accumulator) {
            return accumulator;
        }

        @Override
        public Integer merge(Integer a, Integer b) {
            return a + b;
        }
    }

    private static final class Remember extends KeyedProcessFunction<String, Word, WordRow> {
        private @Nullable ValueState<Word> last;
        private @Nullable ValueState<byte[]> raw;
        private @Nullable ValueState<String> fleeting;
        private @Nullable ListState<String> all;
        private @Nullable MapState<String, Integer> counts;
        private @Nullable ReducingState<String> longest;
        private @Nullable AggregatingState<String, Integer> lengths;

        @Override
        public void open(OpenContext openContext) {
            ValueStateDescriptor<String> expiring = new ValueStateDescriptor<>("fleeting", String.class);
            expiring.enableTimeToLive(
                    StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Word.class));
            raw = getRuntimeContext().getState(new ValueStateDescriptor<>("raw", new Raw()));
            fleeting = getRuntimeContext().getState(expiring);
            all = getRuntimeContext().getListState(new ListStateDescriptor<>("all", String.class));
            counts = getRuntimeContext().getMapState(new MapStateDescriptor<>("counts", String.class, Integer.class));
            longest = getRuntimeContext()
                    .getReducingState(new ReducingStateDescriptor<>(
                            "longest", (a, b) -> a.length() < b.length() ? b : a, String.class));
            lengths = getRuntimeContext()
                    .getAggregatingState(
                            new AggregatingStateDescriptor<>("lengths", new Lengths(), Json.of(Integer.class)));
        }

        @Override
        public void processElement(Word word, Context ctx, Collector<WordRow> out) throws Exception {
            Objects.requireNonNull(last).update(word);
            Objects.requireNonNull(raw).update(new byte[] {0, (byte) word.text().length()});
            Objects.requireNonNull(fleeting).update(word.text());
            Objects.requireNonNull(all).add(word.text());
            MapState<String, Integer> known = Objects.requireNonNull(counts);
            Integer count = known.get(word.text());
            known.put(word.text(), count == null ? 1 : count + 1);
            Objects.requireNonNull(longest).add(word.text());
            Objects.requireNonNull(lengths).add(word.text());
            ctx.timerService().registerEventTimeTimer(word.time() + 60_000);
            ctx.timerService()
                    .registerProcessingTimeTimer(Duration.ofDays(40_000).toMillis());
            out.collect(new WordRow(word.key(), word.text()));
        }
    }
}
