package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.s3.S3Client;

class AwsEndpointTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://localhost:4566",
                "http://LOCALHOST",
                "http://127.0.0.1:1",
                "https://127.1.2.3",
                "http://[::1]:4566",
                "http://aws.localhost"
            })
    void urlsOfThisMachineAreKnown(String url) {
        assertThat(AwsEndpoint.isLoopback(URI.create(url))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://localhost.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1", "http://[::2]"
            })
    void othersAreNot(String url) {
        assertThat(AwsEndpoint.isLoopback(URI.create(url))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:4566", "ftp://localhost", "http:///path", "file:/tmp"})
    void whatIsNoUrlOfAServiceIsRefused(String url) {
        assertThatThrownBy(() -> AwsEndpoint.at(URI.create(url)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + url + "'")
                .hasMessageContaining("http://127.0.0.1:4566");
    }

    @Test
    void anEndpointOnThisMachineNeedsNoConfiguration() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                AwsEndpoint remote = AwsEndpoint.at(server.endpoint());
                AwsEndpoint inside = AwsEndpoint.of(aws);
                KinesisClient producer = remote.kinesis();
                KinesisClient reader = inside.kinesis()) {
            producer.createStream(request -> request.streamName("orders").shardCount(1));
            assertThat(reader.listStreams().streamNames()).containsExactly("orders");
        }
    }

    @Test
    void bucketIsReachedFromBothSides() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                AwsEndpoint remote = AwsEndpoint.at(server.endpoint());
                AwsEndpoint inside = AwsEndpoint.of(aws);
                S3Client writer = remote.s3();
                S3Client reader = inside.s3()) {
            writer.createBucket(request -> request.bucket("checkpoints"));
            writer.putObject(request -> request.bucket("checkpoints").key("cp/1"), RequestBody.fromString("state"));
            assertThat(reader.getObjectAsBytes(
                                    request -> request.bucket("checkpoints").key("cp/1"))
                            .asUtf8String())
                    .isEqualTo("state");
        }
    }

    @Test
    void aFunctionsEnvironmentHasTheCredentialsAndTheRegion() {
        try (EmbeddedAws aws = EmbeddedAws.create();
                AwsEndpoint endpoint = AwsEndpoint.of(aws)) {
            assertThat(endpoint.functionEnvironment())
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            "AWS_ACCESS_KEY_ID",
                            "test",
                            "AWS_SECRET_ACCESS_KEY",
                            "test",
                            "AWS_REGION",
                            "us-east-1",
                            "AWS_DEFAULT_REGION",
                            "us-east-1"));
        }
    }
}
