package io.millrace.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import org.junit.jupiter.api.Assumptions;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;

/**
 * The endpoints that a contract suite runs against. A suite is a {@code @ParameterizedClass} with an {@code @EnumSource}
 * of this type, starts the endpoint before each invocation of the class, and closes it afterwards.
 */
enum ContractEndpoint {
    /** The embedded AWS as the SDK's HTTP client. */
    EMBEDDED,
    /** The embedded AWS on a port. */
    EMBEDDED_ON_PORT,
    /** A moto server, where its command is installed. */
    MOTO,
    /** Whatever the system property {@value #ENDPOINT_PROPERTY} names. */
    CONFIGURED;

    private static final String ENDPOINT_PROPERTY = "millrace.contract.endpoint";

    /** Starts the endpoint, or skips the test and says why. */
    Running start() {
        return switch (this) {
            case EMBEDDED -> embedded();
            case EMBEDDED_ON_PORT -> embeddedOnPort();
            case MOTO -> moto();
            case CONFIGURED -> configured();
        };
    }

    private Running embedded() {
        EmbeddedAws aws = EmbeddedAws.create();
        return new Running(this, URI.create("http://embedded.invalid"), aws.httpClient(), aws::close);
    }

    private Running embeddedOnPort() {
        EmbeddedAws aws = EmbeddedAws.create();
        try {
            URI uri = aws.listen("127.0.0.1", 0).endpoint();
            return new Running(this, uri, UrlConnectionHttpClient.create(), aws::close);
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded AWS cannot listen", e);
        }
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
            skip(otherwise);
        }
    }

    private void skip(String reason) {
        System.out.println("Contract suite on " + this + " skipped: " + reason);
        Assumptions.abort("skipped on " + this + ": " + reason);
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

        /** A client of this endpoint, such as {@code running.client(KinesisClient.builder())}. */
        <B extends AwsSyncClientBuilder<B, C> & AwsClientBuilder<B, C>, C> C client(B builder) {
            // moto understands JSON only, and the SDK reads this setting when a client is built.
            String cborProperty = SdkSystemSetting.CBOR_ENABLED.property();
            String before = System.getProperty(cborProperty);
            System.setProperty(cborProperty, Boolean.toString(kind != MOTO));
            try {
                return builder.endpointOverride(uri)
                        .httpClient(http)
                        .region(Region.US_EAST_1)
                        .credentialsProvider(
                                StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")))
                        .build();
            } finally {
                if (before == null) {
                    System.clearProperty(cborProperty);
                } else {
                    System.setProperty(cborProperty, before);
                }
            }
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
