package io.millrace;

import org.jspecify.annotations.Nullable;

/**
 * User code over the elements of a key, with state.
 *
 * <p>State and rows are exactly-once. The code itself is not: it is run again for the same element after a conflict, a
 * crash or a retry, so its own side effects and its fields are not exactly-once. Keep in state what must survive, and
 * nothing in fields but what {@link #open} sets up. One instance is used by one thread at a time.
 *
 * @param <K> the key
 * @param <I> the elements in
 * @param <O> the elements out
 */
public abstract class KeyedProcessFunction<K, I, O> {
    private @Nullable RuntimeContext runtimeContext;

    /** Registers state. Called once for each function instance, before the first element. Default: does nothing. */
    public void open(OpenContext openContext) throws Exception {}

    /**
     * Processes one element: reads and updates the current key's state and collects results. An exception discards all
     * that the call did, and the stage's {@link ErrorPolicy} decides what becomes of the record.
     */
    public abstract void processElement(I value, Context ctx, Collector<O> out) throws Exception;

    /**
     * Called when a timer of a key fires, before any record that its watermark could still let in is processed. An exception
     * discards all that the call did; the timer is tried again, and the stage's {@link ErrorPolicy} decides what becomes of
     * it. Default: does nothing.
     *
     * @param timestamp the time for which the timer was registered
     */
    public void onTimer(long timestamp, OnTimerContext ctx, Collector<O> out) throws Exception {}

    /**
     * Where {@link #open} registers state.
     *
     * @throws IllegalStateException before the function is opened
     */
    public final RuntimeContext getRuntimeContext() {
        if (runtimeContext == null) {
            throw new IllegalStateException("The runtime context is there from open() on, not in the constructor.");
        }
        return runtimeContext;
    }

    /** Called by Millrace before {@link #open}; not for user code. */
    public final void setRuntimeContext(RuntimeContext runtimeContext) {
        this.runtimeContext = runtimeContext;
    }

    /** What is known of the element at hand. Valid only during the call. */
    public abstract class Context {
        protected Context() {}

        /** The key of the element or the timer. */
        public abstract K getCurrentKey();

        /**
         * The element's event time in milliseconds since the epoch: as {@link io.millrace.time.WatermarkStrategy} takes it,
         * or its record's arrival in the stream if there is none. During {@link #onTimer} the timer's time.
         */
        public abstract Long timestamp();

        /** Time, and the timers of the current key. */
        public abstract TimerService timerService();

        /**
         * Puts a value out to a side output; its rows commit with the state, as those of the main results do. A value
         * that no sink listens to is dropped. What the functions behind the side output throw at fails the record.
         *
         * @throws IllegalArgumentException if the value is not of the tag's class, or the pipeline knows this tag with
         *     another class
         * @throws NullPointerException if the value is null
         * @throws IllegalStateException outside of the call that this context was passed to
         */
        public abstract <X> void output(OutputTag<X> outputTag, X value);
    }

    /** What is known of the timer at hand. Valid only during the call. */
    public abstract class OnTimerContext extends Context {
        protected OnTimerContext() {}

        /** Which time the timer goes by. */
        public abstract TimeDomain timeDomain();
    }
}
