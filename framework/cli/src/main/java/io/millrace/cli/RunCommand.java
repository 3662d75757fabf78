package io.millrace.cli;

import io.millrace.time.WatermarkStrategy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace run}: runs a pipeline on this machine until it has worked off its stream, and checks the result. */
@Command(
        name = "run",
        description = {
            "Runs a pipeline until it has worked off its stream, and shows the result; that of an example is checked.",
            "The input is published to the pipeline's Kinesis stream; the pipeline runs as Lambda functions would, behind an"
                    + " event source mapping, on an embedded AWS in memory or on the one at --endpoint. On an endpoint where the"
                    + " pipeline exists, the run goes on with it."
        },
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    /** The most shards of a local stream: each takes a thread. */
    static final int SHARDS_MAX = 256;

    private final Terminal terminal;

    @Mixin
    private PipelineOptions pipeline = new PipelineOptions();

    @Mixin
    private InputOptions input = new InputOptions();

    @Option(names = "--no-input", description = "Publishes nothing, and only works off what the stream holds.")
    private boolean noInput;

    @Option(
            names = "--shards",
            paramLabel = "N",
            description = "Shards of the stream if it must be created. Default: ${DEFAULT-VALUE}.")
    private int shards = 4;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "Writes the result, as read back from DynamoDB: all tables as .json, or one as .csv.")
    private @Nullable Path output;

    @Option(
            names = "--table",
            paramLabel = "NAME",
            description = "The table that --output writes, where the pipeline has several.")
    private @Nullable String table;

    @Option(
            names = "--no-drain",
            description =
                    "Leaves event-time windows open that are not over, so that another run can go on with them. Default:"
                            + " the end of the input closes them, and the pipeline is not to be run further.")
    private boolean noDrain;

    @Option(
            names = "--out-of-orderness",
            paramLabel = "DURATION",
            description =
                    "How far behind the latest one events may come and not be late, such as 2h or PT2H; for flights."
                            + " Default: the pipeline's own bound.")
    private @Nullable String outOfOrderness;

    @Option(
            names = "--chaos",
            paramLabel = "SEED",
            description =
                    "Injects crashes, zombies, duplicates, throttles, lost responses. The result must be the same.")
    private @Nullable Long chaosSeed;

    RunCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        checkOptions();
        try (PipelineCatalog catalog = pipeline.catalog()) {
            FoundPipeline found = pipeline.find(catalog);
            RunOptions options = options(found, Examples.of(found));
            return found.inItsClassLoader(() -> new PipelineRun(terminal, options).run())
                    ? Millrace.EXIT_OK
                    : Millrace.EXIT_FAILED;
        }
    }

    private void checkOptions() {
        if (shards < 1 || shards > SHARDS_MAX) {
            throw CommandFailure.usage("--shards is " + shards + "; 1 to " + SHARDS_MAX + " are possible.");
        }
        if (noInput && input.given()) {
            throw CommandFailure.usage(
                    "--no-input publishes nothing, so --input, --stream, --partition-key, --limit and"
                            + " --skip make no sense with it.");
        }
        if (table != null && output == null) {
            throw CommandFailure.usage("--table names the table that --output writes, which is not given.");
        }
        input.check();
    }

    private @Nullable Duration outOfOrderness(FoundPipeline found, @Nullable Example example) {
        if (outOfOrderness == null) {
            return null;
        }
        if (example == null) {
            throw CommandFailure.usage("--out-of-orderness goes with an example; the pipeline '" + found.name()
                    + "' has its own bound in its code.");
        }
        Duration bound = DurationText.parse("--out-of-orderness", outOfOrderness);
        if (bound.compareTo(WatermarkStrategy.DURATION_MAX) > 0) {
            throw CommandFailure.usage("--out-of-orderness is '" + outOfOrderness + "'; "
                    + WatermarkStrategy.DURATION_MAX.toDays() + "d at most are possible.");
        }
        example.withOutOfOrderness(bound);
        return bound;
    }

    private RunOptions options(FoundPipeline found, @Nullable Example example) {
        return new RunOptions(
                found,
                example,
                shards,
                output == null ? null : ResultFile.of(output, table, found, example),
                noInput ? null : input.source(found, example),
                !noDrain,
                outOfOrderness(found, example),
                chaosSeed,
                pipeline.endpoint());
    }
}
