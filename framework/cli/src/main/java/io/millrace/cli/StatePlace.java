package io.millrace.cli;

import io.millrace.aws.Checkpoints;
import io.millrace.aws.StateReader;
import io.millrace.local.AwsEndpoint;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.s3.S3Client;

/** What all commands on state are told: of which pipeline and generation, and where it runs. */
final class StatePlace {
    private static final String ENDPOINT = "--endpoint";

    @Parameters(
            index = "0",
            paramLabel = "PIPELINE",
            description = "The pipeline's name, such as flights: its tables begin with it.")
    private String pipeline = "";

    @Option(
            names = ENDPOINT,
            paramLabel = "URL",
            defaultValue = "${env:AWS_ENDPOINT_URL}",
            description = "Where its AWS stand-in answers. Default: AWS_ENDPOINT_URL if it is set, else AWS itself.")
    private @Nullable String endpoint;

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

    @Option(names = "--verbose", description = "Shows the stack trace of an error.")
    boolean verbose;

    /** How the pipeline and the place are named in another command. */
    String arguments() {
        return pipeline
                + (hasEndpoint() ? " " + ENDPOINT + " " + endpoint : "")
                + (generation == null ? "" : " --generation " + generation)
                + (checkpoint == null ? "" : " --checkpoint " + checkpoint)
                + (at == null ? "" : " --at " + at);
    }

    private boolean hasEndpoint() {
        return endpoint != null && !endpoint.isEmpty();
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
        if (endpoint == null || !hasEndpoint()) {
            try {
                return work.run(
                        checkpoint == null
                                ? ofGeneration(StateReader.live(pipeline))
                                : StateReader.ofCheckpoint(pipeline, bucket(), checkpoint));
            } catch (SdkClientException e) {
                throw CommandFailure.failed(
                        "AWS cannot be asked: " + e.getMessage()
                                + " Configure region and credentials as for the AWS command"
                                + " line, or name a stand-in with " + ENDPOINT + ".",
                        e);
            }
        }
        URI url = RemotePlace.url(ENDPOINT, endpoint);
        try (AwsEndpoint named = RemotePlace.connect(url);
                AwsEndpoint place = named.isMoto() ? named.oneRequestAtATime() : named;
                DynamoDbClient dynamoDb = place.dynamoDb();
                S3Client s3 = place.s3()) {
            RemotePlace.checkAnswers(dynamoDb, url, ENDPOINT);
            return work.run(
                    checkpoint == null
                            ? ofGeneration(StateReader.live(dynamoDb, pipeline))
                            : StateReader.ofCheckpoint(s3, pipeline, bucket(), checkpoint));
        }
    }

    private String bucket() {
        return at == null ? pipeline + Checkpoints.BUCKET_SUFFIX : at;
    }

    private StateReader ofGeneration(StateReader state) {
        return generation == null ? state : state.generation(generation);
    }
}
