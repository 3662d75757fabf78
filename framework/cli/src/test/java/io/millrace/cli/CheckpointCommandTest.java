package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Checkpoints and restores by the command line, as an operator works with the flights. */
class CheckpointCommandTest {
    @TempDir
    private Path folder = Path.of("");

    private final EmbeddedAws aws = EmbeddedAws.create();
    private String endpoint = "";

    @BeforeEach
    void listen() throws IOException {
        endpoint = aws.listen("127.0.0.1", 0).endpoint().toString();
    }

    @AfterEach
    void closeAws() {
        aws.close();
    }

    private Commands run(String... arguments) {
        Commands done = Commands.run(Stream.concat(Stream.of(arguments), Stream.of("--endpoint", endpoint))
                .toArray(String[]::new));
        assertThat(done.exitCode()).as(done.toString()).isZero();
        return done;
    }

    private Commands failing(String... arguments) {
        Commands done = Commands.run(Stream.concat(Stream.of(arguments), Stream.of("--endpoint", endpoint))
                .toArray(String[]::new));
        assertThat(done.exitCode()).as(done.toString()).isEqualTo(Millrace.EXIT_FAILED);
        return done;
    }

    /** What all reports in one run give. */
    private String expectedBoard() throws IOException {
        Path board = folder.resolve("expected.csv");
        Commands done = Commands.run("run", "flights", "--limit", "4000", "--output", board.toString());
        assertThat(done.exitCode()).as(done.toString()).isZero();
        return Files.readString(board);
    }

    @Test
    void theSecondHalfIsReplayedBehindARestore() throws IOException {
        run("run", "flights", "--limit", "2000", "--no-drain");
        assertThat(run("checkpoint", "flights", "--savepoint", "half").out())
                .contains("Checkpoint savepoint-half: generation 1", "--from half");
        run("run", "flights", "--skip", "2000", "--limit", "2000", "--no-drain");

        assertThat(run("restore", "flights", "--from", "half", "--dry-run").out())
                .contains("The checkpoint savepoint-half can be restored", "Nothing was changed");
        assertThat(run("restore", "flights", "--from", "half").out()).contains("as generation 2.");
        Path board = folder.resolve("board.csv");
        run("run", "flights", "--no-input", "--output", board.toString());

        assertThat(Files.readString(board)).isEqualTo(expectedBoard());
        assertThat(run("generations", "ls", "flights").out())
                .contains("1           the first one", "2  current  of checkpoint savepoint-half of generation 1");
        assertThat(run("generations", "drop", "flights", "1").out()).contains("Dropped generation 1: ");
        assertThat(failing("generations", "drop", "flights", "2").err()).contains("is the current one");
    }

    /** What a checkpoint has kept is read as the live state is. */
    @Test
    void theStateOfACheckpointIsReadWhenTheLiveOneHasGoneOn() {
        run("run", "flights", "--limit", "2000", "--no-drain");
        run("checkpoint", "flights", "--savepoint", "then");
        String then = run("state", "export", "flights", "--output", "-").out();
        run("run", "flights", "--skip", "2000", "--limit", "500", "--no-drain");
        assertThat(sorted(run("state", "export", "flights", "--output", "-").out()))
                .isNotEqualTo(sorted(then));

        String kept = run("state", "export", "flights", "--checkpoint", "then", "--output", "-")
                .out();
        assertThat(sorted(kept)).isEqualTo(sorted(then));
        assertThat(run("state", "ls", "flights", "--checkpoint", "then").out()).contains("cells in stage on-time");
        assertThat(run("state", "get", "flights", "on-time", "ORD", "--checkpoint", "then")
                        .out())
                .contains("on-time#ORD#1");
        assertThat(failing("state", "ls", "flights", "--checkpoint", "never").err())
                .contains("There is no complete checkpoint or savepoint 'never'; there are [savepoint-then]");
    }

    private static List<String> sorted(String lines) {
        return lines.lines().sorted().toList();
    }

    @Test
    void checkpointsAreListedDescribedAndDeleted() {
        run("run", "flights", "--limit", "500", "--no-drain");
        assertThat(run("checkpoints", "ls", "flights").out()).contains("There is no checkpoint.");
        run("checkpoint", "flights", "--segments", "2", "--read-units", "1000");
        run("checkpoint", "flights", "--savepoint", "one");
        assertThat(run("checkpoints", "ls", "flights").out().lines()).hasSize(2);
        assertThat(run("checkpoints", "describe", "flights", "one").out())
                .contains("savepoint-one: generation 1", "  on-time: ");
        assertThat(run("checkpoints", "describe", "flights", "one", "--json").out())
                .contains("\"savepoint\":\"one\"", "\"cells\":{\"on-time\":");
        run("checkpoints", "delete", "flights", "one");
        assertThat(failing("checkpoints", "describe", "flights", "one").err())
                .contains("There is no complete checkpoint or savepoint 'one'");
        assertThat(failing("checkpoint", "flights", "--savepoint", "a/b").err()).contains("is no name for a savepoint");
    }

    @Test
    void aFlippedByteIsRefusedByName() {
        run("run", "flights", "--limit", "500", "--no-drain");
        run("checkpoint", "flights", "--savepoint", "one");
        String key;
        try (S3Client s3 = AwsEndpoint.of(aws).s3()) {
            key = s3.listObjectsV2(list -> list.bucket("flights-checkpoints")).contents().stream()
                    .map(S3Object::key)
                    .filter(name -> name.endsWith(".jsonl.gz"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = s3.getObjectAsBytes(
                            get -> get.bucket("flights-checkpoints").key(key))
                    .asByteArray();
            bytes[bytes.length / 2] ^= 1;
            s3.putObject(put -> put.bucket("flights-checkpoints").key(key), RequestBody.fromBytes(bytes));
        }
        assertThat(failing("restore", "flights", "--from", "one").err())
                .contains("is damaged: the object s3://flights-checkpoints/" + key);
    }
}
