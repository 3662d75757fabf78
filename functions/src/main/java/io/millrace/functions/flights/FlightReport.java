package io.millrace.functions.flights;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.Objects;

/**
 * A report on one flight, as it goes through the stream in JSON. All properties are required: a document without one is
 * undecodable.
 *
 * @param published when the report became known
 * @param scheduled the scheduled departure
 * @param origin the airport of departure, by its three-letter code
 * @param destination the airport of arrival
 * @param delayMinutes how late the flight was, negative when it was early
 * @param distanceMiles the distance between the airports
 */
public record FlightReport(
        @JsonProperty(required = true) Instant published,
        @JsonProperty(required = true) Instant scheduled,
        @JsonProperty(required = true) String origin,
        @JsonProperty(required = true) String destination,

        @JsonProperty(value = "delay_minutes", required = true)
        int delayMinutes,

        @JsonProperty(value = "distance_miles", required = true)
        int distanceMiles) {

    public FlightReport {
        Objects.requireNonNull(published, "published");
        Objects.requireNonNull(scheduled, "scheduled");
        Objects.requireNonNull(origin, "origin");
        Objects.requireNonNull(destination, "destination");
    }
}
