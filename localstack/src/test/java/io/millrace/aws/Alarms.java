package io.millrace.aws;

import io.millrace.Collector;
import io.millrace.DataStream;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.time.WatermarkStrategy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A pipeline whose events set timers. Each time that one fires is counted in state and told in a row. */
public final class Alarms implements PipelineDefinition {
    public static final String NAME = "alarms";
    public static final String STREAM = "alarms";
    public static final String TABLE = "rings";
    public static final String STAGE = "ring";

    /** When an event happened, and the timers that it sets. */
    public record Event(String key, long time, List<Long> eventTimers, List<Long> clockTimers) {}

    /** How often a timer of a key fired. */
    public record Ring(@PartitionKey String key, @SortKey long at, int count) {}

    /** Called when a timer fires, with its key and time. */
    @FunctionalInterface
    public interface Trap {
        void meet(String key, long at) throws Exception;
    }

    private final ErrorPolicy policy;
    private final Trap trap;
    private final @Nullable WatermarkStrategy<Event> watermarks;
    private final List<String> fired = new CopyOnWriteArrayList<>();
    private long repeatMillis;

    public Alarms(ErrorPolicy policy, Trap trap, @Nullable WatermarkStrategy<Event> watermarks) {
        this.policy = policy;
        this.trap = trap;
        this.watermarks = watermarks;
    }

    public static Alarms harmless() {
        return new Alarms(ErrorPolicy.fail(), (key, at) -> {}, null);
    }

    public static Alarms trapped(ErrorPolicy policy, Trap trap) {
        return new Alarms(policy, trap, null);
    }

    /** Event times by the events themselves, which may come in any order. */
    public static WatermarkStrategy<Event> ordered() {
        return WatermarkStrategy.<Event>forMonotonousTimestamps()
                .withTimestampAssigner((event, arrival) -> event.time());
    }

    /** Each event timer sets another one when it fires. */
    public Alarms repeating(long millis) {
        repeatMillis = millis;
        return this;
    }

    /** An event that sets one event-time timer. */
    public static String event(String key, long time, Long... timers) {
        return new String(
                Json.of(Event.class).serialize(new Event(key, time, List.of(timers), List.of())),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    /** An event that sets one timer by the clock. */
    public static String clockEvent(String key, long time, Long... timers) {
        return new String(
                Json.of(Event.class).serialize(new Event(key, time, List.of(), List.of(timers))),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    /** Each run of a timer, committed or not, as {@code key@time}. */
    public List<String> fired() {
        return fired;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        DataStream<Event> events = pipeline.fromKinesis(STREAM, Json.of(Event.class));
        DataStream<Event> timed = watermarks == null ? events : events.assignTimestampsAndWatermarks(watermarks);
        timed.keyBy(Event::key)
                .process(new Rings())
                .uid(STAGE)
                .errorPolicy(policy)
                .sinkTo(DynamoDbSink.rows(TABLE, Ring.class));
    }

    private final class Rings extends KeyedProcessFunction<String, Event, Ring> {
        private @Nullable MapState<String, Integer> counts;

        @Override
        public void open(OpenContext openContext) {
            counts = getRuntimeContext().getMapState(new MapStateDescriptor<>("counts", String.class, Integer.class));
        }

        @Override
        public void processElement(Event event, Context ctx, Collector<Ring> out) {
            event.eventTimers().forEach(ctx.timerService()::registerEventTimeTimer);
            event.clockTimers().forEach(ctx.timerService()::registerProcessingTimeTimer);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext ctx, Collector<Ring> out) throws Exception {
            fired.add(ctx.getCurrentKey() + "@" + timestamp);
            MapState<String, Integer> state = Objects.requireNonNull(counts);
            Integer before = state.get(Long.toString(timestamp));
            int count = before == null ? 1 : before + 1;
            state.put(Long.toString(timestamp), count);
            trap.meet(ctx.getCurrentKey(), timestamp);
            if (repeatMillis > 0) {
                ctx.timerService().registerEventTimeTimer(timestamp + repeatMillis);
            }
            out.collect(new Ring(ctx.getCurrentKey(), timestamp, count));
        }
    }
}
