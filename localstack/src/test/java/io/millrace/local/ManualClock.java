package io.millrace.local;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that a test moves by hand. */
public final class ManualClock extends Clock {
    private volatile Instant now = Instant.parse("2026-01-31T12:00:00.250Z");

    /** A clock at an arbitrary moment, which is not a round one. */
    public ManualClock() {}

    /** A clock at a moment. */
    public ManualClock(Instant start) {
        now = start;
    }

    public synchronized void advance(Duration duration) {
        now = now.plus(duration);
    }

    public synchronized void moveTo(Instant time) {
        now = time;
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("this clock is always in UTC");
    }
}
