package io.millrace.cli;

import io.millrace.local.AwsEndpoint;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.s3.S3Client;

/** What all commands on a pipeline that is there are told: which one, and where it runs. */
final class OperatedPipeline {
    private static final String ENDPOINT = "--endpoint";

    @Parameters(
            index = "0",
            paramLabel = "PIPELINE",
            description = "The pipeline's name, such as flights, or its class.")
    private String name = "";

    @Option(names = "--jar", paramLabel = "FILE", description = "Takes the pipeline from your own jar.")
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
    private boolean verbose;

    boolean json() {
        return json;
    }

    boolean verbose() {
        return verbose;
    }

    String name() {
        return name;
    }

    /** How the pipeline and the place are named in another command. */
    String arguments() {
        return name + (jar == null ? "" : " --jar " + jar) + (endpoint == null ? "" : " " + ENDPOINT + " " + endpoint);
    }

    /** The ways to a stand-in for AWS. */
    record Clients(DynamoDbClient dynamoDb, KinesisClient kinesis, S3Client s3) {}

    /** What a command does with a pipeline. */
    @FunctionalInterface
    interface Work {
        /**
         * Does it.
         *
         * @param clients empty for AWS itself, by the SDK's default chains
         */
        int run(FoundPipeline found, Optional<Clients> clients) throws Exception;
    }

    /** Connects, does the work and closes the connections. */
    int work(Work work) throws Exception {
        try (PipelineCatalog catalog = PipelineCatalog.of(jar)) {
            FoundPipeline found = catalog.find(name);
            return found.inItsClassLoader(() -> work(found, work));
        }
    }

    private int work(FoundPipeline found, Work work) throws Exception {
        if (endpoint == null || endpoint.isEmpty()) {
            return onAws(() -> work.run(found, Optional.empty()));
        }
        URI url = RemotePlace.url(ENDPOINT, endpoint);
        try (AwsEndpoint named = RemotePlace.connect(url);
                AwsEndpoint place = named.isMoto() ? named.oneRequestAtATime() : named;
                DynamoDbClient dynamoDb = place.dynamoDb();
                KinesisClient kinesis = place.kinesis();
                S3Client s3 = place.s3()) {
            RemotePlace.checkAnswers(dynamoDb, url, ENDPOINT);
            return work.run(found, Optional.of(new Clients(dynamoDb, kinesis, s3)));
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
