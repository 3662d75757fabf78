package io.millrace.functions.flights;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.local.testing.PipelineTest;
import io.millrace.local.testing.PipelineTestDriver;
import io.millrace.local.testing.TestDeadLetter;
import io.millrace.local.testing.TestInput;
import io.millrace.serde.Json;
import java.time.Instant;
import java.util.List;

class OnTimeBoardDriverTest {
    private static final List<FlightReport> REPORTS = List.of(
            report("2001-01-01T08:00:00Z", "LAS", 4),
            report("2001-01-01T23:59:00Z", "ABE", 15),
            report("2001-01-01T15:30:00Z", "LAS", 20),
            report("2001-01-02T00:00:00Z", "ABE", -3),
            report("2001-01-01T15:00:00Z", "LAS", -9));

    private static FlightReport report(String scheduled, String origin, int delayMinutes) {
        Instant departure = Instant.parse(scheduled);
        return new FlightReport(departure.plusSeconds(600), departure, origin, "PHX", delayMinutes, 256);
    }

    @PipelineTest(value = OnTimeBoard.class, shards = 2)
    void theBoardIsKeptByOriginWhateverShardAReportComesFrom(PipelineTestDriver driver) {
        TestInput<FlightReport> flights = driver.input(OnTimeBoard.STREAM, FlightReport.class);
        flights.onShard(0).sendAll(REPORTS.subList(0, 2)).sendText("{\"origin\":\"LAS\"}");
        flights.onShard(1).sendAll(REPORTS.subList(2, 5));
        driver.crashAfter("DynamoDB.PutItem").run();
        assertThat(driver.rows(OnTimeBoard.TABLE)).isEmpty();

        driver.endOfInput();
        assertThat(driver.rows(OnTimeBoard.TABLE, OnTimeRow.class))
                .containsExactly(
                        new OnTimeRow("ABE", "2001-01-01", 1, 1, 15),
                        new OnTimeRow("ABE", "2001-01-02", 1, 0, -3),
                        new OnTimeRow("LAS", "2001-01-01", 3, 1, 15));
        assertThat(driver.rows(OnTimeBoard.LATE_TABLE)).isEmpty();
        assertThat(driver.deadLetters()).extracting(TestDeadLetter::kind).containsExactly("UNDECODABLE");
    }

    @PipelineTest(OnTimeBoard.class)
    void aDayIsClosedNineHoursAfterItsEndAndWhatComesLaterIsLate(PipelineTestDriver driver) {
        TestInput<FlightReport> flights = driver.input(OnTimeBoard.STREAM, FlightReport.class);
        flights.send(report("2001-01-01T08:00:00Z", "LAS", 4), report("2001-01-02T08:59:59.999Z", "ABE", 0));
        driver.run();
        flights.send(report("2001-01-01T10:00:00Z", "LAS", 30));
        driver.run();
        driver.tick();
        assertThat(driver.rows(OnTimeBoard.TABLE)).isEmpty();

        flights.send(report("2001-01-02T09:00:00Z", "ABE", 0));
        driver.run();
        driver.tick();
        assertThat(driver.watermark())
                .isEqualTo(Instant.parse("2001-01-01T23:59:59.999Z").toEpochMilli());
        List<OnTimeRow> closed = List.of(new OnTimeRow("LAS", "2001-01-01", 2, 1, 34));
        assertThat(driver.rows(OnTimeBoard.TABLE, OnTimeRow.class)).isEqualTo(closed);

        FlightReport late = report("2001-01-01T23:59:00Z", "LAS", 600);
        flights.send(late);
        driver.run();
        driver.tick();
        assertThat(driver.rows(OnTimeBoard.TABLE, OnTimeRow.class)).isEqualTo(closed);
        assertThat(driver.rows(OnTimeBoard.LATE_TABLE, LateFlightRow.class)).containsExactly(LateFlightRow.of(late));
    }

    @PipelineTest(OnTimeBoard.class)
    void theBoardKeepsNothingOutsideOfState(PipelineTestDriver driver) {
        driver.verification()
                .records(OnTimeBoard.STREAM, REPORTS)
                .bytes(OnTimeBoard.STREAM, Json.of(String.class).serialize("no report"))
                .acrossShards(2)
                .runsMax(60)
                .run();
    }
}
