package io.millrace.local;

import io.millrace.local.internal.mapping.KinesisShardSource;
import io.millrace.local.internal.mapping.MappingRunner;
import io.millrace.local.internal.mapping.MappingSettings;
import io.millrace.local.internal.mapping.ShardSource;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * Leads a Kinesis stream into a function as Lambda's event source mapping does: shard order (parents before children),
 * batches, partial responses, bisect, retries, record age, time-outs, the on-failure destination. Delivery is at least
 * once. The checkpoints live in memory: a new mapping starts at its starting position.
 *
 * <p>Where AWS's documentation is silent, this mapping does the harsher thing: a partial response counts as a retry of
 * what is left (unless bisect is on and the response cuts something off), and what is left is not refilled with new
 * records.
 *
 * <p>Thread-safe.
 */
public final class EventSourceMapping implements AutoCloseable {
    private final MappingRunner runner;
    private final FunctionInvoker invoker;
    private final AtomicBoolean started = new AtomicBoolean();

    private EventSourceMapping(MappingRunner runner, FunctionInvoker invoker) {
        this.runner = runner;
        this.invoker = invoker;
    }

    /** A mapping of a stream to a function. */
    public static Builder builder(KinesisClient kinesis, String streamName, FunctionInvoker function) {
        KinesisShardSource source = new KinesisShardSource(kinesis, streamName);
        return new Builder(source, function);
    }

    /** A mapping over another source of shards. */
    static Builder builder(ShardSource source, String streamArn, FunctionInvoker function) {
        return new Builder(source, function).streamArn(streamArn);
    }

    /**
     * Begins to read and to invoke.
     *
     * @throws IllegalStateException if it was started before
     */
    public void start() {
        if (!started.compareAndSet(false, true)) {
            throw new IllegalStateException("This mapping was started before; build another one to start again");
        }
        runner.start();
    }

    /**
     * Waits until all shards are read to the tip, closed ones to their end, and every batch is acknowledged or given up.
     * All records that were in the stream when this was called are covered.
     *
     * @return false if that did not happen within {@code timeout}
     * @throws IllegalStateException if the mapping is not running, or broke by an error of its own
     */
    public boolean awaitDrained(Duration timeout) throws InterruptedException {
        if (!started.get()) {
            throw new IllegalStateException("This mapping was not started, so it will not drain the stream");
        }
        return runner.awaitDrained(timeout);
    }

    /**
     * Waits for the invocations that go on although the mapping took them for ended.
     *
     * @return false if some still run after {@code timeout}
     */
    public boolean awaitZombies(Duration timeout) throws InterruptedException {
        return invoker.awaitZombies(timeout);
    }

    public MappingStatistics statistics() {
        return runner.statistics();
    }

    /** Stops reading, waits for running invocations (at most the function's time-out), and ends all threads but zombies'. */
    @Override
    public void close() {
        runner.close();
    }

    /** Configures a mapping; the defaults are Lambda's, except for the local pauses. Not thread-safe. */
    public static final class Builder {
        private static final Duration FUNCTION_TIMEOUT_MAX = Duration.ofMinutes(15);

        private final ShardSource source;
        private final FunctionInvoker function;
        private final List<EventSourceMappingListener> listeners = new ArrayList<>();
        private @Nullable String streamArn;
        private String functionArn = "arn:aws:lambda:us-east-1:000000000000:function:local";
        private StartingPosition startingPosition = StartingPosition.trimHorizon();
        private int batchSize = 100;
        private Duration batchingWindow = Duration.ZERO;
        private boolean reportBatchItemFailures;
        private boolean bisectBatchOnFunctionError;
        private int maximumRetryAttempts = MappingSettings.UNLIMITED;
        private long maximumRecordAgeSeconds = MappingSettings.UNLIMITED;
        private int parallelizationFactor = 1;
        private Duration functionTimeout = Duration.ofSeconds(60);
        private int concurrencyMax = 16;
        private Duration retryBackoffInitial = Duration.ofMillis(5);
        private Duration retryBackoffMax = Duration.ofMillis(500);
        private Duration pollInterval = Duration.ofMillis(50);
        private Duration discoveryInterval = Duration.ofMillis(500);
        private Clock clock = Clock.systemUTC();
        private @Nullable FailureDestination failureDestination;
        private @Nullable MappingChaos chaos;

        private Builder(ShardSource source, FunctionInvoker function) {
            this.source = source;
            this.function = function;
        }

        private Builder streamArn(String value) {
            streamArn = value;
            return this;
        }

        /** The ARN of the function, for the reports on discarded batches. */
        public Builder functionArn(String value) {
            functionArn = value;
            return this;
        }

        /** Where to begin; default the trim horizon. */
        public Builder startingPosition(StartingPosition value) {
            startingPosition = value;
            return this;
        }

        /** The most records of an invocation, 1 to 10,000; default 100. A batch is also cut at 6 MB of payload. */
        public Builder batchSize(int value) {
            batchSize = value;
            return this;
        }

        /** How long to gather records for a full batch, 0 (the default) to 300 s. */
        public Builder batchingWindow(Duration value) {
            batchingWindow = value;
            return this;
        }

        /** Whether the function's response is read at all; default false, and then a returned failure is a success. */
        public Builder reportBatchItemFailures(boolean value) {
            reportBatchItemFailures = value;
            return this;
        }

        /** Whether a failed batch is split, which costs no retry; default false. */
        public Builder bisectBatchOnFunctionError(boolean value) {
            bisectBatchOnFunctionError = value;
            return this;
        }

        /** Retries after the first attempt, 0 to 10,000, or -1 (the default): until the record expires. */
        public Builder maximumRetryAttempts(int value) {
            maximumRetryAttempts = value;
            return this;
        }

        /** The age behind which a record is given up, 60 to 604,800 s, or -1 (the default): the stream's retention. */
        public Builder maximumRecordAgeSeconds(long value) {
            maximumRecordAgeSeconds = value;
            return this;
        }

        /** Concurrent batches of one shard, 1 (the default) to 10; above 1 the order holds per partition key only. */
        public Builder parallelizationFactor(int value) {
            parallelizationFactor = value;
            return this;
        }

        /** The function's time-out, up to 15 min; default 60 s. */
        public Builder functionTimeout(Duration value) {
            functionTimeout = value;
            return this;
        }

        /** The most invocations that run at the same time; default 16. */
        public Builder concurrencyMax(int value) {
            concurrencyMax = value;
            return this;
        }

        /** The pause before a repetition: it doubles from the initial value to the maximum; default 5 to 500 ms. */
        public Builder retryBackoff(Duration initial, Duration max) {
            retryBackoffInitial = initial;
            retryBackoffMax = max;
            return this;
        }

        /** The pause after a read at the tip; default 50 ms (Lambda: 1 s). */
        public Builder pollInterval(Duration value) {
            pollInterval = value;
            return this;
        }

        /** How often the shards are listed; also done whenever a shard finishes. Default 500 ms. */
        public Builder discoveryInterval(Duration value) {
            discoveryInterval = value;
            return this;
        }

        /** The clock of record ages, windows and deadlines; default the system's. It must go at the pace of real time. */
        public Builder clock(Clock value) {
            clock = value;
            return this;
        }

        /** Where batches that are given up are reported; default nowhere. */
        public Builder onFailure(FailureDestination value) {
            failureDestination = value;
            return this;
        }

        /** Lets the mapping crash, time out, repeat and recompose invocations; default none. */
        public Builder chaos(MappingChaos value) {
            chaos = value;
            return this;
        }

        public Builder listener(EventSourceMappingListener value) {
            listeners.add(value);
            return this;
        }

        /**
         * Builds the mapping without starting it. Asks the stream for its ARN.
         *
         * @throws IllegalArgumentException if a value is out of the range that Lambda accepts
         */
        public EventSourceMapping build() {
            checkTimes();
            String arn = streamArn;
            if (arn == null) {
                arn = ((KinesisShardSource) source).streamArn();
            }
            MappingSettings settings = new MappingSettings(
                    arn,
                    functionArn,
                    startingPosition,
                    batchSize,
                    batchingWindow,
                    reportBatchItemFailures,
                    bisectBatchOnFunctionError,
                    maximumRetryAttempts,
                    maximumRecordAgeSeconds,
                    parallelizationFactor,
                    retryBackoffInitial,
                    retryBackoffMax,
                    pollInterval);
            FunctionInvoker invoker = function;
            List<EventSourceMappingListener> allListeners = new ArrayList<>(listeners);
            if (chaos != null) {
                invoker = chaos.decorate(function, batchSize, reportBatchItemFailures);
                allListeners.add(chaos.listener());
            }
            MappingRunner.Parts parts = new MappingRunner.Parts(
                    source,
                    invoker,
                    settings,
                    functionTimeout,
                    concurrencyMax,
                    discoveryInterval,
                    clock,
                    failureDestination,
                    allListeners);
            return new EventSourceMapping(new MappingRunner(parts), invoker);
        }

        private void checkTimes() {
            if (functionTimeout.isNegative()
                    || functionTimeout.isZero()
                    || functionTimeout.compareTo(FUNCTION_TIMEOUT_MAX) > 0) {
                throw new IllegalArgumentException("functionTimeout is " + functionTimeout
                        + "; Lambda takes 1 s to 15 min, a local one may be shorter");
            }
            if (concurrencyMax < 1) {
                throw new IllegalArgumentException(
                        "concurrencyMax is " + concurrencyMax + "; at least 1 invocation must be able to run");
            }
            if (discoveryInterval.isNegative() || discoveryInterval.isZero()) {
                throw new IllegalArgumentException(
                        "discoveryInterval is " + discoveryInterval + "; it must be positive");
            }
        }
    }
}
