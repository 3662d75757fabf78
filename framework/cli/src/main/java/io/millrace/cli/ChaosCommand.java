package io.millrace.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace chaos}: runs the flights in processes of their own, kills these, and checks the board. */
@Command(
        name = "chaos",
        description = {
            "Runs the flights with their functions as processes of their own, kills these, and checks the board.",
            "The processes run AWS's own Lambda runtime client. They are killed (kill -9) while they start, in the middle"
                    + " of a batch and just after their answer; some invocations are taken for timed out while their old"
                    + " process goes on. The board must be the expected one, to the byte."
        },
        mixinStandardHelpOptions = true)
final class ChaosCommand implements Callable<Integer> {
    /** Above it the input has not enough records for a batch each. */
    static final int KILLS_MAX = 10_000;

    private final Terminal terminal;

    @Option(
            names = "--kills",
            paramLabel = "N",
            description = "How many processes are killed; for each five, one invocation times out and goes on."
                    + " Default: ${DEFAULT-VALUE}.")
    private int kills = 25;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description =
                    "Publishes at most N records. Default: all; 2,000 on a moto server, which slows down with more.")
    private @Nullable Long limit;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "Runs on the AWS stand-in at a URL. Default: the embedded AWS.")
    private @Nullable String endpoint;

    @Option(
            names = "--kinesis-endpoint",
            paramLabel = "URL",
            description = "Takes Kinesis, and only Kinesis, from the stand-in at a URL, such as kinesis-mock.")
    private @Nullable String kinesisEndpoint;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            description = "Decides what happens in which order. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
            names = "--java",
            paramLabel = "HOME",
            description =
                    "A Java that the functions run on; may be repeated, then the processes take turns. Default: the"
                            + " one that runs this command, and a Java 25 beside it or in JAVA_HOME_25.")
    private List<Path> javas = new ArrayList<>();

    @Option(names = "--verbose", description = "Shows the stack trace of an error.")
    boolean verbose;

    ChaosCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        if (kills < 0 || kills > KILLS_MAX) {
            throw CommandFailure.usage("--kills is " + kills + "; 0 to " + KILLS_MAX + " are possible.");
        }
        if (limit != null && limit < 0) {
            throw CommandFailure.usage("--limit is " + limit + "; 0 or more records are possible.");
        }
        ChaosOptions options = new ChaosOptions(
                kills,
                limit,
                endpoint == null ? null : RemotePlace.url("--endpoint", endpoint),
                kinesisEndpoint == null ? null : RemotePlace.url("--kinesis-endpoint", kinesisEndpoint),
                seed,
                javas.isEmpty()
                        ? JavaHome.found(System.getenv())
                        : javas.stream().map(JavaHome::named).toList());
        return new ChaosRun(terminal, options).run() ? Millrace.EXIT_OK : Millrace.EXIT_FAILED;
    }
}
