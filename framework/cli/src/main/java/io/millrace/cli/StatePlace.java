package io.millrace.cli;

import io.millrace.aws.Checkpoints;
import io.millrace.aws.StateReader;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What all commands on state are told: of which pipeline and generation, and where it runs. */
final class StatePlace {
    @Parameters(
            index = "0",
            paramLabel = "PIPELINE",
            description = "The pipeline's name, such as flights: its tables begin with it.")
    private String pipeline = "";

    @Mixin
    private OperatedPlace place = new OperatedPlace();

    @Option(
            names = "--generation",
            paramLabel = "N",
            description = "Reads this generation, such as the one before a restore. Default: the current one.")
    private @Nullable Long generation;

    @Option(
            names = "--checkpoint",
            paramLabel = "ID",
            description = "Reads a checkpoint by its id, or a savepoint by its name, instead of the live state.")
    private @Nullable String checkpoint;

    @Option(
            names = "--at",
            paramLabel = "s3://BUCKET/PREFIX",
            description = "Where the checkpoints lie. Default: the bucket of the pipeline's name with -checkpoints.")
    private @Nullable String at;

    /** How the pipeline and the place are named in another command. */
    String arguments() {
        return pipeline
                + place.arguments()
                + (generation == null ? "" : " --generation " + generation)
                + (checkpoint == null ? "" : " --checkpoint " + checkpoint)
                + (at == null ? "" : " --at " + at);
    }

    /** What a command does with the state. */
    @FunctionalInterface
    interface Work {
        int run(StateReader state) throws Exception;
    }

    /** Connects, does the work and closes the connections. */
    int work(Work work) throws Exception {
        if (generation != null && generation < 1) {
            throw CommandFailure.usage("--generation is " + generation + "; 1 or more are possible.");
        }
        if (checkpoint == null ? at != null : generation != null) {
            throw CommandFailure.usage(
                    checkpoint == null
                            ? "--at goes with --checkpoint: the live state is in tables."
                            : "--generation goes with the live state; a checkpoint is of one generation.");
        }
        return place.work(clients -> work.run(reader(clients)));
    }

    private StateReader reader(Optional<OperatedPlace.Clients> clients) {
        if (checkpoint != null) {
            return clients.isPresent()
                    ? StateReader.ofCheckpoint(clients.get().s3(), pipeline, bucket(), checkpoint)
                    : StateReader.ofCheckpoint(pipeline, bucket(), checkpoint);
        }
        StateReader live =
                clients.isPresent() ? StateReader.live(clients.get().dynamoDb(), pipeline) : StateReader.live(pipeline);
        return generation == null ? live : live.generation(generation);
    }

    private String bucket() {
        return at == null ? pipeline + Checkpoints.BUCKET_SUFFIX : at;
    }
}
