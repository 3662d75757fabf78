package io.millrace.cli;

import io.millrace.local.AwsEndpoint;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** An AWS, or a stand-in for it, at a URL that the user named. */
final class RemotePlace {
    /** What is said of a moto server. */
    static final String MOTO_NOTE = "The endpoint is a moto server, whose cancelled transactions undo what others wrote"
            + " meanwhile: requests go one at a time.";

    private static final Duration FIRST_ANSWER_TIMEOUT = Duration.ofSeconds(15);

    private RemotePlace() {}

    /** The URL that an option gives. */
    static URI url(String option, String text) {
        try {
            URI url = new URI(text);
            String scheme = url.getScheme();
            if (("http".equals(scheme) || "https".equals(scheme)) && url.getHost() != null) {
                return url;
            }
        } catch (URISyntaxException e) {
            throw CommandFailure.usage(notAUrl(option, text), e);
        }
        throw CommandFailure.usage(notAUrl(option, text));
    }

    private static String notAUrl(String option, String text) {
        return option + " is '" + text + "'; a URL such as http://127.0.0.1:4566 is expected.";
    }

    /** Speaks JSON to Kinesis, as the SDK's setting asks of this whole process: some stand-ins read no CBOR. */
    static AwsEndpoint connect(URI url) {
        System.setProperty(SdkSystemSetting.CBOR_ENABLED.property(), "false");
        try {
            return AwsEndpoint.at(url);
        } catch (SdkClientException e) {
            throw CommandFailure.failed(
                    "The endpoint " + url + " is not on this machine, and no AWS region is configured for it ("
                            + e.getMessage() + "). Set AWS_REGION.",
                    e);
        }
    }

    /** Fails where no Kinesis answers; {@code option} is what named the place. */
    static void checkAnswers(KinesisClient kinesis, @Nullable URI url, String option) {
        checkAnswers(
                () -> kinesis.listStreams(request ->
                        request.overrideConfiguration(limits -> limits.apiCallTimeout(FIRST_ANSWER_TIMEOUT))),
                url,
                option);
    }

    /** Fails where no DynamoDB answers. */
    static void checkAnswers(DynamoDbClient dynamoDb, @Nullable URI url, String option) {
        checkAnswers(
                () -> dynamoDb.listTables(request ->
                        request.overrideConfiguration(limits -> limits.apiCallTimeout(FIRST_ANSWER_TIMEOUT))),
                url,
                option);
    }

    private static void checkAnswers(Runnable request, @Nullable URI url, String option) {
        try {
            request.run();
        } catch (SdkException e) {
            boolean silent = e instanceof SdkClientException;
            throw CommandFailure.failed(
                    (silent ? "Nothing answers as AWS at " : "What answers is not usable as AWS at ") + url + ": "
                            + firstLine(CommandFailure.rootOf(e).getMessage())
                            + ". Start a stand-in with ./millrace local, or leave out " + option + ".",
                    e);
        }
    }

    private static String firstLine(@Nullable String text) {
        return String.valueOf(text).lines().findFirst().orElse("");
    }
}
