package io.millrace.internal.operator;

import io.millrace.TimeDomain;

/**
 * What Millrace's own operators see of a call beside what users' functions see; every context of a {@link
 * io.millrace.KeyedProcessFunction} that the engine makes is one. Valid only during the call.
 */
public interface OperatorContext {
    /** The event time of the element, or the time of the timer, in milliseconds since the epoch. */
    long operatorTimestamp();

    /** The watermark by which the element is late or not: the stage's, or the cell's if that is higher. */
    long currentWatermark();

    /** The clock, in milliseconds since the epoch. */
    long currentProcessingTime();

    /** Registers a timer, once for a domain, a time and a name. */
    void registerTimer(TimeDomain domain, long time, String name);

    /** Takes a timer back; does nothing if there is none. */
    void deleteTimer(TimeDomain domain, long time, String name);

    /** The name of the timer that fires; empty while an element is processed. */
    String timerName();

    /** Counts the element as late and dropped. */
    void countLate();
}
