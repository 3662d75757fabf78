package io.millrace.local.internal.dynamodb;

import java.net.URI;
import java.time.Clock;
import org.junit.jupiter.api.Assumptions;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;

/**
 * The endpoints that the contract suite runs against. A suite is a {@code @ParameterizedClass} with an {@code @EnumSource}
 * of this type, starts the endpoint before each invocation of the class, and closes it afterwards.
 */
enum ContractEndpoint {
    /** The simulated DynamoDB as the SDK's HTTP client. */
    EMBEDDED,
    /** A moto server, where its command is installed. */
    MOTO,
    /** Whatever the system property {@value #ENDPOINT_PROPERTY} names. */
    CONFIGURED;

    private static final String ENDPOINT_PROPERTY = "millrace.contract.endpoint";

    /** Starts the endpoint, or skips the test and says why. */
    Running start() {
        return switch (this) {
            case EMBEDDED -> embedded();
            case MOTO -> moto();
            case CONFIGURED -> configured();
        };
    }

    private Running embedded() {
        DynamoDbService service = new DynamoDbService(Clock.systemUTC(), "us-east-1", "000000000000");
        return new Running(
                this, URI.create("http://embedded.invalid"), new DynamoDbServiceHttpClient(service), () -> {});
    }

    private Running moto() {
        skipUnless(MotoServer.isInstalled(), "there is no moto_server command on the PATH");
        MotoServer moto = MotoServer.start();
        return new Running(this, moto.endpoint(), UrlConnectionHttpClient.create(), moto::close);
    }

    private Running configured() {
        String uri = System.getProperty(ENDPOINT_PROPERTY);
        skipUnless(uri != null, "the system property " + ENDPOINT_PROPERTY + " names no endpoint");
        return new Running(this, URI.create(String.valueOf(uri)), UrlConnectionHttpClient.create(), () -> {});
    }

    private void skipUnless(boolean condition, String otherwise) {
        if (!condition) {
            System.out.println("Contract suite on " + this + " skipped: " + otherwise);
            Assumptions.abort("skipped on " + this + ": " + otherwise);
        }
    }

    /** A started endpoint. Close it to stop what was started for it. */
    static final class Running implements AutoCloseable {
        private final ContractEndpoint kind;
        private final URI uri;
        private final SdkHttpClient http;
        private final Runnable stop;

        private Running(ContractEndpoint kind, URI uri, SdkHttpClient http, Runnable stop) {
            this.kind = kind;
            this.uri = uri;
            this.http = http;
            this.stop = stop;
        }

        /** A client of this endpoint, such as {@code running.client(DynamoDbClient.builder())}. */
        <B extends AwsSyncClientBuilder<B, C> & AwsClientBuilder<B, C>, C> C client(B builder) {
            return builder.endpointOverride(uri)
                    .httpClient(http)
                    .region(Region.US_EAST_1)
                    .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")))
                    .build();
        }

        /**
         * Skips the rest of a test, in the open, where that endpoint is known to differ from AWS.
         *
         * @param difference what the endpoint does that AWS does not
         */
        void difference(ContractEndpoint where, String difference) {
            if (kind == where) {
                System.out.println("Difference of " + where + " from AWS: " + difference);
                Assumptions.abort(where + " differs from AWS: " + difference);
            }
        }

        @Override
        public void close() {
            http.close();
            stop.run();
        }
    }
}
