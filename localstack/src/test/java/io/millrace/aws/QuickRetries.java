package io.millrace.aws;

import java.time.Duration;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.retries.api.BackoffStrategy;

/** The SDK's retries as in a deployed function, without their waits. */
public final class QuickRetries {
    private static final int ATTEMPTS_MAX = 3;
    private static final BackoffStrategy AT_ONCE = BackoffStrategy.fixedDelayWithoutJitter(Duration.ofMillis(1));

    /** Quick retries for any client. */
    public static final ClientOverrideConfiguration OVERRIDE = ClientOverrideConfiguration.builder()
            .retryStrategy(AwsRetryStrategy.standardRetryStrategy().toBuilder()
                    .maxAttempts(ATTEMPTS_MAX)
                    .backoffStrategy(AT_ONCE)
                    .throttlingBackoffStrategy(AT_ONCE)
                    .circuitBreakerEnabled(false)
                    .build())
            .build();

    private QuickRetries() {}
}
