package io.millrace.cli;

import io.millrace.local.AwsEndpoint;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.s3.S3Client;

/** Where a pipeline that a command works on runs: AWS, or a stand-in at a URL. */
final class OperatedPlace {
    private static final String ENDPOINT = "--endpoint";

    @Option(
            names = ENDPOINT,
            paramLabel = "URL",
            defaultValue = "${env:AWS_ENDPOINT_URL}",
            description = "Where its AWS stand-in answers. Default: AWS_ENDPOINT_URL if it is set, else AWS itself.")
    private @Nullable String endpoint;

    @Option(names = "--verbose", description = "Shows the stack trace of an error.")
    boolean verbose;

    /** How the place is named in another command, with a space before it; empty for AWS itself. */
    String arguments() {
        return endpoint == null || endpoint.isEmpty() ? "" : " " + ENDPOINT + " " + endpoint;
    }

    /** The ways to a stand-in for AWS. */
    record Clients(DynamoDbClient dynamoDb, KinesisClient kinesis, S3Client s3) {}

    /** What a command does there. */
    @FunctionalInterface
    interface Work {
        /**
         * Does it.
         *
         * @param clients empty for AWS itself, by the SDK's default chains
         */
        int run(Optional<Clients> clients) throws Exception;
    }

    /** Connects, does the work and closes the connections. */
    int work(Work work) throws Exception {
        if (endpoint == null || endpoint.isEmpty()) {
            return onAws(work);
        }
        URI url = RemotePlace.url(ENDPOINT, endpoint);
        try (AwsEndpoint named = RemotePlace.connect(url);
                AwsEndpoint place = named.isMoto() ? named.oneRequestAtATime() : named;
                DynamoDbClient dynamoDb = place.dynamoDb();
                KinesisClient kinesis = place.kinesis();
                S3Client s3 = place.s3()) {
            RemotePlace.checkAnswers(dynamoDb, url, ENDPOINT);
            return work.run(Optional.of(new Clients(dynamoDb, kinesis, s3)));
        }
    }

    private static int onAws(Work work) throws Exception {
        try {
            return work.run(Optional.empty());
        } catch (SdkClientException e) {
            throw CommandFailure.failed(
                    "AWS cannot be asked: " + e.getMessage()
                            + " Configure region and credentials as for the AWS command"
                            + " line, or name a stand-in with " + ENDPOINT + ".",
                    e);
        }
    }
}
