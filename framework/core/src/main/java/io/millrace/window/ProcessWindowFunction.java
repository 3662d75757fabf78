package io.millrace.window;

import io.millrace.Collector;
import io.millrace.OutputTag;

/**
 * User code over a window that fires: with all its elements, or with the one result of a function that gathered them. Called
 * again whenever the window fires again, with what it holds then. It keeps no state of its own, and nothing in fields: it is
 * run again after conflicts and crashes, like all code of a stage.
 *
 * <p>Flink's function has a fourth type, the window's: here it is always a {@link TimeWindow}.
 *
 * @param <IN> the elements, or the result
 * @param <OUT> what it puts out
 * @param <KEY> the key
 */
public abstract class ProcessWindowFunction<IN, OUT, KEY> {
    /**
     * Processes a window.
     *
     * @param elements in the order in which they were added; one if a function has gathered them
     */
    public abstract void process(KEY key, Context context, Iterable<IN> elements, Collector<OUT> out) throws Exception;

    /** What is known of the window at hand. Valid only during the call. */
    public interface Context {
        /** The window. */
        TimeWindow window();

        /** The event time that all shards have passed, in milliseconds since the epoch. */
        long currentWatermark();

        /** The clock of the function, in milliseconds since the epoch. */
        long currentProcessingTime();

        /** Puts a value out to a side output. */
        <X> void output(OutputTag<X> outputTag, X value);
    }
}
