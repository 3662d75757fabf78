package io.millrace.local;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.auth.credentials.SystemPropertyCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A place where AWS's services answer, and the SDK clients for it: an {@link EmbeddedAws} or a URL. Thread-safe.
 *
 * <p>A URL on this machine gets the credentials {@code test}/{@code test} and the region {@code us-east-1} where the
 * environment configures none, since an emulator takes any; every other URL takes what the SDK's default chains give.
 */
public final class AwsEndpoint implements AutoCloseable {
    private static final Pattern LOOPBACK_HOSTS =
            Pattern.compile("localhost|.+\\.localhost|127(\\.[0-9]{1,3}){3}|\\[::1]|\\[0:0:0:0:0:0:0:1]");
    private static final StaticCredentialsProvider DUMMY_CREDENTIALS =
            StaticCredentialsProvider.create(AwsBasicCredentials.create("test", "test"));
    private static final int LOCAL_ATTEMPTS_MAX = 5;
    private static final int MOTO_ANSWER_MILLIS = 2_000;
    private static final BackoffStrategy LOCAL_BACKOFF =
            BackoffStrategy.exponentialDelay(Duration.ofMillis(5), Duration.ofMillis(200));
    private static final URI EMBEDDED = URI.create("http://localhost");

    private final URI url;
    private final SdkHttpClient httpClient;
    private final AwsCredentialsProvider credentials;
    private final Region region;
    private final boolean local;

    private AwsEndpoint(
            URI url, SdkHttpClient httpClient, AwsCredentialsProvider credentials, Region region, boolean local) {
        this.url = url;
        this.httpClient = httpClient;
        this.credentials = credentials;
        this.region = region;
        this.local = local;
    }

    /** The services of an embedded AWS, reached without a socket. */
    public static AwsEndpoint of(EmbeddedAws aws) {
        return new AwsEndpoint(
                EMBEDDED, aws.httpClient(), DUMMY_CREDENTIALS, Region.of(EmbeddedAws.DEFAULT_REGION), true);
    }

    /**
     * The services at a URL. Does not connect yet.
     *
     * @throws IllegalArgumentException if it is no http or https URL with a host
     * @throws SdkClientException if it is not on this machine and no region is configured
     */
    public static AwsEndpoint at(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (!(scheme.equals("http") || scheme.equals("https")) || url.getHost() == null) {
            throw new IllegalArgumentException("The endpoint '" + url
                    + "' is no URL of a service; one such as http://127.0.0.1:4566 is expected.");
        }
        boolean loopback = isLoopback(url);
        return new AwsEndpoint(
                url,
                UrlConnectionHttpClient.create(),
                loopback
                        ? configuredOrDummy()
                        : DefaultCredentialsProvider.builder().build(),
                loopback ? configuredOrDefaultRegion() : new DefaultAwsRegionProviderChain().getRegion(),
                loopback);
    }

    /** Whether a moto server answers here; asks it. */
    public boolean isMoto() {
        try {
            HttpURLConnection page =
                    (HttpURLConnection) url.resolve("/moto-api/").toURL().openConnection();
            page.setConnectTimeout(MOTO_ANSWER_MILLIS);
            page.setReadTimeout(MOTO_ANSWER_MILLIS);
            boolean found = page.getResponseCode() == HttpURLConnection.HTTP_OK;
            page.disconnect();
            return found;
        } catch (IOException nothingOrSomethingElseIsThere) {
            return false;
        }
    }

    /**
     * The same place, with all requests of this endpoint's clients one after the other. A moto server needs it: it undoes a
     * cancelled transaction by putting back its tables as they were before, and so loses what other requests wrote meanwhile.
     */
    public AwsEndpoint oneRequestAtATime() {
        return new AwsEndpoint(url, new OneAtATimeHttpClient(httpClient), credentials, region, local);
    }

    /**
     * The credentials and the region that this endpoint's clients use, as Lambda puts them into the environment of a
     * function; without an endpoint.
     *
     * @throws SdkClientException if none are configured
     */
    public Map<String, String> functionEnvironment() {
        AwsCredentials resolved = credentials.resolveCredentials();
        Map<String, String> environment = new TreeMap<>();
        environment.put("AWS_ACCESS_KEY_ID", resolved.accessKeyId());
        environment.put("AWS_SECRET_ACCESS_KEY", resolved.secretAccessKey());
        if (resolved instanceof AwsSessionCredentials session) {
            environment.put("AWS_SESSION_TOKEN", session.sessionToken());
        }
        environment.put("AWS_REGION", region.id());
        environment.put("AWS_DEFAULT_REGION", region.id());
        return environment;
    }

    static boolean isLoopback(URI url) {
        return LOOPBACK_HOSTS.matcher(url.getHost().toLowerCase(Locale.ROOT)).matches();
    }

    /** Without the instance metadata service, which only costs time where there is none. */
    private static AwsCredentialsProvider configuredOrDummy() {
        return AwsCredentialsProviderChain.builder()
                .credentialsProviders(List.of(
                        SystemPropertyCredentialsProvider.create(),
                        EnvironmentVariableCredentialsProvider.create(),
                        ProfileCredentialsProvider.create(),
                        DUMMY_CREDENTIALS))
                .build();
    }

    private static Region configuredOrDefaultRegion() {
        try {
            @Nullable
            Region configured = new AwsRegionProviderChain(
                            new SystemSettingsRegionProvider(), new AwsProfileRegionProvider())
                    .getRegion();
            return Objects.requireNonNullElse(configured, Region.of(EmbeddedAws.DEFAULT_REGION));
        } catch (SdkClientException notConfigured) {
            return Region.of(EmbeddedAws.DEFAULT_REGION);
        }
    }

    /** Where it is; for an embedded AWS a placeholder. */
    public URI url() {
        return url;
    }

    /** The HTTP client below the SDK clients, to be decorated by a {@link FaultInjector}. */
    public SdkHttpClient httpClient() {
        return httpClient;
    }

    /** A new DynamoDB client. */
    public DynamoDbClient dynamoDb(ExecutionInterceptor... interceptors) {
        return dynamoDb(httpClient, interceptors);
    }

    /** A new DynamoDB client over a decorated HTTP client. */
    public DynamoDbClient dynamoDb(SdkHttpClient decorated, ExecutionInterceptor... interceptors) {
        return configured(DynamoDbClient.builder(), decorated, interceptors).build();
    }

    /** A new Kinesis client. */
    public KinesisClient kinesis(ExecutionInterceptor... interceptors) {
        return kinesis(httpClient, interceptors);
    }

    /** A new Kinesis client over a decorated HTTP client. */
    public KinesisClient kinesis(SdkHttpClient decorated, ExecutionInterceptor... interceptors) {
        return configured(KinesisClient.builder(), decorated, interceptors).build();
    }

    /** A new S3 client, which on this machine names the bucket in the path: a host such as bucket.127.0.0.1 would be none. */
    public S3Client s3(ExecutionInterceptor... interceptors) {
        return s3(httpClient, interceptors);
    }

    /** A new S3 client over a decorated HTTP client. */
    public S3Client s3(SdkHttpClient decorated, ExecutionInterceptor... interceptors) {
        return configured(S3Client.builder(), decorated, interceptors)
                .forcePathStyle(local)
                .build();
    }

    private <B extends AwsClientBuilder<B, ?> & AwsSyncClientBuilder<B, ?>> B configured(
            B builder, SdkHttpClient decorated, ExecutionInterceptor... interceptors) {
        return builder.httpClient(decorated)
                .endpointOverride(url)
                .credentialsProvider(credentials)
                .region(region)
                .overrideConfiguration(settings -> {
                    settings.executionInterceptors(List.of(interceptors));
                    if (local) {
                        settings.retryStrategy(localRetries());
                    }
                });
    }

    /** The SDK's retries with shorter pauses: what is on this machine needs no second to recover. */
    private static RetryStrategy localRetries() {
        return AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(LOCAL_ATTEMPTS_MAX)
                .backoffStrategy(LOCAL_BACKOFF)
                .throttlingBackoffStrategy(LOCAL_BACKOFF)
                .circuitBreakerEnabled(false)
                .build();
    }

    /** Closes the connections. */
    @Override
    public void close() {
        httpClient.close();
    }
}
