package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.functions.flights.FlightReports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandErrorsTest {
    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "run flihgts                             | There is no pipeline 'flihgts'; there are: flights, orders, visits. One of your own",
                "run java.lang.String                    | java.lang.String is no pipeline",
                "run                                     | A pipeline is missing; there are: flights, orders, visits. With --jar FILE",
                "fly                                     | There is no command 'fly'; there are run, chaos, simulate, local, dead-letters, state, checkpoint, checkpoints, restore and generations.",
                "run flights --shards 0                  | --shards is 0; 1 to 256 are possible.",
                "run flights --shards 257                | --shards is 257; 1 to 256 are possible.",
                "run flights --shards many               | 'many' is not an int",
                "run flights --limit -1                  | --limit is -1; 0 or more records are possible.",
                "run flights --skip -5                   | --skip is -5; 0 or more records are possible.",
                "run flights --no-input --limit 5        | --no-input publishes nothing",
                "run flights --input /no/such.csv        | The input file '/no/such.csv' does not exist.",
                "run flights --input /                   | The input file '/' is a folder; a file is expected.",
                "run flights --output /no/such/board.csv | The folder of the output file '/no/such/board.csv' does not exist.",
                "run flights --output /                  | The output file '/'",
                "run flights --endpoint localhost:4566   | --endpoint is 'localhost:4566'; a URL such as http://127.0.0.1:4566",
                "run flights --endpoint http://          | --endpoint is 'http://'; a URL such as",
                "run flights --endpoint ftp://host/      | --endpoint is 'ftp://host/'; a URL such as",
                "run flights --chaos monkey              | 'monkey' is not a long",
                "run flights --colour                    | Unknown option: '--colour'",
                "chaos --kills -1                        | --kills is -1; 0 to 10000 are possible.",
                "chaos --kills 10001                     | --kills is 10001; 0 to 10000 are possible.",
                "chaos --kills all                       | 'all' is not an int",
                "chaos --limit -1                        | --limit is -1; 0 or more records are possible.",
                "chaos --seed red                        | 'red' is not a long",
                "chaos --endpoint localhost:4566         | --endpoint is 'localhost:4566'; a URL such as http://127.0.0.1:4566",
                "chaos --kinesis-endpoint http://        | --kinesis-endpoint is 'http://'; a URL such as",
                "chaos --java /no/such/jdk               | --java is '/no/such/jdk', which is no folder.",
                "chaos --java /proc                      | --java is '/proc', in which there is no bin/java.",
                "run flights --stream flights            | --stream and --partition-key go with a pipeline of your own",
                "run flights --table on-time-board       | --table names the table that --output writes",
                "run flights --jar /no/such.jar          | --jar is '/no/such.jar', which does not exist. Is it built?",
                "chaos flights --jar /no/such.jar        | --jar is '/no/such.jar', which does not exist. Is it built?",
                "chaos flihgts                           | There is no pipeline 'flihgts'; there are: flights, orders, visits.",
                "chaos flights orders                    | Unmatched argument at index 2: 'orders'",
                "simulate --seeds 0                      | --seeds is 0; 1 or more are possible.",
                "simulate --seeds -3                     | --seeds is -3; 1 or more are possible.",
                "simulate --seeds many                   | 'many' is not an int",
                "simulate --first red                    | 'red' is not a long",
                "simulate --mutant no-fense              | There is no mutant 'no-fense'. There are no-fence, ",
                "simulate --trace                        | --trace prints some hundred lines a seed, so 1 to 20 seeds are",
                "simulate --trace --seeds 21             | possible with it, not 21. Set --seeds",
                "simulate no-fence                       | Unmatched argument at index 1: 'no-fence'",
                "dead-letters                            | A command is missing; there are ls, show, redrive and drop.",
                "dead-letters peel flights               | There is no command 'peel'; there are ls, show, redrive and drop.",
                "dead-letters ls                         | Missing required parameter: 'PIPELINE'",
                "dead-letters ls flihgts                 | There is no pipeline 'flihgts'; there are: flights, orders, visits.",
                "dead-letters ls flights --kind poison   | --kind is 'poison'; there are UNDECODABLE, KEY_UNKNOWN, FUNCTION_THREW,",
                "dead-letters ls flights --state shut    | --state is 'shut'; there are open, done, dropped and all.",
                "dead-letters ls flights --limit 0       | --limit is 0; 1 or more are possible.",
                "dead-letters ls flights --endpoint moon | --endpoint is 'moon'; a URL such as",
                "dead-letters show flights               | Missing required parameter: 'ID'",
                "dead-letters show flights first         | 'first' is no id of a dead letter; one such as on-time/flights/",
                "dead-letters redrive flights            | Which ones? Name ids, as ls shows them, or add --all",
                "dead-letters redrive flights --kind GAP | --stage and --kind narrow --all down. Add --all, or name ids",
                "dead-letters redrive flights --all a/b  | --all takes no ids.",
                "dead-letters drop flights --stage a     | --stage and --kind narrow --all down.",
                "checkpoint flights --savepoint          | Missing required parameter for option '--savepoint' (NAME)",
                "checkpoint flights --segments many      | Invalid value for option '--segments': 'many' is not an int",
                "checkpoint flights --endpoint moon      | --endpoint is 'moon'; a URL such as",
                "checkpoints                             | A command is missing; there are ls, describe and delete.",
                "restore flights                         | Missing required option: '--from=ID'",
                "restore flights --from x --drain soon   | --drain is 'soon'; a duration such as",
                "generations                             | A command is missing; there are ls and drop.",
                "generations drop flights one            | Invalid value for positional parameter at index 1 (GENERATION)",
                "state                                   | A command is missing; there are ls, get and export.",
                "state ls flights --at s3://x            | --at goes with --checkpoint: the live state is in tables.",
                "state ls flights --checkpoint x --generation 1 | --generation goes with the live state; a checkpoint is",
                "state peek flights                      | There is no command 'peek'; there are ls, get and export.",
                "state ls                                | Missing required parameter: 'PIPELINE'",
                "state ls flights --limit 0              | --limit is 0; 1 or more are possible.",
                "state ls flights --endpoint moon        | --endpoint is 'moon'; a URL such as",
                "state get flights on-time               | Missing required parameter: 'KEY'",
                "state export flights                    | Missing required option: '--output=FILE'",
                "state export flights --output /no/x     | The folder of the output file '/no/x' does not exist.",
                "dead-letters drop flights a/b/c/d/gap   | 'a/b/c/d/gap' is no id of a dead letter",
                "local --port 65536                      | --port is 65536; 0 to 65535 are possible."
            })
    void wrongUseIsNamedInOneLine(String arguments, String message) {
        Commands run = Commands.run(arguments.trim().split(" +"));
        assertThat(run.err()).startsWith("millrace: ").contains(message.trim()).hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(Millrace.EXIT_USAGE);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void withoutACommandTheCommandsAreNamed() {
        Commands run = Commands.run();
        assertThat(run.err())
                .contains(
                        "A command is missing; there are run, chaos, simulate, local, dead-letters, state, checkpoint, checkpoints, restore and generations.")
                .hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(Millrace.EXIT_USAGE);
    }

    @Test
    void helpAndVersionAreNoErrors() {
        Commands help = Commands.run("run", "--help");
        assertThat(help.exitCode()).isZero();
        assertThat(help.out())
                .contains("--shards", "--output", "--input", "--limit", "--skip", "--no-input", "--no-drain")
                .contains("--jar", "--stream", "--partition-key", "--table")
                .contains("--chaos", "--endpoint", "--verbose");
        Commands chaos = Commands.run("chaos", "--help");
        assertThat(chaos.exitCode()).isZero();
        assertThat(chaos.out())
                .contains("--kills", "--limit", "--endpoint", "--kinesis-endpoint", "--seed", "--java", "--verbose")
                .contains("--jar", "--input", "--stream", "--partition-key");
        Commands simulate = Commands.run("simulate", "--help");
        assertThat(simulate.exitCode()).isZero();
        assertThat(simulate.out()).contains("--seeds", "--first", "--mutant", "--trace", "--list-mutants", "--verbose");
        Commands redrive = Commands.run("dead-letters", "redrive", "--help");
        assertThat(redrive.exitCode()).isZero();
        assertThat(redrive.out())
                .contains(
                        "--all", "--stage", "--kind", "--even-if-partly-absorbed", "--endpoint", "--json", "--verbose");
        assertThat(Commands.run("--help").out()).contains("run", "chaos", "simulate", "local", "dead-letters", "state");
        assertThat(Commands.run("--version").out()).startsWith("millrace ");
    }

    @Test
    void anUnreachableEndpointIsNamedWithWhatToStart() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Commands run = Commands.run("run", "flights", "--endpoint", "http://127.0.0.1:" + port);
        assertThat(run.err())
                .startsWith("millrace: Nothing answers as AWS at http://127.0.0.1:" + port + ": ")
                .contains("Connection refused", "./millrace local")
                .hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        for (String option : List.of("--endpoint", "--kinesis-endpoint")) {
            Commands chaos = Commands.run("chaos", "--kills", "1", option, "http://127.0.0.1:" + port);
            assertThat(chaos.err())
                    .startsWith("millrace: Nothing answers as AWS at http://127.0.0.1:" + port + ": ")
                    .contains("Connection refused", "or leave out " + option + ".")
                    .hasLineCount(1);
            assertThat(chaos.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        }
    }

    @Test
    void aTakenPortIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Commands run = Commands.run("local", "--port", String.valueOf(taken.getLocalPort()));
            assertThat(run.err())
                    .startsWith(
                            "millrace: Cannot listen on 127.0.0.1:" + taken.getLocalPort() + " (Address already in use")
                    .hasLineCount(1);
            assertThat(run.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        }
    }

    @Test
    void aFileOfSomethingElseIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("other.csv"), "a,b\n1,2\n");
        Commands run = Commands.run("run", "flights", "--input", file.toString());
        assertThat(run.err())
                .startsWith("millrace: The input cannot be read: ")
                .contains("other.csv is no file of flight reports: line 1 is 'a,b'")
                .hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
    }

    @Test
    void aDamagedGzipFileIsNamed() throws IOException {
        Path file = Files.write(folder.resolve("cut.csv.gz"), new byte[] {0x1f, (byte) 0x8b, 8, 0, 0});
        Commands run = Commands.run("run", "flights", "--input", file.toString());
        assertThat(run.err())
                .contains("begins like a gzip file but cannot be unzipped")
                .hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
    }

    @Test
    void verboseShowsTheStackTrace() throws IOException {
        Path file = Files.writeString(folder.resolve("other.csv"), "a,b\n");
        Commands run = Commands.run("run", "flights", "--verbose", "--input", file.toString());
        assertThat(run.err()).contains("\tat " + FlightReports.class.getName());
    }
}
