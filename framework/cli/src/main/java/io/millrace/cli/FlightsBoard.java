package io.millrace.cli;

import io.millrace.functions.flights.OnTimeRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The on-time board, sorted by airport and day, and the flights that came too late for it. */
final class FlightsBoard implements Example.Board {
    static final String HEADER = "airport,day,flights,delayed,total_delay_minutes";

    private static final int AIRPORTS_SHOWN = 5;
    private static final Pattern WHOLE_NUMBERS = Pattern.compile("-?[0-9]{1,18}");

    private final List<OnTimeRow> rows;
    private final Set<LateFlight> late;

    /** A report that came when its day was closed, by what tells the airport's reports apart. */
    record LateFlight(String airport, String flight) implements Comparable<LateFlight> {
        @Override
        public int compareTo(LateFlight other) {
            int order = airport.compareTo(other.airport);
            return order == 0 ? flight.compareTo(other.flight) : order;
        }
    }

    FlightsBoard(Collection<OnTimeRow> rows, Collection<LateFlight> late) {
        this.late = Collections.unmodifiableSet(new TreeSet<>(late));
        this.rows = rows.stream()
                .sorted(Comparator.comparing(OnTimeRow::airport).thenComparing(OnTimeRow::day))
                .toList();
    }

    static OnTimeRow row(Map<String, AttributeValue> item) {
        return new OnTimeRow(
                text(item, "airport"),
                text(item, "day"),
                number(item, "flights"),
                number(item, "delayed"),
                number(item, "total_delay_minutes"));
    }

    static LateFlight lateFlight(Map<String, AttributeValue> item) {
        return new LateFlight(text(item, "airport"), text(item, "flight"));
    }

    private static String text(Map<String, AttributeValue> item, String attribute) {
        AttributeValue value = item.get(attribute);
        if (value == null || value.s() == null) {
            throw broken(item, attribute, "text");
        }
        return value.s();
    }

    private static long number(Map<String, AttributeValue> item, String attribute) {
        AttributeValue value = item.get(attribute);
        if (value == null
                || value.n() == null
                || !WHOLE_NUMBERS.matcher(value.n()).matches()) {
            throw broken(item, attribute, "a whole number");
        }
        return Long.parseLong(value.n());
    }

    private static CommandFailure broken(Map<String, AttributeValue> item, String attribute, String expected) {
        return CommandFailure.failed(
                "A row of the board has in " + attribute + " " + item.get(attribute) + ", where " + expected
                        + " is expected. Was the table written by something else?",
                null);
    }

    List<OnTimeRow> rows() {
        return rows;
    }

    Set<LateFlight> late() {
        return late;
    }

    @Override
    public int size() {
        return rows.size();
    }

    @Override
    public String csv() {
        StringBuilder csv = new StringBuilder(HEADER).append('\n');
        for (OnTimeRow row : rows) {
            csv.append(row.airport())
                    .append(',')
                    .append(row.day())
                    .append(',')
                    .append(row.flights())
                    .append(',')
                    .append(row.delayed())
                    .append(',')
                    .append(row.totalDelayMinutes())
                    .append('\n');
        }
        return csv.toString();
    }

    @Override
    public List<Fact> facts() {
        long flights = rows.stream().mapToLong(OnTimeRow::flights).sum();
        Map<String, OnTimeRow> airports = new TreeMap<>();
        for (OnTimeRow row : rows) {
            airports.merge(row.airport(), row, FlightsBoard::sum);
        }
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact(
                "board", format("%,d rows, %,d flights, %,d airports", rows.size(), flights, airports.size())));
        if (!late.isEmpty()) {
            facts.add(new Fact("late flights", format("%,d rows", late.size())));
        }
        int before = facts.size();
        airports.values().stream()
                .sorted(Comparator.comparing(OnTimeRow::totalDelayMinutes)
                        .reversed()
                        .thenComparing(OnTimeRow::airport))
                .limit(AIRPORTS_SHOWN)
                .map(airport -> new Fact(
                        facts.size() == before ? "most delayed" : "",
                        format(
                                "%s  %,7d minutes over %,5d flights, %,4d of them delayed",
                                airport.airport(), airport.totalDelayMinutes(), airport.flights(), airport.delayed())))
                .forEachOrdered(facts::add);
        return List.copyOf(facts);
    }

    private static OnTimeRow sum(OnTimeRow one, OnTimeRow other) {
        return new OnTimeRow(
                one.airport(),
                one.day(),
                one.flights() + other.flights(),
                one.delayed() + other.delayed(),
                one.totalDelayMinutes() + other.totalDelayMinutes());
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
