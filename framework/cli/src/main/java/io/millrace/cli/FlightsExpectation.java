package io.millrace.cli;

import io.millrace.functions.flights.FlightReport;
import io.millrace.functions.flights.OnTimeRow;
import io.millrace.serde.Json;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The on-time board by a plain loop, on purpose without the pipeline's own code: a mistake there would otherwise be
 * made here too.
 */
final class FlightsExpectation implements Example.Expectation {
    private static final int DELAYED_MINUTES_MIN = 15;

    private final Json<FlightReport> json = Json.of(FlightReport.class);
    private final Map<String, OnTimeRow> rows = new TreeMap<>();

    @Override
    public void add(byte[] data) {
        FlightReport report;
        try {
            report = json.deserialize(data);
        } catch (IOException undecodable) {
            return;
        }
        String day = report.scheduled().atOffset(ZoneOffset.UTC).toLocalDate().toString();
        int delay = report.delayMinutes();
        OnTimeRow flight = new OnTimeRow(report.origin(), day, 1, delay >= DELAYED_MINUTES_MIN ? 1 : 0, delay);
        rows.merge(
                key(flight),
                flight,
                (sum, next) -> new OnTimeRow(
                        sum.airport(),
                        sum.day(),
                        sum.flights() + next.flights(),
                        sum.delayed() + next.delayed(),
                        sum.totalDelayMinutes() + next.totalDelayMinutes()));
    }

    @Override
    public Example.Board board() {
        return new FlightsBoard(rows.values());
    }

    @Override
    public List<String> differences(Example.Board board) {
        Map<String, OnTimeRow> actual = new TreeMap<>();
        ((FlightsBoard) board).rows().forEach(row -> actual.put(key(row), row));
        List<String> differences = new ArrayList<>();
        rows.forEach((key, expected) -> {
            OnTimeRow row = actual.get(key);
            if (row == null) {
                differences.add(key + ": no row, expected " + values(expected));
            } else if (!row.equals(expected)) {
                differences.add(key + ": " + values(row) + ", expected " + values(expected));
            }
        });
        actual.forEach((key, row) -> {
            if (!rows.containsKey(key)) {
                differences.add(key + ": " + values(row) + ", expected no row");
            }
        });
        return differences;
    }

    private static String key(OnTimeRow row) {
        return row.airport() + " " + row.day();
    }

    private static String values(OnTimeRow row) {
        return row.flights() + " flights, " + row.delayed() + " delayed, " + row.totalDelayMinutes() + " minutes";
    }
}
