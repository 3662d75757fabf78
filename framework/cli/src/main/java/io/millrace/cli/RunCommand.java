package io.millrace.cli;

import io.millrace.PipelineDefinition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace run}: runs a pipeline on this machine until it has worked off its stream, and checks the result. */
@Command(
        name = "run",
        description = {
            "Runs a pipeline until it has worked off its stream, and checks the result.",
            "The input is published to the pipeline's Kinesis stream; the pipeline runs as Lambda functions would, behind an"
                    + " event source mapping, on an embedded AWS in memory or on the one at --endpoint. On an endpoint where the"
                    + " pipeline exists, the run goes on with it."
        },
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    /** The most shards of a local stream: each takes a thread. */
    static final int SHARDS_MAX = 256;

    private final Terminal terminal;

    @Parameters(paramLabel = "PIPELINE", description = "The pipeline's name, such as flights, or its class.")
    private String pipeline = "";

    @Option(
            names = "--shards",
            paramLabel = "N",
            description = "Shards of the stream if it must be created. Default: ${DEFAULT-VALUE}.")
    private int shards = 4;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "Writes the result, as read back from DynamoDB, as CSV.")
    private @Nullable Path output;

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "Takes the input from a file of your own: CSV, gzipped or not. Default: the one in the jar.")
    private @Nullable Path input;

    @Option(names = "--limit", paramLabel = "N", description = "Publishes at most N records.")
    private @Nullable Long limit;

    @Option(names = "--skip", paramLabel = "N", description = "Leaves out the input's first N records.")
    private @Nullable Long skip;

    @Option(names = "--no-input", description = "Publishes nothing, and only works off what the stream holds.")
    private boolean noInput;

    @Option(
            names = "--no-drain",
            description =
                    "Leaves event-time windows open at the end of the input. A pipeline without windows has none to close.")
    boolean noDrain;

    @Option(
            names = "--chaos",
            paramLabel = "SEED",
            description =
                    "Injects crashes, zombies, duplicates, throttles, lost responses. The result must be the same.")
    private @Nullable Long chaosSeed;

    @Option(names = "--endpoint", paramLabel = "URL", description = "Runs on the AWS stand-in at a URL.")
    private @Nullable String endpoint;

    @Option(names = "--verbose", description = "Shows the stack trace of an error.")
    boolean verbose;

    RunCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        Supplier<PipelineDefinition> definitions = PipelineCatalog.find(pipeline);
        String name = definitions.get().name();
        Example example = Example.of(name);
        checkNumbers();
        checkInput(name, example);
        checkOutput(name, example);
        RunOptions options = new RunOptions(
                name,
                definitions,
                example,
                shards,
                output,
                noInput ? null : new RunOptions.Selection(input, skip == null ? 0 : skip, limit),
                chaosSeed,
                endpoint == null ? null : RemotePlace.url("--endpoint", endpoint));
        return new PipelineRun(terminal, options).run() ? Millrace.EXIT_OK : Millrace.EXIT_FAILED;
    }

    private void checkNumbers() {
        if (shards < 1 || shards > SHARDS_MAX) {
            throw CommandFailure.usage("--shards is " + shards + "; 1 to " + SHARDS_MAX + " are possible.");
        }
        checkNotNegative("--limit", limit);
        checkNotNegative("--skip", skip);
    }

    private static void checkNotNegative(String option, @Nullable Long value) {
        if (value != null && value < 0) {
            throw CommandFailure.usage(option + " is " + value + "; 0 or more records are possible.");
        }
    }

    private void checkInput(String name, @Nullable Example example) {
        boolean selected = input != null || limit != null || skip != null;
        if (noInput && selected) {
            throw CommandFailure.usage(
                    "--no-input publishes nothing, so --input, --limit and --skip make no sense with it.");
        }
        if (example == null && !noInput) {
            throw CommandFailure.usage(
                    "The pipeline '" + name
                            + "' comes with no input. Put records into its stream at an --endpoint and run it with --no-input.");
        }
        if (input != null && !Files.isReadable(input)) {
            throw CommandFailure.usage("The input file '" + input + "' "
                    + (Files.exists(input) ? "may not be read by this user." : "does not exist."));
        }
        if (input != null && Files.isDirectory(input)) {
            throw CommandFailure.usage("The input file '" + input + "' is a folder; a CSV file is expected.");
        }
    }

    private void checkOutput(String name, @Nullable Example example) {
        if (output == null) {
            return;
        }
        if (example == null) {
            throw CommandFailure.usage("It is not known how to write the result of the pipeline '" + name
                    + "' as CSV. Leave out --output and read its tables.");
        }
        if (Files.isDirectory(output)) {
            throw CommandFailure.usage("The output file '" + output + "' is a folder; a file is expected.");
        }
        Path folder = output.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw CommandFailure.usage(
                    "The folder of the output file '" + output + "' does not exist. Create it first.");
        }
        if (!(Files.exists(output) ? Files.isWritable(output) : Files.isWritable(folder))) {
            throw CommandFailure.usage("The output file '" + output + "' may not be written by this user.");
        }
    }
}
