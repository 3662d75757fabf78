package io.millrace;

/**
 * Time, and timers of the current key. A timer is a part of the key's state: it is registered, fires and goes in the
 * same transaction as the state and the rows that come with it, so it fires once, whatever crashes. There is one timer
 * for a time, however often it is registered. Valid only during the call.
 */
public interface TimerService {
    /** The clock of the function, in milliseconds since the epoch, as read when this run over records or timers began. */
    long currentProcessingTime();

    /**
     * The event time that all shards have passed, in milliseconds since the epoch; {@link
     * io.millrace.time.WatermarkStrategy#NO_WATERMARK} if there is none.
     */
    long currentWatermark();

    /**
     * Calls {@link KeyedProcessFunction#onTimer} when the watermark has reached a time. One that it has reached already
     * fires at the key's next record or the next sweep, not at once.
     */
    void registerEventTimeTimer(long time);

    /** Calls {@link KeyedProcessFunction#onTimer} when the clock has reached a time, as soon as a record or a sweep comes. */
    void registerProcessingTimeTimer(long time);

    /** Takes an event-time timer back; does nothing if there is none. */
    void deleteEventTimeTimer(long time);

    /** Takes a processing-time timer back; does nothing if there is none. */
    void deleteProcessingTimeTimer(long time);
}
