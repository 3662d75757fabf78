package io.millrace.simulation;

import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What a seed with event time has drawn: how its postings are cut into windows, and what is wrong with their times.
 *
 * @param size of a window, or the gap between sessions
 * @param lateOutput whether what is late is put out, or only counted
 * @param idleness after which time without records a lane may be raised; null for never
 * @param disorderedIn100 how many of a hundred event times lie behind those before, within the bound
 * @param lateIn100 how many lie behind the bound
 * @param futureIn100 how many lie in a far future
 * @param ticks how many ticks begin at random moments
 */
record StatementScenario(
        Kind kind,
        Duration size,
        Duration outOfOrderness,
        Duration lateness,
        boolean lateOutput,
        @Nullable Duration idleness,
        boolean clockWhenIdle,
        int disorderedIn100,
        int lateIn100,
        int futureIn100,
        int ticks) {
    /** What cuts postings into windows. */
    enum Kind {
        /** Tumbling windows. */
        TUMBLING,
        /** Sessions. */
        SESSIONS,
        /** A function of its own with timers, which makes tumbling windows, and tells at certain times by the clock. */
        TIMERS
    }

    private static final int SIZE_SECONDS_MIN = 30;
    private static final int SIZE_SECONDS_MAX = 90;
    private static final int OUT_OF_ORDERNESS_SECONDS_MAX = 30;
    private static final int IDLENESS_MILLIS_MAX = 5_000;
    private static final int TICKS_MAX = 6;

    static StatementScenario draw(SplittableRandom random) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        Duration size = Duration.ofSeconds(SIZE_SECONDS_MIN + random.nextInt(SIZE_SECONDS_MAX - SIZE_SECONDS_MIN));
        boolean isLateAllowed = kind != Kind.TIMERS && random.nextInt(3) == 0;
        Duration idleness = random.nextInt(4) == 0 ? null : Duration.ofMillis(1 + random.nextInt(IDLENESS_MILLIS_MAX));
        return new StatementScenario(
                kind,
                size,
                Duration.ofSeconds(random.nextInt(OUT_OF_ORDERNESS_SECONDS_MAX)),
                isLateAllowed ? size : Duration.ZERO,
                random.nextBoolean(),
                idleness,
                idleness != null && random.nextInt(3) == 0,
                random.nextInt(60),
                random.nextInt(3) == 0 ? 0 : 10 + random.nextInt(30),
                random.nextInt(3) == 0 ? 5 : 0,
                1 + random.nextInt(TICKS_MAX));
    }

    WatermarkStrategy<Posting> strategy() {
        WatermarkStrategy<Posting> strategy = WatermarkStrategy.<Posting>forBoundedOutOfOrderness(outOfOrderness)
                .withTimestampAssigner((posting, arrivalMillis) -> posting.eventTime());
        if (idleness == null) {
            return strategy;
        }
        WatermarkStrategy<Posting> withIdleness = strategy.withIdleness(idleness);
        return clockWhenIdle ? withIdleness.advanceWithClockWhenIdle() : withIdleness;
    }
}
