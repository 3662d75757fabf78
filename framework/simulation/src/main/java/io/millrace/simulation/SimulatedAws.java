package io.millrace.simulation;

import io.millrace.local.EmbeddedAws;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import io.millrace.local.ItemChangeListener;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * The embedded AWS of one simulation, behind AWS's own SDK: each request of a simulated process pauses before it is
 * executed and again before its answer arrives, and may meet a fault. Requests of the simulation itself pass at once.
 *
 * <p>The SDK's clients are shared by all simulations of the JVM, since they are expensive to make. A request of a fiber goes
 * to the AWS of its process; one of another thread to the AWS that this thread has made last and not closed yet.
 */
final class SimulatedAws implements AutoCloseable {
    private static final int SDK_ATTEMPTS_MAX = 3;
    private static final int SDK_BACKOFF_MILLIS = 50;
    private static final Set<String> CELL_OPERATIONS = Set.of("BatchGetItem", "TransactWriteItems");
    private static final String QUERY = "Query";

    /** A sweep asks the index for each bucket, most of which are empty: most of these requests pass at once. */
    private static final int PAUSED_QUERIES_ONE_IN = 6;

    private static final ThreadLocal<@Nullable SimulatedAws> OF_THREAD = new ThreadLocal<>();

    static final DynamoDbClient DYNAMO_DB = DynamoDbClient.builder()
            .httpClient(new Dispatch())
            .overrideConfiguration(override())
            .credentialsProvider(AnonymousCredentialsProvider.create())
            .region(Region.of(EmbeddedAws.DEFAULT_REGION))
            .build();
    static final KinesisClient KINESIS = KinesisClient.builder()
            .httpClient(new Dispatch())
            .overrideConfiguration(override())
            .credentialsProvider(AnonymousCredentialsProvider.create())
            .region(Region.of(EmbeddedAws.DEFAULT_REGION))
            .build();

    private final EmbeddedAws aws;
    private final FaultInjector faults;
    private final SdkHttpClient direct;
    private final SdkHttpClient faulty;
    private final SplittableRandom random;
    private final VirtualClock clock;
    private Instant cellsUnreachableUntil = Instant.MIN;

    SimulatedAws(VirtualClock clock, Scenario scenario, SplittableRandom random, ItemChangeListener listener) {
        this.random = random;
        this.clock = clock;
        this.aws = EmbeddedAws.builder()
                .clock(clock)
                .seed(random.nextLong())
                .shortSequenceNumbers(scenario.shortSequenceNumbers())
                .itemChangeListener(listener)
                .build();
        this.faults = scenario.weather().injector(random.nextLong(), SimulatedAws::sleep);
        this.direct = aws.httpClient();
        this.faulty = faults.decorate(direct);
        OF_THREAD.set(this);
    }

    private static ClientOverrideConfiguration override() {
        BackoffStrategy inVirtualTime = attempt -> {
            SimulatedAws current = current();
            sleep(Duration.ofMillis(current.random.nextInt(SDK_BACKOFF_MILLIS)));
            return Duration.ZERO;
        };
        return ClientOverrideConfiguration.builder()
                .retryStrategy(AwsRetryStrategy.standardRetryStrategy().toBuilder()
                        .maxAttempts(SDK_ATTEMPTS_MAX)
                        .backoffStrategy(inVirtualTime)
                        .throttlingBackoffStrategy(inVirtualTime)
                        .circuitBreakerEnabled(false)
                        .build())
                .build();
    }

    private static void sleep(Duration duration) {
        Fiber fiber = Fiber.current();
        if (fiber != null) {
            fiber.sleep(duration);
        }
    }

    private static SimulatedAws current() {
        Fiber fiber = Fiber.current();
        SimulatedAws aws = fiber == null ? OF_THREAD.get() : fiber.process().aws();
        if (aws == null) {
            throw new IllegalStateException("This thread belongs to no simulation.");
        }
        return aws;
    }

    /** Deletes what has expired, as DynamoDB does at some time. */
    int deleteExpiredItems() {
        return aws.deleteExpiredItems();
    }

    /** Lets no function reach the cells for so long, while the lanes' records can be read and written. */
    void makeCellsUnreachable(Duration duration) {
        cellsUnreachableUntil = clock.instant().plus(duration);
    }

    /** How often requests met each fault. */
    Map<Fault, Long> injected() {
        return faults.injected();
    }

    private HttpExecuteResponse execute(HttpExecuteRequest request) throws IOException {
        Fiber fiber = Fiber.current();
        if (fiber == null) {
            return direct.prepareRequest(request).call();
        }
        String operation = operationOf(request);
        if (operation.equals(QUERY) && random.nextInt(PAUSED_QUERIES_ONE_IN) > 0) {
            return direct.prepareRequest(request).call();
        }
        fiber.pauseBefore(operation);
        HttpExecuteResponse response;
        try {
            if (CELL_OPERATIONS.contains(operation) && clock.instant().isBefore(cellsUnreachableUntil)) {
                throw new ConnectException("The table of the cells cannot be reached (simulated)");
            }
            response = faulty.prepareRequest(request).call();
        } catch (IOException lost) {
            fiber.pauseAfter(operation);
            throw lost;
        }
        fiber.pauseAfter(operation);
        return response;
    }

    private static String operationOf(HttpExecuteRequest request) {
        String target =
                request.httpRequest().firstMatchingHeader("X-Amz-Target").orElse("?");
        return target.substring(target.indexOf('.') + 1);
    }

    @Override
    public void close() {
        OF_THREAD.remove();
        aws.close();
    }

    /** Sends a request to the AWS of the simulation that makes it. */
    private static final class Dispatch implements SdkHttpClient {
        @Override
        public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
            return new ExecutableHttpRequest() {
                @Override
                public HttpExecuteResponse call() throws IOException {
                    return current().execute(request);
                }

                @Override
                public void abort() {
                    // An answer in memory needs no abort.
                }
            };
        }

        @Override
        public void close() {
            // Shared by all simulations of the JVM.
        }
    }
}
