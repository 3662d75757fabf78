package io.millrace.functions.flights;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;

/**
 * A row of the on-time board: an airport's departures of one day.
 *
 * @param airport the airport of departure
 * @param day the day of the scheduled departure in UTC, such as {@code 2001-01-31}
 * @param flights all flights
 * @param delayed those that were 15 minutes late or more
 * @param totalDelayMinutes the sum of all delays as reported: a flight that was early counts negative
 */
public record OnTimeRow(
        @PartitionKey String airport,
        @SortKey String day,
        long flights,
        long delayed,
        @JsonProperty("total_delay_minutes") long totalDelayMinutes) {}
