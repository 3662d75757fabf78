package io.millrace.functions.flights;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.local.testing.PipelineTest;
import io.millrace.local.testing.PipelineTestDriver;
import io.millrace.local.testing.TestDeadLetter;
import io.millrace.local.testing.TestInput;
import io.millrace.serde.Json;
import io.millrace.state.MapStateDescriptor;
import java.time.Instant;
import java.util.List;

class OnTimeBoardDriverTest {
    private static final List<FlightReport> REPORTS = List.of(
            report("2001-01-01T08:00:00Z", "LAS", 4),
            report("2001-01-01T23:59:00Z", "ABE", 15),
            report("2001-01-01T09:00:00Z", "LAS", 20),
            report("2001-01-02T00:00:00Z", "ABE", -3),
            report("2001-01-01T07:00:00Z", "LAS", -9));

    private static FlightReport report(String scheduled, String origin, int delayMinutes) {
        Instant departure = Instant.parse(scheduled);
        return new FlightReport(departure.plusSeconds(600), departure, origin, "PHX", delayMinutes, 256);
    }

    @PipelineTest(value = OnTimeBoard.class, shards = 2)
    void theBoardIsKeptByOriginWhateverShardAReportComesFrom(PipelineTestDriver driver) {
        TestInput<FlightReport> flights = driver.input(OnTimeBoard.STREAM, FlightReport.class);
        flights.onShard(0).sendAll(REPORTS.subList(0, 2)).sendText("{\"origin\":\"LAS\"}");
        flights.onShard(1).sendAll(REPORTS.subList(2, 5));
        driver.crashAfter("DynamoDB.TransactWriteItems").run();

        assertThat(driver.rows(OnTimeBoard.TABLE, OnTimeRow.class))
                .containsExactly(
                        new OnTimeRow("ABE", "2001-01-01", 1, 1, 15),
                        new OnTimeRow("ABE", "2001-01-02", 1, 0, -3),
                        new OnTimeRow("LAS", "2001-01-01", 3, 1, 15));
        assertThat(driver.state("on-time", "LAS")
                        .map(new MapStateDescriptor<>("days", String.class, OnTimeTally.class)))
                .containsOnly(java.util.Map.entry("2001-01-01", new OnTimeTally(3, 1, 15)));
        assertThat(driver.deadLetters()).extracting(TestDeadLetter::kind).containsExactly("UNDECODABLE");
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
