package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.EmbeddedAwsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** Pipelines out of an application's jar, as their authors run them. */
@Timeout(600)
class RunJarTest {
    @TempDir
    private Path folder = Path.of("");

    private Path jar = Path.of("");
    private Path input = Path.of("");

    @BeforeEach
    void compile() throws IOException {
        jar = CompiledJar.ofPipelines(folder, "app.jar");
        input = Files.write(
                folder.resolve("words.jsonl"),
                List.of(
                        "{\"word\":\"mill\",\"times\":1}",
                        "{\"word\":\"race\",\"times\":2}",
                        "",
                        "{\"word\":\"mill\",\"times\":3}",
                        "no document",
                        "{\"word\":\"\",\"times\":9}",
                        "{\"word\":\"a,\\\"b\\\"\",\"times\":4}"));
    }

    @Test
    void itsRowsAreShownAndWritten() throws IOException {
        Path csv = folder.resolve("rows.csv");
        Commands run = run("WordCounts", "--input", input.toString(), "--output", csv.toString());
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.err().lines())
                .containsExactly("line 5: no JSON document: Unrecognized token 'no': was expecting"
                        + " (JSON String, Number, Array, Object or token 'null', 'true' or 'false')");
        assertThat(run.out())
                .contains("5 records, 1 broken lines passed over")
                .contains("  result                 3 rows in word-counts")
                .contains("word-counts\n  word   times\n  a,\"b\"  4\n  mill   4\n  race   2\n")
                .contains("The result is in " + csv);
        assertThat(csv).hasContent("word,times\n\"a,\"\"b\"\"\",4\nmill,4\nrace,2\n");

        Path json = folder.resolve("rows.json");
        Commands chaos = run("word-counts", "--input", input.toString(), "--output", json.toString(), "--chaos", "1");
        assertThat(chaos.exitCode()).as(chaos.toString()).isZero();
        assertThat(json).hasContent("""
                        {
                        "word-counts": [
                          {"word":"a,\\"b\\"","times":4},
                          {"word":"mill","times":4},
                          {"word":"race","times":2}
                        ]
                        }
                        """);
    }

    @Test
    void moreRowsThanFitAreCounted() throws IOException {
        Path many = Files.write(
                folder.resolve("many.jsonl"),
                IntStream.range(0, 25)
                        .mapToObj(i -> "{\"word\":\"w" + (100 + i) + "\",\"times\":1}")
                        .toList());
        Commands run = run("WordCounts", "--input", many.toString(), "--skip", "2", "--limit", "20");
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out())
                .contains("20 rows in word-counts")
                .contains("  w102  1\n")
                .contains("  w111  1\n  and 10 rows more; --output FILE.csv or FILE.json writes all.")
                .doesNotContain("  w112  1");
    }

    @Test
    void aGzippedInputGoesToTheStreamThatIsNamed() throws IOException {
        Path gzipped = folder.resolve("words.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(gzipped))) {
            out.write("{\"word\":\"mill\",\"times\":1}\r\n{\"word\":\"race\",\"times\":2}"
                    .getBytes(StandardCharsets.UTF_8));
        }
        Path csv = folder.resolve("right.csv");
        Commands run = run(
                "LeftAndRight",
                "--input",
                gzipped.toString(),
                "--stream",
                "right",
                "--output",
                csv.toString(),
                "--table",
                "right-rows");
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).contains("0 rows in left-rows", "2 rows in right-rows");
        assertThat(csv).hasContent("word,times\nmill,1\nrace,2\n");
    }

    @Test
    void thePartitionKeyIsThePipelinesOwnOrAField() throws IOException {
        assertThat(partitionKeys()).contains("mill", "race", "a,\"b\"").hasSize(4);
        assertThat(partitionKeys("--partition-key", "times")).containsExactly("1", "2", "3", "4", "9");
        assertThat(partitionKeys("--partition-key", "/times")).containsExactly("1", "2", "3", "4", "9");
        Commands run = run("WordCounts", "--input", input.toString(), "--partition-key", "/no/such");
        assertThat(run.err()).contains("line 1: no text or number at /no/such, which --partition-key names as the key");
        assertThat(run.out()).contains("0 records, 6 broken lines passed over");
    }

    private Set<String> partitionKeys(String... options) throws IOException {
        Set<String> keys = new TreeSet<>();
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                KinesisClient kinesis = endpoint.kinesis()) {
            String[] all = new String[options.length + 7];
            List<String> fixed = List.of(
                    "WordCounts",
                    "--input",
                    input.toString(),
                    "--shards",
                    "1",
                    "--endpoint",
                    server.endpoint().toString());
            System.arraycopy(fixed.toArray(String[]::new), 0, all, 0, fixed.size());
            System.arraycopy(options, 0, all, fixed.size(), options.length);
            Commands run = run(all);
            assertThat(run.exitCode()).as(run.toString()).isZero();
            String shard = new StreamReader(kinesis, "words").shardIds().get(0);
            String iterator = kinesis.getShardIterator(request -> request.streamName("words")
                            .shardId(shard)
                            .shardIteratorType(ShardIteratorType.TRIM_HORIZON))
                    .shardIterator();
            kinesis.getRecords(request -> request.shardIterator(iterator))
                    .records()
                    .forEach(record -> keys.add(record.partitionKey()));
        }
        return keys;
    }

    @Test
    void recordsOfTheStreamAreWorkedOffWithoutInput() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                KinesisClient kinesis = endpoint.kinesis()) {
            String url = server.endpoint().toString();
            assertThat(run("WordCounts", "--input", input.toString(), "--endpoint", url)
                            .exitCode())
                    .isZero();
            kinesis.putRecord(request -> request.streamName("words")
                    .partitionKey("mill")
                    .data(SdkBytes.fromUtf8String("{\"word\":\"mill\",\"times\":10}")));
            Commands run = run("WordCounts", "--no-input", "--endpoint", url);
            assertThat(run.exitCode()).as(run.toString()).isZero();
            assertThat(run.out()).contains("  mill   14\n");
        }
    }

    @Test
    void itsFunctionsRunAsProcessesThatAreKilled() throws IOException {
        Path many = Files.write(
                folder.resolve("many.jsonl"),
                IntStream.range(0, 300)
                        .mapToObj(i -> "{\"word\":\"w" + i % 17 + "\",\"times\":" + i + "}")
                        .toList());
        Commands chaos = Commands.run(
                "chaos", "WordCounts", "--jar", jar.toString(), "--input", many.toString(), "--kills", "3");
        assertThat(chaos.exitCode()).as(chaos.toString()).isZero();
        assertThat(chaos.out())
                .contains("First a run without kills, for the result to expect.")
                .contains("Summary of the chaos over word-counts on the embedded AWS")
                .containsPattern("kills \\(kill -9\\) +3: ");
        assertThat(chaos.out().lines().reduce((first, last) -> last))
                .hasValue("The result is that of the run without kills, to the byte: 17 rows.");
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void wrongUseIsNamedInOneLine() {
        String words = input.toString();
        assertUsage(run(), "A pipeline is missing; " + jar + " holds several: ");
        assertUsage(run("Words"), "There is no pipeline 'Words' in " + jar + "; there are: ");
        assertUsage(run("WordCounts"), "The pipeline 'word-counts' comes with no input. Give it a file");
        assertUsage(
                run("LeftAndRight", "--input", words), "reads the streams left, right. Name the one that the input");
        assertUsage(run("LeftAndRight", "--input", words, "--stream", "up"), "--stream is 'up', which the pipeline");
        assertUsage(
                run("LeftAndRight", "--input", words, "--stream", "left", "--output", folder + "/rows.csv"),
                "writes the tables left-rows, right-rows, and a CSV file holds one. Name it by --table");
        assertUsage(
                run("WordCounts", "--input", words, "--output", folder + "/rows.txt"),
                "a name that ends in .csv or .json is expected.");
        assertUsage(
                run("WordCounts", "--input", words, "--output", folder + "/rows.csv", "--table", "rows"),
                "--table is 'rows', which the pipeline 'word-counts' does not write; it writes word-counts.");
        assertUsage(run("WordCounts", "--table", "word-counts"), "--table names the table that --output writes");
        assertUsage(run("WordCounts", "--no-input", "--stream", "words"), "--no-input publishes nothing");
    }

    private static void assertUsage(Commands run, String message) {
        assertThat(run.err()).startsWith("millrace: ").contains(message).hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(Millrace.EXIT_USAGE);
        assertThat(run.out()).isEmpty();
    }

    private Commands run(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "run";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[all.length - 2] = "--jar";
        all[all.length - 1] = jar.toString();
        return Commands.run(all);
    }
}
