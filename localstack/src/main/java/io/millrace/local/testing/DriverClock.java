package io.millrace.local.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The time of a driver: it moves only when the test moves it. */
final class DriverClock extends Clock {
    private Instant now;

    DriverClock(Instant start) {
        now = start;
    }

    void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("advance(" + duration + "): time does not go back.");
        }
        now = now.plus(duration);
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
        throw new UnsupportedOperationException("The clock of a driver is always in UTC.");
    }
}
