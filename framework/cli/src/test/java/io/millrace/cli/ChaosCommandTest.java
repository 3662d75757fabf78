package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.aws.Provisioning;
import io.millrace.functions.flights.OnTimeBoard;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.EmbeddedAwsServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The flights under kill -9, with functions in real processes, as users run it. */
@Timeout(600)
class ChaosCommandTest {
    @AfterEach
    void noProcessIsLeft() {
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void theBoardIsTheExpectedOneAfterKillsAndTimeOuts() {
        Commands chaos = chaos("--kills", "5", "--limit", "1500");
        assertThat(chaos.exitCode()).as(chaos.toString()).isZero();
        assertThat(chaos.err()).isEmpty();
        assertThat(chaos.out())
                .contains("publishing 100 %  1,500 of 1,500 records")
                .containsPattern("kills \\(kill -9\\) +5: 1 before the first event, ")
                .containsPattern("time-outs +1 with the old process going on")
                .contains(System.getProperty("java.version") + " ");
        assertThat(chaos.out().lines().reduce((first, last) -> last))
                .hasValueSatisfying(
                        last -> assertThat(last).matches("The board is the one expected, to the byte: \\d+ rows\\."));
    }

    @Test
    void aBoardThatIsNotTheExpectedOneFailsTheCommand() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                DynamoDbClient dynamoDb = endpoint.dynamoDb()) {
            String url = server.endpoint().toString();
            new Provisioning(dynamoDb).createTables(new OnTimeBoard());
            dynamoDb.putItem(request -> request.tableName("on-time-board")
                    .item(Map.of(
                            "airport", AttributeValue.fromS("XXX"),
                            "day", AttributeValue.fromS("2001-01-01"),
                            "flights", AttributeValue.fromN("1"),
                            "delayed", AttributeValue.fromN("0"),
                            "total_delay_minutes", AttributeValue.fromN("0"))));
            Commands chaos = chaos("--kills", "0", "--limit", "10", "--endpoint", url);
            assertThat(chaos.exitCode()).as(chaos.toString()).isEqualTo(Millrace.EXIT_FAILED);
            assertThat(chaos.err())
                    .contains("XXX 2001-01-01: 1 flights, 0 delayed, 0 minutes, expected no row")
                    .contains("millrace: The result differs from the one expected in 1 rows");
            assertThat(chaos.out()).doesNotContain("to the byte");
        }
    }

    @Test
    void aStreamThatWasUsedIsRefused() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0)) {
            String url = server.endpoint().toString();
            assertThat(Commands.run("run", "flights", "--endpoint", url, "--limit", "20")
                            .exitCode())
                    .isZero();
            Commands chaos = chaos("--kills", "1", "--limit", "10", "--endpoint", url);
            assertThat(chaos.exitCode()).as(chaos.toString()).isEqualTo(Millrace.EXIT_FAILED);
            assertThat(chaos.err()).contains("The stream holds 30 records, but this run has published 10.");
        }
    }

    @Test
    void killsThatFindNoRecordsFailTheCommand() {
        Commands chaos = chaos("--kills", "3", "--limit", "0");
        assertThat(chaos.exitCode()).as(chaos.toString()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(chaos.err())
                .contains("millrace: Only 0 of 3 kills and 0 of 1 time-outs happened before the records ran out.")
                .hasLineCount(1);
        assertThat(chaos.out()).contains("The board is the one expected, to the byte: 0 rows.");
    }

    @Test
    void aMotoServerGetsOneRequestAtATime() {
        Optional<Path> command = StandIn.installed("moto_server");
        assumeTrue(command.isPresent(), "moto_server is not on the PATH; pip install 'moto[server]' brings it");
        try (StandIn moto = StandIn.moto(command.orElseThrow())) {
            Commands chaos = chaos(
                    "--kills",
                    "2",
                    "--limit",
                    "200",
                    "--endpoint",
                    moto.endpoint().toString());
            assertThat(chaos.exitCode()).as(chaos.toString()).isZero();
            assertThat(chaos.out()).contains(RemotePlace.MOTO_NOTE, "The board is the one expected, to the byte");
        }
    }

    @Test
    void kinesisCanBeAnotherProcessThanDynamoDb() {
        Optional<Path> command = StandIn.installed("kinesis-local");
        assumeTrue(command.isPresent(), "kinesis-local is not on the PATH; npm install -g kinesis-local brings it");
        try (StandIn kinesis = StandIn.kinesisMock(command.orElseThrow())) {
            String url = kinesis.endpoint().toString();
            Commands chaos = chaos("--kills", "2", "--limit", "300", "--kinesis-endpoint", url);
            assertThat(chaos.exitCode()).as(chaos.toString()).isZero();
            assertThat(chaos.out())
                    .contains("on the embedded AWS with Kinesis at " + url)
                    .contains("The board is the one expected, to the byte");
        }
    }

    private static Commands chaos(String... options) {
        List<String> arguments = new ArrayList<>(List.of("chaos"));
        arguments.addAll(Arrays.asList(options));
        return Commands.run(arguments.toArray(String[]::new));
    }
}
