package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.EmbeddedAwsServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** Dead letters from the record that was given up to the one that is redriven or dropped, as an operator works. */
class DeadLettersCommandTest {
    private static final String PIPELINE = Fragile.class.getName();
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder = Path.of("");

    private final EmbeddedAws aws = EmbeddedAws.create();
    private String endpoint = "";

    /** Three words of a key, of which the last is given up, and a record that is no JSON. */
    @BeforeEach
    void giveUpTwoRecords() throws IOException {
        Fragile.MENDED.set(false);
        EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
        endpoint = server.endpoint().toString();
        run();
        try (KinesisClient kinesis = AwsEndpoint.of(aws).kinesis()) {
            for (String data : List.of(word("a"), word("b"), word("c?"), "no\u001b[2Jjson")) {
                kinesis.putRecord(request ->
                        request.streamName(Fragile.STREAM).partitionKey("p").data(SdkBytes.fromUtf8String(data)));
            }
        }
        run();
    }

    @AfterEach
    void closeAws() {
        aws.close();
    }

    private static String word(String text) {
        return "{\"key\":\"k\",\"text\":\"" + text + "\"}";
    }

    private void run() {
        Commands run = Commands.run("run", PIPELINE, "--endpoint", endpoint, "--no-input", "--shards", "1");
        assertThat(run.exitCode()).as(run.toString()).isZero();
    }

    private Commands deadLetters(String command, String... more) {
        return Commands.run(
                Stream.concat(Stream.of("dead-letters", command, PIPELINE, "--endpoint", endpoint), Stream.of(more))
                        .toArray(String[]::new));
    }

    private List<JsonNode> json(String command, String... more) {
        Commands done = deadLetters(
                command, Stream.concat(Stream.of("--json"), Stream.of(more)).toArray(String[]::new));
        assertThat(done.err()).isEmpty();
        return done.out().lines().map(DeadLettersCommandTest::parse).toList();
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new AssertionError(line, e);
        }
    }

    private String idOf(String kind) {
        List<JsonNode> found = json("ls", "--kind", kind, "--state", "all");
        assertThat(found).hasSize(1);
        return found.get(0).path("id").asText();
    }

    private String joined() {
        try (DynamoDbClient dynamoDb = AwsEndpoint.of(aws).dynamoDb()) {
            return String.valueOf(dynamoDb.scan(request -> request.tableName(Fragile.TABLE))
                    .items()
                    .get(0));
        }
    }

    @Test
    void theListHasARowForEachWithAnIdToPasteBack() {
        Commands list = deadLetters("ls");

        assertThat(list.exitCode()).isZero();
        List<String> lines = list.out().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).startsWith("STATE    KIND").endsWith("ID");
        assertThat(lines.get(1))
                .startsWith("open     FUNCTION_THREW         1  ")
                .contains("  k  ", "IllegalArgumentException: what is c?")
                .endsWith(idOf("FUNCTION_THREW"));
        assertThat(lines.get(2))
                .contains("UNDECODABLE")
                .doesNotContain("\u001b")
                .endsWith("/no-key");
        assertThat(lines.get(3)).isEqualTo("2 dead letters.");
        assertThat(deadLetters("ls", "--limit", "1").out()).contains("There are more; --limit is 1.");
        assertThat(deadLetters("ls", "--stage", "other").out()).isEqualToIgnoringNewLines("There are none.");
        assertThat(deadLetters("ls", "--kind", "function-threw").out()).contains("1 dead letter.");
    }

    @Test
    void oneIsShownWithItsPayload() {
        Commands shown = deadLetters("show", idOf("FUNCTION_THREW"));

        assertThat(shown.exitCode()).isZero();
        assertThat(shown.out()).contains("FUNCTION_THREW", "what is c?", word("c?"), "key            k");
        Path file = folder.resolve("payload");
        Commands undecodable = deadLetters("show", idOf("UNDECODABLE"), "--payload", file.toString());
        assertThat(undecodable.out()).contains("no [2Jjson").doesNotContain("\u001b");
        assertThat(file).hasContent("no\u001b[2Jjson");
        assertThat(json("show", idOf("UNDECODABLE")).get(0).path("payload").asText())
                .isEqualTo("bm8bWzJKanNvbg==");
    }

    @Test
    void whatIsMendedIsRedrivenAndTheRestStaysOpen() {
        Commands inVain = deadLetters("redrive", "--all");
        assertThat(inVain.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(inVain.out()).contains("attempt 2", "what is c?", "2 failed again; 2 left open.");
        assertThat(joined()).contains("text=AttributeValue(S=ab)");

        Fragile.MENDED.set(true);
        Commands mended = deadLetters("redrive", "--all");

        assertThat(mended.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(mended.out())
                .contains("redriven " + idOf("FUNCTION_THREW") + ": 1 key, 1 row")
                .contains("1 redriven, 1 failed again; 1 left open.");
        assertThat(joined()).contains("text=AttributeValue(S=abc?)");
        Commands again = deadLetters("redrive", idOf("FUNCTION_THREW"));
        assertThat(again.exitCode()).isZero();
        assertThat(again.out()).contains("1 redriven before; 0 left open.");
        assertThat(joined()).contains("text=AttributeValue(S=abc?)");
    }

    @Test
    void oneOfAKindIsRedrivenWithAnExitCodeThatSaysSo() {
        Fragile.MENDED.set(true);

        List<JsonNode> lines = json("redrive", "--all", "--kind", "FUNCTION_THREW");

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0).path("outcome").asText()).isEqualTo("redriven");
        assertThat(lines.get(1).path("summary").toString()).isEqualTo("{\"redriven\":1,\"left open\":0}");
        assertThat(deadLetters("redrive", "--all", "--kind", "FUNCTION_THREW").out())
                .isEqualToIgnoringNewLines("There are none.");
    }

    @Test
    void whatIsDroppedIsNeverRedriven() {
        String id = idOf("UNDECODABLE");
        Commands dropped = deadLetters("drop", id);
        assertThat(dropped.exitCode()).isZero();
        assertThat(dropped.out()).contains("dropped " + id, "1 dropped; 0 left open.");

        assertThat(deadLetters("redrive", id).out()).contains("1 dropped before; 0 left open.");
        assertThat(deadLetters("ls", "--state", "dropped").out()).contains(id, "1 dead letter.");
        Commands rest = deadLetters("drop", "--all", "--stage", "join");
        assertThat(rest.out()).contains("1 dropped; 0 left open.");
        for (String command : List.of("drop", "redrive")) {
            Commands unknown = deadLetters(command, id.replace("no-key", "gap"));
            assertThat(unknown.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
            assertThat(unknown.out()).contains("1 unknown; 0 left open.");
        }
        Commands show = deadLetters("show", id.replace("no-key", "gap"));
        assertThat(show.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(show.err()).contains("There is no dead letter", "dead-letters ls " + PIPELINE + " --endpoint");
    }

    @Test
    void aPlaceWhereThePipelineNeverRanIsNamed() {
        Commands list = Commands.run("dead-letters", "ls", "flights", "--endpoint", endpoint);

        assertThat(list.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(list.err()).contains("Reading the control item in table flights-control failed");
    }
}
