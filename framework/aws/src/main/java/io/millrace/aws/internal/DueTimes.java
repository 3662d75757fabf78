package io.millrace.aws.internal;

import io.millrace.TimeDomain;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.TimerItems;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * When the first timer of each bucket is due, as far as this container knows: lowered by its own commits, and set where it
 * has swept a bucket to its end. It says when an invocation looks into the index, and may be wrong either way: what others
 * register is found by the tick, which looks everywhere. Of one generation at a time. Thread-safe.
 */
final class DueTimes {
    /** Nothing is known to be due, ever. */
    private static final long NEVER = Long.MAX_VALUE;

    /** A bucket that is to be looked through as soon as there is time. */
    static final long AT_ONCE = Long.MIN_VALUE;

    private final Map<TimeDomain, long[]> firstDue = new EnumMap<>(TimeDomain.class);
    private long generation;

    DueTimes() {
        for (TimeDomain domain : TimeDomain.values()) {
            firstDue.put(domain, new long[TimerItems.BUCKETS]);
        }
        forgetAll();
    }

    /** Nothing is known of another generation. */
    synchronized void setGeneration(long newGeneration) {
        if (generation != newGeneration) {
            generation = newGeneration;
            forgetAll();
        }
    }

    private void forgetAll() {
        firstDue.values().forEach(buckets -> Arrays.fill(buckets, NEVER));
    }

    /** A cell was written that has these timers. */
    synchronized void note(Cell written) {
        int bucket = TimerItems.bucketOf(written.key().key());
        for (TimeDomain domain : TimeDomain.values()) {
            Long due = written.time().firstDue(domain);
            if (due != null && written.key().generation() == generation) {
                lower(domain, bucket, due);
            }
        }
    }

    /** A bucket is looked through from now on. */
    synchronized void begin(TimeDomain domain, int bucket) {
        buckets(domain)[bucket] = NEVER;
    }

    /** A bucket has something at this time, or is to be looked through at it. */
    synchronized void lower(TimeDomain domain, int bucket, long due) {
        long[] buckets = buckets(domain);
        buckets[bucket] = Math.min(buckets[bucket], due);
    }

    synchronized boolean isDue(TimeDomain domain, int bucket, long now) {
        long due = buckets(domain)[bucket];
        return due != NEVER && due <= now;
    }

    private long[] buckets(TimeDomain domain) {
        return Objects.requireNonNull(firstDue.get(domain));
    }
}
