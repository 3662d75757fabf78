package io.millrace;

import io.millrace.internal.plan.Deduplication;
import io.millrace.internal.plan.EventTimePlan;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.SourcePlan;
import io.millrace.internal.plan.Step;
import io.millrace.internal.plan.Topology;
import io.millrace.serde.Json;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Serde;
import io.millrace.state.StateTtlConfig;
import io.millrace.window.WindowAssigner;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Elements by key. No shuffle comes with it: any shard may carry any key. */
public final class KeyedStream<K, T> {
    private final PipelineBuilder pipeline;
    private final Keying keying;
    private final @Nullable Serde<T> serde;

    KeyedStream(PipelineBuilder pipeline, Keying keying, @Nullable Serde<T> serde) {
        this.pipeline = pipeline;
        this.keying = keying;
        this.serde = serde;
    }

    /** Runs a function with state over the elements of each key. The stage needs a uid. */
    public <O> StageStream<O> process(KeyedProcessFunction<K, T, O> function) {
        return stage("process", function);
    }

    /**
     * Keeps one element a key, each new one combined into it, and puts out the result each time. The stage needs a uid.
     *
     * @throws PipelineDefinitionException if it is not known how to store the elements
     */
    public StageStream<T> reduce(ReduceFunction<T> function) {
        return stage("reduce", new ReducingFunction<K, T>(function, serdeFor("reduce")));
    }

    /** How elements are stored, for an operator that stores them. */
    Serde<T> serdeFor(String operator) {
        if (serde == null) {
            throw PipelineDefinitionException.unknownType(operator);
        }
        return serde;
    }

    /**
     * Cuts the elements of each key into windows of event time.
     *
     * @throws PipelineDefinitionException if the elements have no event time; {@code
     *     WatermarkStrategy.noWatermarks()} is for windows that only the end of the input closes
     */
    public WindowedStream<K, T> window(WindowAssigner assigner) {
        if (keying.eventTime() == null) {
            throw PipelineDefinitionException.windowWithoutEventTime(assigner.toString());
        }
        return new WindowedStream<>(this, new WindowingFunction.Windowing<>(assigner, 0, null, null));
    }

    <O> StageStream<O> windowStage(
            String operator, KeyedProcessFunction<K, T, O> function, @Nullable OutputTag<T> lateOutput) {
        StageStream<O> stage = stage(operator, function);
        if (lateOutput != null) {
            stage.requireSink(lateOutput);
        }
        return stage;
    }

    /**
     * Keeps one accumulator a key as JSON, whose type is taken from the function's class, adds each element to it and puts
     * out the result each time. The stage needs a uid.
     *
     * @throws PipelineDefinitionException if the class does not tell the type, as that of a lambda or a generic one
     */
    public <ACC, R> StageStream<R> aggregate(AggregateFunction<T, ACC, R> function) {
        return aggregate(function, AccumulatorTypes.serdeOf(function));
    }

    /**
     * Keeps one accumulator a key as JSON, adds each element to it and puts out the result each time. The stage needs a
     * uid.
     */
    public <ACC, R> StageStream<R> aggregate(AggregateFunction<T, ACC, R> function, Class<ACC> accumulatorType) {
        return aggregate(function, Json.of(accumulatorType));
    }

    /** Keeps one accumulator a key, adds each element to it and puts out the result each time. The stage needs a uid. */
    public <ACC, R> StageStream<R> aggregate(AggregateFunction<T, ACC, R> function, Serde<ACC> accumulatorSerde) {
        return stage("aggregate", new AggregatingFunction<K, T, ACC, R>(function, accumulatorSerde));
    }

    /**
     * Drops elements that a producer has put into the stream again: of the elements of a key with one id, the first one
     * passes, and each that arrived in the stream less than {@code within} after it is dropped. The ids are kept in the
     * key's cell, beside the state of the stage that follows, and commit with it, so they count against the size of the
     * cell until they are {@code within} old and the cell is written again. An element that the stage's function throws
     * at is not remembered.
     *
     * <p>The time of an element is its record's arrival in the stream, by Kinesis's clock: how late it is processed makes
     * no difference. If an element and its repetition come from different shards, these must not be processed further
     * apart than {@code within}.
     *
     * @param idFunction gives the id of an element, never null and the same each time
     * @param within 1 millisecond to {@link StateTtlConfig#TIME_TO_LIVE_MAX}
     * @return the elements without repetitions, for {@code process}, {@code reduce} or {@code aggregate}
     * @throws PipelineDefinitionException if {@code within} is out of its bounds, or the elements are deduplicated already
     */
    @SuppressWarnings("unchecked")
    public KeyedStream<K, T> deduplicate(KeySelector<? super T, String> idFunction, Duration within) {
        if (keying.deduplication() != null) {
            throw PipelineDefinitionException.deduplicatedTwice();
        }
        if (within.compareTo(Duration.ofMillis(1)) < 0 || within.compareTo(StateTtlConfig.TIME_TO_LIVE_MAX) > 0) {
            throw PipelineDefinitionException.badDeduplication(within);
        }
        Deduplication deduplication =
                new Deduplication((KeySelector<Object, String>) (KeySelector<?, String>) idFunction, within);
        return new KeyedStream<>(pipeline, keying.with(deduplication), serde);
    }

    @SuppressWarnings("unchecked")
    private <O> StageStream<O> stage(String operator, KeyedProcessFunction<K, T, O> function) {
        KeyedProcessFunction<Object, Object, Object> untyped =
                (KeyedProcessFunction<Object, Object, Object>) (KeyedProcessFunction<?, ?, ?>) function;
        StageBuilder stage = new StageBuilder(operator, keying.source(), common -> keying.stagePlan(common, untyped));
        pipeline.add(stage);
        return new StageStream<>(stage, List.of());
    }

    /** What comes before the state. */
    record Keying(
            Supplier<SourcePlan> source,
            List<Step> steps,
            @Nullable EventTimePlan eventTime,
            KeySelector<Object, Object> selector,
            KeyCodec<Object> codec,
            @Nullable Deduplication deduplication) {
        Keying with(Deduplication newDeduplication) {
            return new Keying(source, steps, eventTime, selector, codec, newDeduplication);
        }

        KeyedStagePlan stagePlan(StageBuilder.Common common, KeyedProcessFunction<Object, Object, Object> function) {
            return new KeyedStagePlan(
                    common.uid(),
                    common.name(),
                    common.source(),
                    steps,
                    eventTime,
                    selector,
                    codec,
                    deduplication,
                    function,
                    common.errorPolicy(),
                    common.outputs(),
                    Topology.fingerprint(common.source(), steps, selector, codec));
        }
    }
}
