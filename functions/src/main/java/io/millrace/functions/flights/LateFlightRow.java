package io.millrace.functions.flights;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * A row for a report that came when its day was closed already. Reports that are the same have one row.
 *
 * @param airport the airport of departure
 * @param flight what tells the airport's reports apart: the scheduled departure, the destination, when the report became known,
 *     the delay and the distance
 * @param day the day of the scheduled departure in UTC
 */
public record LateFlightRow(
        @PartitionKey String airport,
        @SortKey String flight,
        String day,
        String scheduled,
        String destination,
        @JsonProperty("delay_minutes") int delayMinutes,
        @JsonProperty("distance_miles") int distanceMiles) {

    static LateFlightRow of(FlightReport report) {
        String scheduled = report.scheduled().toString();
        return new LateFlightRow(
                report.origin(),
                String.join(
                        " ",
                        scheduled,
                        report.destination(),
                        report.published().toString(),
                        Integer.toString(report.delayMinutes()),
                        Integer.toString(report.distanceMiles())),
                LocalDate.ofInstant(report.scheduled(), ZoneOffset.UTC).toString(),
                scheduled,
                report.destination(),
                report.delayMinutes(),
                report.distanceMiles());
    }
}
