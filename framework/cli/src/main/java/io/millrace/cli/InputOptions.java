package io.millrace.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is published to a pipeline's stream: what the commands that run a pipeline have in common. */
final class InputOptions {
    @Option(
            names = "--input",
            paramLabel = "FILE",
            description =
                    "Takes the input from a file of your own, gzipped or not: a JSON document a line; for flights CSV."
                            + " Default: the input that comes with an example.")
    private @Nullable Path input;

    @Option(
            names = "--stream",
            paramLabel = "NAME",
            description = "The stream that the input goes to. Needed only if the pipeline reads several.")
    private @Nullable String stream;

    @Option(
            names = "--partition-key",
            paramLabel = "FIELD",
            description = "The field of the documents that is the partition key, or a JSON pointer such as /user/id."
                    + " Default: the key that the pipeline itself computes, so that a key's records stay in order.")
    private @Nullable String partitionKey;

    @Option(names = "--limit", paramLabel = "N", description = "Publishes at most N records.")
    private @Nullable Long limit;

    @Option(names = "--skip", paramLabel = "N", description = "Leaves out the input's first N records.")
    private @Nullable Long skip;

    /** Whether any of them is given. */
    boolean given() {
        return input != null || stream != null || partitionKey != null || limit != null || skip != null;
    }

    /** Fails on values that are wrong whatever the pipeline is. */
    void check() {
        checkNotNegative("--limit", limit);
        checkNotNegative("--skip", skip);
        if (input == null) {
            return;
        }
        if (!Files.isReadable(input)) {
            throw CommandFailure.usage("The input file '" + input + "' "
                    + (Files.exists(input) ? "may not be read by this user." : "does not exist."));
        }
        if (Files.isDirectory(input)) {
            throw CommandFailure.usage("The input file '" + input + "' is a folder; a file is expected.");
        }
    }

    private static void checkNotNegative(String option, @Nullable Long value) {
        if (value != null && value < 0) {
            throw CommandFailure.usage(option + " is " + value + "; 0 or more records are possible.");
        }
    }

    /** What is to be published for a pipeline. */
    InputSource source(FoundPipeline pipeline, @Nullable Example example) {
        long skipped = skip == null ? 0 : skip;
        if (example != null) {
            if (stream != null || partitionKey != null) {
                throw CommandFailure.usage("--stream and --partition-key go with a pipeline of your own; '"
                        + pipeline.name() + "' knows where its records go.");
            }
            return new InputSource(example.stream(), lines -> example.open(input, lines), skipped, limit);
        }
        if (input == null) {
            throw CommandFailure.usage("The pipeline '" + pipeline.name()
                    + "' comes with no input. Give it a file with a JSON document a line by --input.");
        }
        Path file = input;
        String target = target(pipeline);
        PartitionKeys keys = partitionKey == null
                ? new PartitionKeys.OfStage(pipeline.stageOn(target))
                : PartitionKeys.OfField.named(partitionKey);
        return new InputSource(target, lines -> JsonLines.open(file, keys, lines), skipped, limit);
    }

    private String target(FoundPipeline pipeline) {
        List<String> streams = pipeline.streams();
        if (stream == null && streams.size() > 1) {
            throw CommandFailure.usage("The pipeline '" + pipeline.name() + "' reads the streams "
                    + String.join(", ", streams) + ". Name the one that the input goes to by --stream.");
        }
        if (stream != null && !streams.contains(stream)) {
            throw CommandFailure.usage("--stream is '" + stream + "', which the pipeline '" + pipeline.name()
                    + "' does not read; it reads " + String.join(", ", streams) + ".");
        }
        return stream == null ? streams.get(0) : stream;
    }
}
