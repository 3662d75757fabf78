package io.millrace.time;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How elements get their event time, and how far a shard is in it. A watermark is a time up to which no element is
 * expected any more, in milliseconds since the epoch. Each shard has one, which is stored when a batch is committed and
 * only ever rises; a stage's watermark is the lowest of its shards'. Immutable.
 *
 * <p>Without a timestamp assigner the event time of an element is the arrival of its record in the stream.
 *
 * <p>Two rules are not Flink's. A shard's watermark is moved once a batch, when it is committed, so no element is late
 * because of another one of its own batch. And an element that claims to be from the future does not move it, see
 * {@link #withFutureAllowance}.
 *
 * @param <T> the elements
 */
public final class WatermarkStrategy<T> {
    /** The watermark before any element: nothing is late. */
    public static final long NO_WATERMARK = Long.MIN_VALUE;

    /** The watermark of a stream that has ended: all timers are due. */
    public static final long END_OF_INPUT = Long.MAX_VALUE;

    /** How far behind its event time an element's arrival may lie if nothing else is said. */
    public static final Duration FUTURE_ALLOWANCE_DEFAULT = Duration.ofHours(1);

    /** The longest of the durations of a strategy. */
    public static final Duration DURATION_MAX = Duration.ofDays(36_500);

    private final @Nullable Duration outOfOrderness;
    private final @Nullable TimestampAssigner<T> assigner;
    private final @Nullable Duration idleness;
    private final boolean clockWhenIdle;
    private final Duration futureAllowance;

    private WatermarkStrategy(
            @Nullable Duration outOfOrderness,
            @Nullable TimestampAssigner<T> assigner,
            @Nullable Duration idleness,
            boolean clockWhenIdle,
            Duration futureAllowance) {
        this.outOfOrderness = outOfOrderness;
        this.assigner = assigner;
        this.idleness = idleness;
        this.clockWhenIdle = clockWhenIdle;
        this.futureAllowance = futureAllowance;
    }

    /**
     * Elements come at most this much behind the highest event time that their shard has shown before: its watermark is
     * that time minus the bound minus one millisecond.
     *
     * @param maxOutOfOrderness not negative, {@link #DURATION_MAX} at most
     * @throws IllegalArgumentException outside these bounds
     */
    public static <T> WatermarkStrategy<T> forBoundedOutOfOrderness(Duration maxOutOfOrderness) {
        return new WatermarkStrategy<>(
                checked("The bound of the out-of-orderness", maxOutOfOrderness, Duration.ZERO),
                null,
                null,
                false,
                FUTURE_ALLOWANCE_DEFAULT);
    }

    /** Event times never go back within a shard; the same as a bound of zero. */
    public static <T> WatermarkStrategy<T> forMonotonousTimestamps() {
        return forBoundedOutOfOrderness(Duration.ZERO);
    }

    /** Elements have event times, and no watermark ever comes of them: only the end of the input closes windows. */
    public static <T> WatermarkStrategy<T> noWatermarks() {
        return new WatermarkStrategy<>(null, null, null, false, FUTURE_ALLOWANCE_DEFAULT);
    }

    /** Takes event times from elements, in milliseconds; Flink's form. */
    public WatermarkStrategy<T> withTimestampAssigner(TimestampAssigner<T> newAssigner) {
        return new WatermarkStrategy<>(outOfOrderness, newAssigner, idleness, clockWhenIdle, futureAllowance);
    }

    /** Takes event times from elements, for example from a record's component. Parts of a millisecond do not count. */
    public WatermarkStrategy<T> withTimestampAssigner(Function<? super T, Instant> instant) {
        return withTimestampAssigner((element, arrival) ->
                millis(Objects.requireNonNull(instant.apply(element), "the timestamp assigner gave null")));
    }

    private static long millis(Instant instant) {
        try {
            return instant.toEpochMilli();
        } catch (ArithmeticException e) {
            throw new DateTimeException("The event time " + instant + " is beyond what milliseconds can tell.", e);
        }
    }

    /**
     * Lets a shard that gets nothing hold nobody up: when it was proven empty and its last record arrived this long ago,
     * its own watermark is raised to the lowest of the shards that are not, or to the highest if all are. Elements that it
     * gets later and that lie below are late, as in Flink. Judged by the scheduled tick, so never sooner than that.
     *
     * @param idleTimeout 1 millisecond to {@link #DURATION_MAX}
     * @throws IllegalArgumentException outside these bounds
     */
    public WatermarkStrategy<T> withIdleness(Duration idleTimeout) {
        return new WatermarkStrategy<>(
                outOfOrderness,
                assigner,
                checked("The time until a shard counts as idle", idleTimeout, Duration.ofMillis(1)),
                clockWhenIdle,
                futureAllowance);
    }

    /**
     * Lets the watermark of a shard that was proven empty also move on with the clock: by the time that passed since its
     * last record arrived. So the last window closes without new data, and old data that is read again stays on time.
     * Default: it stays where the last record left it. Not in Flink.
     *
     * @throws IllegalStateException without {@link #withIdleness}, which must be called before
     */
    public WatermarkStrategy<T> advanceWithClockWhenIdle() {
        if (idleness == null) {
            throw new IllegalStateException("advanceWithClockWhenIdle needs to know when a shard is idle: call"
                    + " withIdleness(Duration) before it.");
        }
        return new WatermarkStrategy<>(outOfOrderness, assigner, idleness, true, futureAllowance);
    }

    /**
     * How far an element's event time may lie after the arrival of its record for it to move the watermark. One beyond
     * that is processed as any other and counted, and the watermark moves on by the others: a clock that is wrong, or a
     * date of the year 2286, closes no window. Streams that tell of the future need a larger allowance. Default: {@link
     * #FUTURE_ALLOWANCE_DEFAULT}. Not in Flink.
     *
     * @param allowance not negative, {@link #DURATION_MAX} at most
     * @throws IllegalArgumentException outside these bounds
     */
    public WatermarkStrategy<T> withFutureAllowance(Duration allowance) {
        return new WatermarkStrategy<>(
                outOfOrderness,
                assigner,
                idleness,
                clockWhenIdle,
                checked("The allowance for event times in the future", allowance, Duration.ZERO));
    }

    /** The event time of an element, in milliseconds since the epoch. */
    public long timestampOf(T element, Instant arrival) {
        long arrivalMillis = arrival.toEpochMilli();
        return assigner == null ? arrivalMillis : assigner.extractTimestamp(element, arrivalMillis);
    }

    /** Whether an event time is too far behind its record's arrival to move the watermark. */
    public boolean isFuture(long timestamp, Instant arrival) {
        return timestamp > arrival.toEpochMilli() + futureAllowance.toMillis();
    }

    /** The watermark of a shard whose highest event time is this; {@link #NO_WATERMARK} if there comes none of it. */
    public long watermarkOf(long maxTimestamp) {
        if (outOfOrderness == null || maxTimestamp == NO_WATERMARK) {
            return NO_WATERMARK;
        }
        long behindMillis = outOfOrderness.toMillis() + 1;
        return maxTimestamp < NO_WATERMARK + behindMillis ? NO_WATERMARK : maxTimestamp - behindMillis;
    }

    /** After which time without records a shard is idle; null for never. */
    public @Nullable Duration idleness() {
        return idleness;
    }

    /** Whether the watermark of an idle shard moves on with the clock. */
    public boolean advancesWithClockWhenIdle() {
        return clockWhenIdle;
    }

    private static Duration checked(String what, Duration duration, Duration min) {
        if (duration.compareTo(min) < 0 || duration.compareTo(DURATION_MAX) > 0) {
            throw new IllegalArgumentException(
                    what + " is " + duration + "; " + min + " to " + DURATION_MAX + " are allowed.");
        }
        return duration;
    }
}
