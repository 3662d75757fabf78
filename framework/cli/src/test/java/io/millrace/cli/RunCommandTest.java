package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.functions.flights.FlightReports;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.EmbeddedAwsServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The main job, from the reports to the board, as its users run it. */
class RunCommandTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void allFlightsAreOnTheBoardAlsoUnderChaos() throws IOException {
        Path plain = output("plain.csv");
        Commands run = run("--output", plain.toString());
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("publishing 100 %  20,000 of 20,000 records")
                .contains("processing 100 %  20,000 of 20,000 records")
                .contains("6,901 rows, 20,000 flights")
                .contains("the rows are what the stream says");
        List<String> lines = Files.readAllLines(plain);
        assertThat(lines).hasSize(1 + 6_901);
        assertThat(lines.get(0)).isEqualTo("airport,day,flights,delayed,total_delay_minutes");
        assertThat(lines.stream()
                        .skip(1)
                        .mapToLong(line -> Long.parseLong(line.split(",", -1)[2]))
                        .sum())
                .isEqualTo(20_000);

        Path chaotic = output("chaotic.csv");
        Commands chaos = run("--output", chaotic.toString(), "--chaos", "1");
        assertThat(chaos.exitCode()).as(chaos.toString()).isZero();
        assertThat(chaos.out()).contains("injected faults").doesNotContain("injected faults        none");
        assertThat(chaotic).hasSameBinaryContentAs(plain);
    }

    @Test
    void theNumberOfShardsChangesNothing() {
        Path four = output("four.csv");
        assertThat(run("--limit", "4000", "--output", four.toString()).exitCode())
                .isZero();
        for (String shards : List.of("1", "16")) {
            Path other = output(shards + ".csv");
            Commands run = run("--limit", "4000", "--shards", shards, "--output", other.toString());
            assertThat(run.exitCode()).as(run.toString()).isZero();
            assertThat(other).hasSameBinaryContentAs(four);
        }
    }

    @Test
    void aSecondRunOnAnEndpointGoesOnWithTheFirst() throws IOException {
        Path whole = output("whole.csv");
        assertThat(run("--limit", "3000", "--output", whole.toString()).exitCode())
                .isZero();
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0)) {
            String endpoint = server.endpoint().toString();
            Commands first = run("--endpoint", endpoint, "--limit", "2000", "--no-drain");
            assertThat(first.exitCode()).as(first.toString()).isZero();
            Path both = output("both.csv");
            Commands second = run(
                    "--endpoint",
                    endpoint,
                    "--skip",
                    "2000",
                    "--limit",
                    "1000",
                    "--output",
                    both.toString(),
                    "--chaos",
                    "3");
            assertThat(second.exitCode()).as(second.toString()).isZero();
            assertThat(second.out())
                    .contains("publishing 100 %  1,000 of 1,000 records")
                    .contains("3,000 flights");
            assertThat(both).hasSameBinaryContentAs(whole);

            Path again = output("again.csv");
            Commands third = run("--endpoint", endpoint, "--no-input", "--shards", "2", "--output", again.toString());
            assertThat(third.exitCode()).as(third.toString()).isZero();
            assertThat(third.out())
                    .contains("The stream 'flights' is there already, with 4 open shards.")
                    .doesNotContain("publishing");
            assertThat(again).hasSameBinaryContentAs(whole);

            Commands refused = run("--endpoint", endpoint, "--skip", "3000", "--limit", "1");
            assertThat(refused.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
            assertThat(refused.err())
                    .contains("The pipeline 'flights' has ended: an earlier run has drained the stages on-time")
                    .contains("Take another endpoint or start this one anew", "--no-input", "--no-drain");
            assertThat(refused.out()).doesNotContain("publishing");
        }
    }

    /** The first run closes all but the last days; then reports come of a day that lies three days back. */
    @Test
    void reportsOfADayThatIsClosedAreLateFlightsAndTheBoardHasTheOthers() throws IOException {
        List<String> reports = reports(4_000);
        String latest = reports.get(reports.size() - 1);
        LocalDate closedDay = LocalDate.parse(latest.substring(0, 10)).minusDays(3);
        List<String> old = reports.stream()
                .filter(line -> line.split(",", -1)[1].compareTo(closedDay.toString()) < 0)
                .limit(300)
                .map(line -> line.substring(0, line.lastIndexOf(',')) + ",9999")
                .toList();
        Path oldReports = Files.write(folder.resolve("old.csv"), withHeader(old));
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                DynamoDbClient dynamoDb = endpoint.dynamoDb()) {
            String url = server.endpoint().toString();
            Commands first = run("--endpoint", url, "--out-of-orderness", "2h", "--limit", "4000", "--no-drain");
            assertThat(first.exitCode()).as(first.toString()).isZero();
            assertThat(first.out()).contains("Windows are open that end after 2001-");

            Path board = output("board.csv");
            Commands second = run(
                    "--endpoint",
                    url,
                    "--out-of-orderness",
                    "2h",
                    "--input",
                    oldReports.toString(),
                    "--output",
                    board.toString());
            assertThat(second.exitCode()).as(second.toString()).isZero();

            List<Map<String, AttributeValue>> late =
                    dynamoDb.scanPaginator(request -> request.tableName("late-flights")).items().stream()
                            .toList();
            assertThat(late.stream().filter(row -> AttributeValue.fromN("9999").equals(row.get("distance_miles"))))
                    .hasSameSizeAs(old);
            long onBoard = Files.readAllLines(board).stream()
                    .skip(1)
                    .mapToLong(line -> Long.parseLong(line.split(",", -1)[2]))
                    .sum();
            assertThat(onBoard + late.size()).isEqualTo(4_000 + old.size());
        }
    }

    @Test
    void aBoundThatIsNoneOrHasNoPlaceIsRefused() {
        assertThat(run("--out-of-orderness", "soon").err())
                .contains("--out-of-orderness is 'soon'; a duration such as 2h");
        assertThat(run("--out-of-orderness", "40000d").err())
                .contains("--out-of-orderness is '40000d'; 36500d at most are possible.");
        assertThat(Commands.run("run", "orders", "--out-of-orderness", "2h").err())
                .contains("--out-of-orderness goes with flights");
    }

    private static List<String> reports(int count) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Objects.requireNonNull(FlightReports.class.getResourceAsStream("flights.csv.gz"))),
                StandardCharsets.UTF_8))) {
            return lines.lines().skip(1).limit(count).toList();
        }
    }

    private static List<String> withHeader(List<String> reports) {
        List<String> lines = new ArrayList<>(List.of(FlightReports.HEADER));
        lines.addAll(reports);
        return lines;
    }

    @Test
    void aRowThatIsNotWhatTheStreamSaysFailsTheRun() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                DynamoDbClient dynamoDb = endpoint.dynamoDb()) {
            String url = server.endpoint().toString();
            assertThat(run("--endpoint", url, "--limit", "10").exitCode()).isZero();
            dynamoDb.putItem(request -> request.tableName("on-time-board")
                    .item(Map.of(
                            "airport", AttributeValue.fromS("XXX"),
                            "day", AttributeValue.fromS("2001-01-01"),
                            "flights", AttributeValue.fromN("1"),
                            "delayed", AttributeValue.fromN("0"),
                            "total_delay_minutes", AttributeValue.fromN("0"))));
            Commands run = run("--endpoint", url, "--no-input");
            assertThat(run.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
            assertThat(run.err())
                    .contains("XXX 2001-01-01: 1 flights, 0 delayed, 0 minutes, expected no row")
                    .contains("millrace: the board differs from what the stream says in 1 rows");
        }
    }

    @Test
    void recordsThatAreNoReportsAreDeadLettersAndTheBoardIsRightWithoutThem() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                KinesisClient kinesis = endpoint.kinesis()) {
            String url = server.endpoint().toString();
            assertThat(run("--endpoint", url, "--limit", "10", "--no-drain").exitCode())
                    .isZero();
            kinesis.putRecord(request -> request.streamName("flights")
                    .partitionKey("ATL")
                    .data(SdkBytes.fromByteArray(new byte[] {(byte) 0xFF, (byte) 0xFE})));
            Commands run = run("--endpoint", url, "--skip", "10", "--limit", "10");
            assertThat(run.exitCode()).as(run.toString()).isZero();
            assertThat(run.out()).contains("dead letters           1").contains("20 flights");
        }
    }

    @Test
    void brokenLinesAreReportedAndCountedAndDoNotStopTheRun() throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                FlightReports.HEADER, "2001-01-01T01:43Z,2001-01-01T01:39Z,LAS,PHX,4,256", "broken", "1,2,3,4,5,6"));
        Path input = Files.write(folder.resolve("input.csv"), lines);
        Path output = output("broken.csv");
        Commands run = run("--input", input.toString(), "--output", output.toString());
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.err().lines())
                .containsExactly(
                        "line 3: 1 columns in 'broken', 6 columns are expected",
                        "line 4: published is '1', a time such as 2001-01-31T23:59Z is expected");
        assertThat(run.out()).contains("1 records, 2 broken lines passed over");
        assertThat(Files.readString(output)).isEqualTo(FlightsBoard.HEADER + "\nLAS,2001-01-01,1,0,4\n");
    }

    @Test
    void anEmptyRunGivesAnEmptyBoard() throws IOException {
        Path output = output("empty.csv");
        Commands run = run("--no-input", "--no-drain", "--output", output.toString());
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(Files.readString(output)).isEqualTo(FlightsBoard.HEADER + "\n");
    }

    private Path output(String name) {
        return folder.resolve(name);
    }

    private static Commands run(String... options) {
        List<String> arguments = new ArrayList<>(List.of("run", "flights"));
        arguments.addAll(Arrays.asList(options));
        return Commands.run(arguments.toArray(String[]::new));
    }
}
