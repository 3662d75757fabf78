package io.millrace;

import io.millrace.internal.plan.EventTimePlan;
import io.millrace.internal.plan.RowStagePlan;
import io.millrace.internal.plan.SourcePlan;
import io.millrace.internal.plan.Step;
import io.millrace.internal.plan.Topology;
import io.millrace.serde.Json;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Keys;
import io.millrace.serde.Serde;
import io.millrace.sink.Sink;
import io.millrace.time.WatermarkStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Elements that have no key yet. Its functions run again whenever a batch is delivered again, and must give the same
 * result each time: what they give decides under which key a record is fenced.
 */
public sealed class DataStream<T> permits SourceStream {
    private final PipelineBuilder pipeline;
    private final Supplier<SourcePlan> source;
    private final List<Step> steps;
    private final @Nullable EventTimePlan eventTime;
    private final @Nullable Serde<T> serde;

    DataStream(
            PipelineBuilder pipeline,
            Supplier<SourcePlan> source,
            List<Step> steps,
            @Nullable EventTimePlan eventTime,
            @Nullable Serde<T> serde) {
        this.pipeline = pipeline;
        this.source = source;
        this.steps = List.copyOf(steps);
        this.eventTime = eventTime;
        this.serde = serde;
    }

    /** Turns each element into another. */
    @SuppressWarnings("unchecked")
    public <R> DataStream<R> map(MapFunction<? super T, ? extends R> function) {
        return with(new Step.Map((MapFunction<Object, Object>) (MapFunction<?, ?>) function), null);
    }

    /** Keeps the elements that the function says yes to. */
    @SuppressWarnings("unchecked")
    public DataStream<T> filter(FilterFunction<? super T> function) {
        return with(new Step.Filter((FilterFunction<Object>) (FilterFunction<?>) function), serde);
    }

    /** Turns each element into any number of others. */
    @SuppressWarnings("unchecked")
    public <R> DataStream<R> flatMap(FlatMapFunction<? super T, R> function) {
        return with(new Step.FlatMap((FlatMapFunction<Object, Object>) (FlatMapFunction<?, ?>) function), null);
    }

    /**
     * Gives the elements their event time, which they keep through the functions that follow, and the stage its watermark.
     * Without it their event time is their record's arrival in the stream, and no window closes before the end of the input.
     *
     * @throws PipelineDefinitionException if the elements have a strategy already
     */
    @SuppressWarnings("unchecked")
    public DataStream<T> assignTimestampsAndWatermarks(WatermarkStrategy<T> strategy) {
        if (eventTime != null) {
            throw PipelineDefinitionException.timestampsAssignedTwice();
        }
        EventTimePlan plan =
                new EventTimePlan((WatermarkStrategy<Object>) (WatermarkStrategy<?>) strategy, steps.size());
        return new DataStream<>(pipeline, source, steps, plan, serde);
    }

    /** Tells how elements are stored where an operator behind this must store them, as JSON of a class. */
    public DataStream<T> returns(Class<T> type) {
        return returns(Json.of(type));
    }

    /** Tells how elements are stored where an operator behind this must store them. */
    public DataStream<T> returns(Serde<T> serde) {
        return new DataStream<>(pipeline, source, steps, eventTime, serde);
    }

    /** Groups the elements by a text key. */
    public KeyedStream<String, T> keyBy(KeySelector<? super T, String> selector) {
        return keyBy(selector, Keys.STRING);
    }

    /** Groups the elements by a key of any type that has a codec. */
    @SuppressWarnings("unchecked")
    public <K> KeyedStream<K, T> keyBy(KeySelector<? super T, K> selector, KeyCodec<K> codec) {
        KeyedStream.Keying keying = new KeyedStream.Keying(
                source,
                steps,
                eventTime,
                (KeySelector<Object, Object>) (KeySelector<?, ?>) selector,
                (KeyCodec<Object>) codec,
                null);
        return new KeyedStream<>(pipeline, keying, serde);
    }

    /**
     * Writes the elements into rows, as a stage of its own, without state. Each row remembers, for each shard, the last
     * record that it has absorbed. The stage needs a uid; more sinks of the same stage are added behind it.
     */
    public DataStreamSink<T> sinkTo(Sink<? super T> sink) {
        StageBuilder stage = new StageBuilder(
                StageBuilder.SINK_OPERATOR,
                source,
                common -> new RowStagePlan(
                        common.uid(),
                        common.name(),
                        common.source(),
                        steps,
                        common.errorPolicy(),
                        common.outputs(),
                        Topology.ofRows(common.source(), steps, common.outputs())));
        pipeline.add(stage);
        return new DataStreamSink<T>(stage).sinkTo(sink);
    }

    private <R> DataStream<R> with(Step step, @Nullable Serde<R> newSerde) {
        List<Step> extended = new ArrayList<>(steps);
        extended.add(step);
        return new DataStream<>(pipeline, source, extended, eventTime, newSerde);
    }
}
