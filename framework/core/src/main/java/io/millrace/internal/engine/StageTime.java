package io.millrace.internal.engine;

import io.millrace.TimeDomain;
import io.millrace.time.WatermarkStrategy;
import java.time.Instant;

/**
 * The time that a run sees, from its beginning to its end.
 *
 * @param clock by which time to live and processing-time timers are judged
 * @param watermark the stage's watermark, in milliseconds since the epoch
 */
public record StageTime(Instant clock, long watermark) {
    /** A time without a watermark: no event-time timer is due, and nothing is late. */
    public static StageTime withoutWatermark(Instant clock) {
        return new StageTime(clock, WatermarkStrategy.NO_WATERMARK);
    }

    long nowOf(Timer timer) {
        return timer.domain() == TimeDomain.EVENT_TIME ? watermark : clock.toEpochMilli();
    }

    /** Whether a timer is due. */
    boolean isDue(Timer timer) {
        return timer.time() <= nowOf(timer);
    }
}
