package io.millrace;

import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import io.millrace.window.EarlyFiring;
import io.millrace.window.ProcessWindowFunction;
import io.millrace.window.WindowAssigner;
import java.time.Duration;

/**
 * Elements by key and window of event time. A window fires when the stage's watermark has reached its last millisecond; its
 * result, its rows and what is forgotten of it commit together. What it holds lies in its key's cell, so all windows of a key
 * that are open at a time must stay small together (DynamoDB: 400 KB a cell). The settings give new streams.
 *
 * @param <K> the key
 * @param <T> the elements
 */
public final class WindowedStream<K, T> {
    /** The most elements that a window may be told to keep. */
    public static final int ELEMENTS_MAX = 100_000;

    private final KeyedStream<K, T> keyed;
    private final WindowingFunction.Windowing<T> windowing;

    WindowedStream(KeyedStream<K, T> keyed, WindowingFunction.Windowing<T> windowing) {
        this.keyed = keyed;
        this.windowing = windowing;
    }

    /**
     * How far the watermark may be behind a window's end until the window is over. A window that has fired stays until
     * then, and each element that comes for it lets it fire again, with all that it holds. Default: no time.
     *
     * @param lateness not negative, {@link WindowAssigner#SIZE_MAX} at most
     * @throws PipelineDefinitionException outside these bounds
     */
    public WindowedStream<K, T> allowedLateness(Duration lateness) {
        if (lateness.isNegative() || lateness.compareTo(WindowAssigner.SIZE_MAX) > 0) {
            throw PipelineDefinitionException.badLateness(lateness);
        }
        return with(new WindowingFunction.Windowing<>(
                windowing.assigner(), lateness.toMillis(), windowing.lateOutput(), windowing.earlyFiring()));
    }

    /**
     * Puts the elements that are too late for all their windows out to a side output, in the unit that moves the fence past
     * them; {@link StageStream#getSideOutput} gives the stream of them, which needs a sink. Default: they are counted and
     * dropped.
     */
    public WindowedStream<K, T> sideOutputLateData(OutputTag<T> outputTag) {
        return with(new WindowingFunction.Windowing<>(
                windowing.assigner(), windowing.latenessMillis(), outputTag, windowing.earlyFiring()));
    }

    /** Lets windows show results before they are complete. Default: they do not. */
    public WindowedStream<K, T> earlyFiring(EarlyFiring firing) {
        return with(new WindowingFunction.Windowing<>(
                windowing.assigner(), windowing.latenessMillis(), windowing.lateOutput(), firing));
    }

    private WindowedStream<K, T> with(WindowingFunction.Windowing<T> newWindowing) {
        return new WindowedStream<>(keyed, newWindowing);
    }

    /**
     * Combines the elements of each window into one. The stage needs a uid.
     *
     * @throws PipelineDefinitionException if it is not known how to store the elements
     */
    public StageStream<T> reduce(ReduceFunction<T> function) {
        return reduce(function, results());
    }

    /**
     * Combines the elements of each window into one, which a window function then sees. The stage needs a uid.
     *
     * @throws PipelineDefinitionException if it is not known how to store the elements
     */
    public <R> StageStream<R> reduce(ReduceFunction<T> function, ProcessWindowFunction<T, R, K> windowFunction) {
        return stage("reduce", new WindowContents.Reduced<>(function, keyed.serdeFor("reduce")), windowFunction);
    }

    /**
     * Gathers the elements of each window in an accumulator, whose type is taken from the function's class and kept as JSON.
     * The stage needs a uid.
     *
     * @throws PipelineDefinitionException if the class does not tell the type, as that of a lambda or a generic one
     */
    public <ACC, R> StageStream<R> aggregate(AggregateFunction<T, ACC, R> function) {
        return aggregate(function, AccumulatorTypes.serdeOf(function));
    }

    /** Gathers the elements of each window in an accumulator, kept as JSON. The stage needs a uid. */
    public <ACC, R> StageStream<R> aggregate(AggregateFunction<T, ACC, R> function, Class<ACC> accumulatorType) {
        return aggregate(function, Json.of(accumulatorType));
    }

    /** Gathers the elements of each window in an accumulator. The stage needs a uid. */
    public <ACC, R> StageStream<R> aggregate(AggregateFunction<T, ACC, R> function, Serde<ACC> accumulatorSerde) {
        return aggregate(function, accumulatorSerde, results());
    }

    /**
     * Gathers the elements of each window in an accumulator, whose type is taken from the function's class and kept as JSON,
     * and shows the result to a window function. The stage needs a uid.
     *
     * @throws PipelineDefinitionException if the class does not tell the type, as that of a lambda or a generic one
     */
    public <ACC, V, R> StageStream<R> aggregate(
            AggregateFunction<T, ACC, V> function, ProcessWindowFunction<V, R, K> windowFunction) {
        return aggregate(function, AccumulatorTypes.serdeOf(function), windowFunction);
    }

    /**
     * Gathers the elements of each window in an accumulator, kept as JSON, and shows the result to a window function. The
     * stage needs a uid.
     */
    public <ACC, V, R> StageStream<R> aggregate(
            AggregateFunction<T, ACC, V> function,
            Class<ACC> accumulatorType,
            ProcessWindowFunction<V, R, K> windowFunction) {
        return aggregate(function, Json.of(accumulatorType), windowFunction);
    }

    /**
     * Gathers the elements of each window in an accumulator, and shows the result to a window function. The stage needs a
     * uid.
     */
    public <ACC, V, R> StageStream<R> aggregate(
            AggregateFunction<T, ACC, V> function,
            Serde<ACC> accumulatorSerde,
            ProcessWindowFunction<V, R, K> windowFunction) {
        return stage("aggregate", new WindowContents.Aggregated<>(function, accumulatorSerde), windowFunction);
    }

    /**
     * Keeps all elements of each window for a function that sees them when the window fires. The stage needs a uid. Where it
     * can be told from one element to the next, {@link #aggregate} keeps less.
     *
     * @param elementsMax the most elements of a window of one key, 1 to {@link #ELEMENTS_MAX}; one more fails its record,
     *     and the stage's {@link ErrorPolicy} decides what becomes of it
     * @throws PipelineDefinitionException if it is not known how to store the elements, or the bound is out of its own
     */
    public <R> StageStream<R> process(ProcessWindowFunction<T, R, K> function, int elementsMax) {
        if (elementsMax < 1 || elementsMax > ELEMENTS_MAX) {
            throw PipelineDefinitionException.badElementsMax(elementsMax);
        }
        return stage("process", new WindowContents.Buffered<>(keyed.serdeFor("process"), elementsMax), function);
    }

    private <V, R> StageStream<R> stage(
            String operator, WindowContents<T, V> contents, ProcessWindowFunction<V, R, K> function) {
        return keyed.windowStage(
                operator, new WindowingFunction<>(windowing, contents, function), windowing.lateOutput());
    }

    /** Puts out what a window holds. */
    private static <V, K> ProcessWindowFunction<V, V, K> results() {
        return new ProcessWindowFunction<>() {
            @Override
            public void process(K key, Context context, Iterable<V> elements, Collector<V> out) {
                elements.forEach(out::collect);
            }
        };
    }
}
