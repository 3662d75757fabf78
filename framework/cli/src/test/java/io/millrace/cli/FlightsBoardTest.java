package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.functions.flights.FlightReport;
import io.millrace.functions.flights.OnTimeRow;
import io.millrace.serde.Json;
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
        assertThat(new FlightsBoard(List.of(DALLAS, ATLANTA_SECOND, ATLANTA_FIRST)).csv())
                .isEqualTo("""
                        airport,day,flights,delayed,total_delay_minutes
                        ATL,2001-01-01,2,1,10
                        ATL,2001-01-02,1,0,-5
                        DFW,2001-01-01,1,1,90
                        """);
        assertThat(new FlightsBoard(List.of()).csv()).isEqualTo(FlightsBoard.HEADER + "\n");
    }

    @Test
    void theFactsNameTheFiveMostDelayedAirports() {
        List<OnTimeRow> rows = IntStream.range(0, 8)
                .mapToObj(i -> new OnTimeRow("A" + (char) ('A' + i) + "X", "2001-01-01", 10, 1, 1_000L * i))
                .toList();
        List<Example.Board.Fact> facts = new FlightsBoard(rows).facts();
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
        assertThat(expectation.differences(new FlightsBoard(List.of(ATLANTA_FIRST, DALLAS))))
                .isEmpty();
        OnTimeRow doubled = new OnTimeRow("DFW", "2001-01-01", 2, 2, 180);
        assertThat(expectation.differences(new FlightsBoard(List.of(doubled, ATLANTA_SECOND))))
                .containsExactly(
                        "ATL 2001-01-01: no row, expected 2 flights, 1 delayed, 10 minutes",
                        "DFW 2001-01-01: 2 flights, 2 delayed, 180 minutes, expected 1 flights, 1 delayed, 90 minutes",
                        "ATL 2001-01-02: 1 flights, 0 delayed, -5 minutes, expected no row");
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
