package io.millrace;

import io.millrace.internal.plan.SourcePlan;
import io.millrace.internal.plan.Step;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Serde;
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
        if (serde == null) {
            throw PipelineDefinitionException.unknownType("reduce");
        }
        return stage("reduce", new ReducingFunction<K, T>(function, serde));
    }

    @SuppressWarnings("unchecked")
    private <O> StageStream<O> stage(String operator, KeyedProcessFunction<K, T, O> function) {
        StageBuilder stage = new StageBuilder(operator, keying, (KeyedProcessFunction<Object, Object, Object>)
                (KeyedProcessFunction<?, ?, ?>) function);
        pipeline.add(stage);
        return new StageStream<>(stage, List.of());
    }

    /** What comes before the state. */
    record Keying(
            Supplier<SourcePlan> source,
            List<Step> steps,
            KeySelector<Object, Object> selector,
            KeyCodec<Object> codec) {}
}
