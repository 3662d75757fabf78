package io.millrace.local.internal.mapping;

import io.millrace.local.StartingPosition;
import java.time.Duration;

/** The validated configuration of a mapping. */
public record MappingSettings(
        String streamArn,
        String functionArn,
        StartingPosition startingPosition,
        int batchSize,
        Duration batchingWindow,
        boolean reportBatchItemFailures,
        boolean bisectBatchOnFunctionError,
        int maximumRetryAttempts,
        long maximumRecordAgeSeconds,
        int parallelizationFactor,
        Duration retryBackoffInitial,
        Duration retryBackoffMax,
        Duration pollInterval) {

    /** No limit: retries until the record expires, any record age. */
    public static final int UNLIMITED = -1;

    static final int BATCH_SIZE_MAX = 10_000;
    static final int BATCHING_WINDOW_SECONDS_MAX = 300;
    static final int RETRY_ATTEMPTS_MAX = 10_000;
    static final long RECORD_AGE_SECONDS_MIN = 60;
    static final long RECORD_AGE_SECONDS_MAX = 604_800;
    static final int PARALLELIZATION_FACTOR_MAX = 10;
    static final int RECORDS_PER_READ_MAX = 10_000;

    /** Lambda's limit on the payload of a synchronous invocation. */
    public static final int PAYLOAD_BYTES_MAX = 6 * 1024 * 1024;

    public MappingSettings {
        checkRange("batchSize", batchSize, 1, BATCH_SIZE_MAX);
        if (batchingWindow.isNegative()
                || batchingWindow.compareTo(Duration.ofSeconds(BATCHING_WINDOW_SECONDS_MAX)) > 0) {
            throw new IllegalArgumentException("batchingWindow is " + batchingWindow + "; it must lie between 0 and "
                    + BATCHING_WINDOW_SECONDS_MAX + " seconds");
        }
        checkRange("maximumRetryAttempts", maximumRetryAttempts, UNLIMITED, RETRY_ATTEMPTS_MAX);
        if (maximumRecordAgeSeconds != UNLIMITED) {
            checkRange(
                    "maximumRecordAge in seconds (unless -1 for no limit)",
                    maximumRecordAgeSeconds,
                    RECORD_AGE_SECONDS_MIN,
                    RECORD_AGE_SECONDS_MAX);
        }
        checkRange("parallelizationFactor", parallelizationFactor, 1, PARALLELIZATION_FACTOR_MAX);
        checkPositive("pollInterval", pollInterval);
        if (retryBackoffInitial.isNegative() || retryBackoffMax.compareTo(retryBackoffInitial) < 0) {
            throw new IllegalArgumentException("retryBackoff is " + retryBackoffInitial + " to " + retryBackoffMax
                    + "; it must not be negative and its maximum must not be below its initial value");
        }
    }

    /** How many records a shard's consumer holds in memory before it stops to read. */
    int bufferedRecordsMax() {
        return 2 * batchSize * parallelizationFactor;
    }

    /** How many payload bytes a shard's consumer holds in memory before it stops to read. */
    long bufferedBytesMax() {
        return 2L * PAYLOAD_BYTES_MAX * parallelizationFactor;
    }

    /** The delay before the n-th repetition (1 is the first): it doubles up to the maximum. */
    Duration backoff(int repetition) {
        int doublings = Math.min(Math.max(repetition - 1, 0), 20);
        Duration delay = retryBackoffInitial.multipliedBy(1L << doublings);
        return delay.compareTo(retryBackoffMax) < 0 ? delay : retryBackoffMax;
    }

    private static void checkRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " is " + value + "; an event source mapping takes " + min + " to " + max);
        }
    }

    private static void checkPositive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be positive");
        }
    }
}
