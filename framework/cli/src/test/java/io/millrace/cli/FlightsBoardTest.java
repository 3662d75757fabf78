package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cli.FlightsBoard.LateFlight;
import io.millrace.functions.flights.FlightReport;
import io.millrace.functions.flights.OnTimeRow;
import io.millrace.serde.Json;
import io.millrace.time.WatermarkStrategy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

class FlightsBoardTest {
    private static final OnTimeRow ATLANTA_FIRST = new OnTimeRow("ATL", "2001-01-01", 2, 1, 10);
    private static final OnTimeRow ATLANTA_SECOND = new OnTimeRow("ATL", "2001-01-02", 1, 0, -5);
    private static final OnTimeRow DALLAS = new OnTimeRow("DFW", "2001-01-01", 1, 1, 90);

    @Test
    void theOutputIsSortedByAirportThenDay() {
        assertThat(new FlightsBoard(List.of(DALLAS, ATLANTA_SECOND, ATLANTA_FIRST), List.of()).csv())
                .isEqualTo("""
                        airport,day,flights,delayed,total_delay_minutes
                        ATL,2001-01-01,2,1,10
                        ATL,2001-01-02,1,0,-5
                        DFW,2001-01-01,1,1,90
                        """);
        assertThat(new FlightsBoard(List.of(), List.of()).csv()).isEqualTo(FlightsBoard.HEADER + "\n");
    }

    @Test
    void theFactsNameTheFiveMostDelayedAirports() {
        List<OnTimeRow> rows = IntStream.range(0, 8)
                .mapToObj(i -> new OnTimeRow("A" + (char) ('A' + i) + "X", "2001-01-01", 10, 1, 1_000L * i))
                .toList();
        List<Example.Board.Fact> facts = new FlightsBoard(rows, List.of()).facts();
        assertThat(facts).hasSize(6);
        assertThat(facts.get(0)).isEqualTo(new Example.Board.Fact("board", "8 rows, 80 flights, 8 airports"));
        assertThat(facts.get(1))
                .isEqualTo(new Example.Board.Fact(
                        "most delayed", "AHX    7,000 minutes over    10 flights,    1 of them delayed"));
        assertThat(facts.get(5).value()).startsWith("ADX ");
    }

    @Test
    void rowsAreReadFromItems() {
        assertThat(FlightsBoard.row(item("90"))).isEqualTo(DALLAS);
        assertThatThrownBy(() -> FlightsBoard.row(item("9.5")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("total_delay_minutes")
                .hasMessageContaining("9.5")
                .hasMessageContaining("a whole number is expected");
    }

    @Test
    void everyDifferenceIsNamed() {
        FlightsExpectation expectation = new FlightsExpectation();
        expectation.add(report("ATL", 15));
        expectation.add(report("ATL", -5));
        expectation.add(report("DFW", 90));
        expectation.add("no report".getBytes(StandardCharsets.UTF_8));
        assertThat(differences(expectation, List.of(ATLANTA_FIRST, DALLAS), List.of()))
                .isEmpty();
        OnTimeRow doubled = new OnTimeRow("DFW", "2001-01-01", 2, 2, 180);
        assertThat(differences(expectation, List.of(doubled, ATLANTA_SECOND), List.of()))
                .containsExactly(
                        "ATL 2001-01-01: no row, expected 2 flights, 1 delayed, 10 minutes",
                        "DFW 2001-01-01: 2 flights, 2 delayed, 180 minutes, expected 1 flights, 1 delayed, 90 minutes",
                        "ATL 2001-01-02: 1 flights, 0 delayed, -5 minutes, expected no row");
    }

    /** Two reports that are the same, and another one: of the two one or both may be late, and of three flights none is. */
    @Test
    void aLateReportIsNotOnTheBoard() {
        FlightsExpectation expectation = new FlightsExpectation();
        expectation.add(report("ATL", 15));
        expectation.add(report("ATL", 15));
        expectation.add(report("ATL", -5));
        expectation.add(report("DFW", 90));
        List<LateFlight> late = List.of(late("ATL", 15), late("DFW", 90));
        assertThat(differences(expectation, List.of(ATLANTA_FIRST), late)).isEmpty();
        assertThat(differences(expectation, List.of(new OnTimeRow("ATL", "2001-01-01", 1, 0, -5)), late))
                .isEmpty();
        OnTimeRow all = new OnTimeRow("ATL", "2001-01-01", 3, 2, 25);
        assertThat(differences(expectation, List.of(all, DALLAS), late))
                .containsExactly(
                        "ATL 2001-01-01: 3 flights, 2 delayed, 25 minutes, expected 1 flights, 0 delayed, -5 minutes or 2"
                                + " flights, 1 delayed, 10 minutes",
                        "DFW 2001-01-01: 1 flights, 1 delayed, 90 minutes, expected no row");
        assertThat(differences(expectation, List.of(all), List.of(late("DFW", 90), late("DFW", 91))))
                .containsExactly(
                        "DFW 2001-01-01T23:59:00Z LAX 2001-01-01T23:59:00Z 91 100: late, but no report of a day that is"
                                + " closed");
    }

    @Test
    void aDayThatIsOpenHasNoRowAndNoLateReport() {
        FlightsExpectation expectation = new FlightsExpectation();
        expectation.add(report("DFW", 90));
        long lastMilli = Instant.parse("2001-01-02T00:00:00Z").toEpochMilli() - 1;
        FlightsBoard none = new FlightsBoard(List.of(), List.of());
        assertThat(expectation.differences(none, lastMilli - 1)).isEmpty();
        assertThat(expectation.differences(none, lastMilli)).hasSize(1);
        assertThat(expectation.differences(new FlightsBoard(List.of(DALLAS), List.of()), lastMilli - 1))
                .hasSize(1);
        assertThat(expectation.differences(new FlightsBoard(List.of(), List.of(late("DFW", 90))), lastMilli - 1))
                .hasSize(1);
    }

    private static List<String> differences(
            FlightsExpectation expectation, List<OnTimeRow> rows, List<LateFlight> late) {
        return expectation.differences(new FlightsBoard(rows, late), WatermarkStrategy.END_OF_INPUT);
    }

    private static LateFlight late(String origin, int delay) {
        return new LateFlight(origin, "2001-01-01T23:59:00Z LAX 2001-01-01T23:59:00Z " + delay + " 100");
    }

    private static byte[] report(String origin, int delay) {
        Instant time = Instant.parse("2001-01-01T23:59:00Z");
        return Json.of(FlightReport.class).serialize(new FlightReport(time, time, origin, "LAX", delay, 100));
    }

    private static Map<String, AttributeValue> item(String minutes) {
        return Map.of(
                "airport", AttributeValue.fromS("DFW"),
                "day", AttributeValue.fromS("2001-01-01"),
                "flights", AttributeValue.fromN("1"),
                "delayed", AttributeValue.fromN("1"),
                "total_delay_minutes", AttributeValue.fromN(minutes),
                "_generation", AttributeValue.fromN("1"));
    }
}
