package io.millrace.cli;

import io.millrace.functions.flights.OnTimeBoard;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace chaos}: runs a pipeline in processes of its own, kills these, and checks the result. */
@Command(
        name = "chaos",
        description = {
            "Runs a pipeline, by default the flights, with its functions as processes of their own, kills these, and"
                    + " checks the result.",
            "The processes run AWS's own Lambda runtime client. They are killed (kill -9) while they start, in the middle"
                    + " of a batch and just after their answer; some invocations are taken for timed out while their old"
                    + " process goes on. The result must be the expected one, to the byte: of an example what a plain loop"
                    + " gives, of another pipeline what a run without kills gives."
        },
        mixinStandardHelpOptions = true)
final class ChaosCommand implements Callable<Integer> {
    /** Above it the input has not enough records for a batch each. */
    static final int KILLS_MAX = 10_000;

    private final Terminal terminal;

    @Mixin
    private PipelineOptions pipeline = new PipelineOptions();

    @Mixin
    private InputOptions input = new InputOptions();

    @Option(
            names = "--kills",
            paramLabel = "N",
            description = "How many processes are killed; for each five, one invocation times out and goes on."
                    + " Default: ${DEFAULT-VALUE}.")
    private int kills = 25;

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

    ChaosCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        if (kills < 0 || kills > KILLS_MAX) {
            throw CommandFailure.usage("--kills is " + kills + "; 0 to " + KILLS_MAX + " are possible.");
        }
        input.check();
        ChaosOptions options = new ChaosOptions(
                kills,
                pipeline.endpoint(),
                kinesisEndpoint == null ? null : RemotePlace.url("--kinesis-endpoint", kinesisEndpoint),
                seed,
                javas.isEmpty()
                        ? JavaHome.found(System.getenv())
                        : javas.stream().map(JavaHome::named).toList());
        try (PipelineCatalog catalog = pipeline.catalog()) {
            FoundPipeline found = pipeline.findOr(catalog, OnTimeBoard.NAME);
            Example example = Examples.of(found);
            ChaosRun run = new ChaosRun(terminal, options, found, example, input.source(found, example));
            return found.inItsClassLoader(run::run) ? Millrace.EXIT_OK : Millrace.EXIT_FAILED;
        }
    }
}
