package io.millrace.cli;

import io.millrace.cli.FlightsBoard.LateFlight;
import io.millrace.functions.flights.FlightReport;
import io.millrace.functions.flights.OnTimeRow;
import io.millrace.serde.Json;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The on-time board by a plain loop, on purpose without the pipeline's own code: a mistake there would otherwise be
 * made here too. Which reports came late is not foreseen: what must be is that each is either on the board or late.
 */
final class FlightsExpectation implements Example.Expectation {
    private static final int DELAYED_MINUTES_MIN = 15;

    /** How many possible values of one row are looked at, where reports that are the same came more than once and late. */
    private static final int POSSIBILITIES_MAX = 1_000;

    private final Json<FlightReport> json = Json.of(FlightReport.class);
    private final Map<Day, Map<LateFlight, Reports>> days = new TreeMap<>();

    /** What a row of the board is about. */
    private record Day(String airport, LocalDate date) implements Comparable<Day> {
        @Override
        public int compareTo(Day other) {
            int order = airport.compareTo(other.airport);
            return order == 0 ? date.compareTo(other.date) : order;
        }

        long lastMilli() {
            return date.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli() - 1;
        }

        OnTimeRow empty() {
            return new OnTimeRow(airport, date.toString(), 0, 0, 0);
        }

        @Override
        public String toString() {
            return airport + " " + date;
        }
    }

    /** Reports that are the same. */
    private record Reports(FlightReport report, int count) {
        OnTimeRow addedTo(OnTimeRow row, int counted) {
            int delay = report.delayMinutes();
            return new OnTimeRow(
                    row.airport(),
                    row.day(),
                    row.flights() + counted,
                    row.delayed() + (delay >= DELAYED_MINUTES_MIN ? counted : 0),
                    row.totalDelayMinutes() + (long) delay * counted);
        }
    }

    @Override
    public void add(byte[] data) {
        FlightReport report;
        try {
            report = json.deserialize(data);
        } catch (IOException undecodable) {
            return;
        }
        Instant scheduled = report.scheduled();
        LateFlight flight = new LateFlight(
                report.origin(),
                scheduled + " " + report.destination() + " " + report.published() + " " + report.delayMinutes() + " "
                        + report.distanceMiles());
        days.computeIfAbsent(
                        new Day(
                                report.origin(),
                                scheduled.atOffset(ZoneOffset.UTC).toLocalDate()),
                        absent -> new TreeMap<>())
                .merge(flight, new Reports(report, 1), (one, same) -> new Reports(report, one.count() + 1));
    }

    @Override
    public Example.Board board() {
        List<OnTimeRow> rows = new ArrayList<>();
        days.forEach((day, reports) -> rows.addAll(possible(day, reports, Set.of())));
        return new FlightsBoard(rows, List.of());
    }

    @Override
    public List<String> differences(Example.Board board, long watermark) {
        FlightsBoard flights = (FlightsBoard) board;
        Map<String, OnTimeRow> actual = new TreeMap<>();
        flights.rows().forEach(row -> actual.put(row.airport() + " " + row.day(), row));
        List<String> differences = new ArrayList<>();
        Set<LateFlight> unknown = new TreeSet<>(flights.late());
        days.forEach((day, reports) -> {
            boolean closed = day.lastMilli() <= watermark;
            OnTimeRow found = actual.remove(day.toString());
            OnTimeRow row = found == null ? day.empty() : found;
            Set<OnTimeRow> possible = closed ? possible(day, reports, flights.late()) : Set.of(day.empty());
            if (!possible.contains(row)) {
                differences.add(difference(day, row, possible));
            }
            if (closed) {
                unknown.removeAll(reports.keySet());
            }
        });
        actual.forEach((key, row) -> differences.add(key + ": " + values(row) + ", expected no row"));
        unknown.forEach(late -> differences.add(
                late.airport() + " " + late.flight() + ": late, but no report of a day that is closed"));
        return differences;
    }

    /** The values that a row can have: a report that came several times and late may have been late each time or not. */
    private static Set<OnTimeRow> possible(Day day, Map<LateFlight, Reports> reports, Set<LateFlight> late) {
        Set<OnTimeRow> possible = Set.of(day.empty());
        for (Map.Entry<LateFlight, Reports> entry : reports.entrySet()) {
            Reports same = entry.getValue();
            int countMax = late.contains(entry.getKey()) ? same.count() - 1 : same.count();
            int countMin = late.contains(entry.getKey()) ? 0 : same.count();
            Set<OnTimeRow> extended = new LinkedHashSet<>();
            for (OnTimeRow row : possible) {
                for (int count = countMin; count <= countMax && extended.size() < POSSIBILITIES_MAX; count++) {
                    extended.add(same.addedTo(row, count));
                }
            }
            possible = extended;
        }
        return possible;
    }

    private static String difference(Day day, OnTimeRow row, Set<OnTimeRow> possible) {
        return day + ": " + values(row) + ", expected "
                + possible.stream().map(FlightsExpectation::values).distinct().collect(Collectors.joining(" or "));
    }

    private static String values(OnTimeRow row) {
        return row.flights() == 0
                ? "no row"
                : row.flights() + " flights, " + row.delayed() + " delayed, " + row.totalDelayMinutes() + " minutes";
    }
}
