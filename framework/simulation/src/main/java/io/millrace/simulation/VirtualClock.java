package io.millrace.simulation;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The time of a simulation: it moves only when the simulation moves it. Read by the thread that has the baton. */
final class VirtualClock extends Clock {
    /** Where each simulation begins: an arbitrary moment that is not a round one. */
    private static final Instant START = Instant.parse("2026-01-31T12:00:00.250Z");

    private volatile Instant now = START;

    void advance(Duration duration) {
        now = now.plus(duration);
    }

    /** Moves to a time, unless it is past already. */
    void moveTo(Instant time) {
        if (time.isAfter(now)) {
            now = time;
        }
    }

    /** The time since the simulation began. */
    Duration elapsed() {
        return Duration.between(START, now);
    }

    /** This clock as a machine has it whose own is wrong by so much. */
    Clock skewedBy(Duration skew) {
        return offset(this, skew);
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
        throw new UnsupportedOperationException("The virtual clock is always in UTC.");
    }
}
