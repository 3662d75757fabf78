package io.millrace.cli;

import io.millrace.aws.DeadLetters;
import io.millrace.local.AwsEndpoint;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** What all commands on dead letters are told: of which pipeline, and where it runs. */
final class DeadLettersPlace {
    private static final String ENDPOINT = "--endpoint";

    @Parameters(
            index = "0",
            paramLabel = "PIPELINE",
            description = "The pipeline's name, such as flights, or its class.")
    private String pipeline = "";

    @Option(
            names = "--jar",
            paramLabel = "FILE",
            description = "Takes the pipeline from your own jar. A redrive runs its code.")
    private @Nullable Path jar;

    @Option(
            names = ENDPOINT,
            paramLabel = "URL",
            defaultValue = "${env:AWS_ENDPOINT_URL}",
            description = "Where its AWS stand-in answers. Default: AWS_ENDPOINT_URL if it is set, else AWS itself.")
    private @Nullable String endpoint;

    @Option(names = "--json", description = "Prints one JSON object a line.")
    private boolean json;

    @Option(names = "--verbose", description = "Shows the stack trace of an error.")
    boolean verbose;

    boolean json() {
        return json;
    }

    String pipeline() {
        return pipeline;
    }

    /** How the pipeline and the place are named in another command. */
    String arguments() {
        return pipeline
                + (jar == null ? "" : " --jar " + jar)
                + (endpoint == null ? "" : " " + ENDPOINT + " " + endpoint);
    }

    /** What a command does with the dead letters. */
    @FunctionalInterface
    interface Work {
        int run(DeadLetters deadLetters) throws Exception;
    }

    /** Connects, does the work and closes the connections. */
    int work(Work work) throws Exception {
        try (PipelineCatalog catalog = PipelineCatalog.of(jar)) {
            FoundPipeline found = catalog.find(pipeline);
            return found.inItsClassLoader(() -> work(found, work));
        }
    }

    private int work(FoundPipeline found, Work work) throws Exception {
        if (endpoint == null || endpoint.isEmpty()) {
            return onAws(() ->
                    work.run(DeadLetters.builder().pipeline(found.definition()).build()));
        }
        URI url = RemotePlace.url(ENDPOINT, endpoint);
        try (AwsEndpoint named = RemotePlace.connect(url);
                AwsEndpoint place = named.isMoto() ? named.oneRequestAtATime() : named;
                DynamoDbClient dynamoDb = place.dynamoDb();
                KinesisClient kinesis = place.kinesis()) {
            RemotePlace.checkAnswers(dynamoDb, url, ENDPOINT);
            return work.run(DeadLetters.builder()
                    .pipeline(found.definition())
                    .dynamoDb(dynamoDb)
                    .kinesis(kinesis)
                    .build());
        }
    }

    private static int onAws(Callable<Integer> work) throws Exception {
        try {
            return work.call();
        } catch (SdkClientException e) {
            throw CommandFailure.failed(
                    "AWS cannot be asked: " + e.getMessage()
                            + " Configure region and credentials as for the AWS command"
                            + " line, or name a stand-in with " + ENDPOINT + ".",
                    e);
        }
    }
}
