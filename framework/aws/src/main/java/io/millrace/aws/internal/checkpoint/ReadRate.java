package io.millrace.aws.internal.checkpoint;

import io.millrace.MillraceException;
import io.millrace.aws.internal.Surroundings;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Keeps scans below a rate of read units, so that the pipeline's own reads are not starved. Thread-safe. */
final class ReadRate {
    private static final double MILLIS = 1_000;

    private final double unitsPerSecond;
    private final Surroundings surroundings;
    private @Nullable Instant freeAt;

    /** @param unitsPerSecond 0 for no limit */
    ReadRate(double unitsPerSecond, Surroundings surroundings) {
        this.unitsPerSecond = unitsPerSecond;
        this.surroundings = surroundings;
    }

    /** Counts the units of a request, and waits as long as they take at this rate. */
    void took(double units) {
        if (unitsPerSecond <= 0 || units <= 0) {
            return;
        }
        Instant now = surroundings.clock().instant();
        Duration wait;
        synchronized (this) {
            Instant from = freeAt == null || freeAt.isBefore(now) ? now : freeAt;
            freeAt = from.plusMillis(Math.round(units / unitsPerSecond * MILLIS));
            wait = Duration.between(now, freeAt);
        }
        try {
            surroundings.sleeper().sleep(wait.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MillraceException("The checkpoint was interrupted while it waited for its rate of reads.", e);
        }
    }
}
