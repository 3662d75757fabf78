package io.millrace.functions.flights;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * An airport's departures of one day, added up.
 *
 * @param flights all of them
 * @param delayed those that were {@value #DELAYED_MINUTES_MIN} minutes late or more
 * @param totalDelayMinutes the sum of all delays as reported: a flight that was early counts negative
 */
public record OnTimeTally(
        long flights,
        long delayed,
        @JsonProperty("total_delay_minutes") long totalDelayMinutes) {
    /** From how many minutes on a flight counts as delayed; the bureau's own definition. */
    public static final int DELAYED_MINUTES_MIN = 15;

    /** No flight yet. */
    public static final OnTimeTally NONE = new OnTimeTally(0, 0, 0);

    /** This tally and one flight more. */
    public OnTimeTally plus(int delayMinutes) {
        return new OnTimeTally(
                flights + 1,
                delayed + (delayMinutes >= DELAYED_MINUTES_MIN ? 1 : 0),
                Math.addExact(totalDelayMinutes, delayMinutes));
    }

    /** The flights of both. */
    OnTimeTally plus(OnTimeTally other) {
        return new OnTimeTally(
                flights + other.flights,
                delayed + other.delayed,
                Math.addExact(totalDelayMinutes, other.totalDelayMinutes));
    }
}
