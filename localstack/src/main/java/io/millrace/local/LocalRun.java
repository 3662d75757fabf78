package io.millrace.local;

import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.aws.BatchReport;
import io.millrace.aws.MillraceFunction;
import io.millrace.aws.Provisioning;
import io.millrace.aws.RequestMeter;
import io.millrace.aws.TickHandler;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.Record;

/**
 * A whole pipeline on this machine, against any endpoint: for each stage an event source mapping, a schedule of ticks and
 * function instances, as on Lambda. Streams and tables that are missing are created; those that exist are gone on with.
 *
 * <p>Closing it stops the mappings and leaves streams and tables. Thread-safe once started.
 */
public final class LocalRun implements AutoCloseable {
    private static final Duration STREAM_ACTIVE_TIMEOUT = Duration.ofMinutes(2);
    /** The default of {@link Builder#batchRecords}. */
    public static final int BATCH_RECORDS = 500;

    /** The default of {@link Builder#tickPeriod}; on AWS it is a minute. */
    public static final Duration TICK_PERIOD = Duration.ofSeconds(1);

    /** Ticks come often here, so what a tick that died holds need not be kept from the next ones for long. */
    private static final Duration SWEEP_LEASE = Duration.ofSeconds(1);

    private static final Duration TICK_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration TICKS_END_TIMEOUT = Duration.ofMinutes(2);

    private final Supplier<? extends PipelineDefinition> definitions;
    private final PipelinePlan plan;
    private final AwsEndpoint endpoint;
    private final AwsEndpoint kinesisEndpoint;
    private final @Nullable Function<String, FunctionInvoker> functions;
    private final @Nullable Function<String, TickInvoker> tickFunctions;
    private final int batchRecords;
    private final int concurrencyMax;
    private final RequestMeter meter = new RequestMeter();
    private final IoExecutor io = IoExecutor.create();
    private final @Nullable MappingChaos chaos;
    private final @Nullable FaultInjector faults;
    private final @Nullable TickChaos tickChaos;
    private final KinesisClient mappingKinesis;
    private final LocalTicks ticks;
    private final List<EventSourceMapping> mappings = new ArrayList<>();
    private final LongAdder invocations = new LongAdder();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder conflicts = new LongAdder();
    private final LongAdder deadLetters = new LongAdder();
    private final LongAdder timersFired = new LongAdder();
    private final LongAdder late = new LongAdder();
    private volatile @Nullable String lastFailure;

    private LocalRun(Builder builder) {
        this.definitions = builder.definitions;
        this.plan = PipelineBuilder.plan(definitions.get());
        this.endpoint = builder.endpoint;
        this.kinesisEndpoint = builder.kinesisEndpoint;
        this.functions = builder.functions;
        this.tickFunctions = builder.ticks;
        this.batchRecords = builder.batchRecords;
        this.concurrencyMax = builder.concurrencyMax;
        Long chaosSeed = builder.chaosSeed;
        this.chaos = chaosSeed == null ? null : MappingChaos.seeded(chaosSeed);
        this.faults = chaosSeed == null ? null : FaultInjector.seeded(chaosSeed);
        this.tickChaos = chaosSeed == null ? null : new TickChaos(chaosSeed);
        this.mappingKinesis = kinesisEndpoint.kinesis(
                faults == null ? kinesisEndpoint.httpClient() : faults.decorate(kinesisEndpoint.httpClient()));
        this.ticks = new LocalTicks(tickedStages(), builder.tickPeriod, TICK_TIMEOUT, tickChaos);
    }

    /**
     * A run of a pipeline.
     *
     * @param definitions makes a definition for each function instance, such as {@code OnTimeBoard::new}
     */
    public static LocalRun of(Supplier<? extends PipelineDefinition> definitions, AwsEndpoint endpoint) {
        return builder(definitions, endpoint).build();
    }

    /** A run of a pipeline under faults of every kind; the same seed gives the same faults as far as threads allow. */
    public static LocalRun withChaos(
            Supplier<? extends PipelineDefinition> definitions, AwsEndpoint endpoint, long seed) {
        return builder(definitions, endpoint).chaos(seed).build();
    }

    /** A run whose parts can be chosen. */
    public static Builder builder(Supplier<? extends PipelineDefinition> definitions, AwsEndpoint endpoint) {
        return new Builder(definitions, endpoint);
    }

    /**
     * Creates the streams and tables that are missing.
     *
     * @param shards the shards of a stream that is created
     */
    public void provision(int shards) throws InterruptedException {
        try (DynamoDbClient dynamoDb = endpoint.dynamoDb();
                KinesisClient kinesis = kinesisEndpoint.kinesis()) {
            for (String stream : streams()) {
                LocalStreams.createIfMissing(kinesis, stream, shards, STREAM_ACTIVE_TIMEOUT);
            }
            new Provisioning(dynamoDb).createTables(definitions.get());
        }
    }

    /** The streams that the stages read, each once. */
    public List<String> streams() {
        return plan.stages().stream()
                .map(stage -> stage.source().stream())
                .distinct()
                .toList();
    }

    /** Begins to deliver records to the stages. Call it once. */
    public void start() {
        for (StagePlan stage : plan.stages()) {
            mappings.add(mapping(stage));
        }
        mappings.forEach(EventSourceMapping::start);
        ticks.start();
    }

    private List<LocalTicks.Stage> tickedStages() {
        List<LocalTicks.Stage> ticked = new ArrayList<>();
        for (StagePlan stage : plan.stages()) {
            if (stage instanceof KeyedStagePlan keyed) {
                InJvmTickInvoker own = new InJvmTickInvoker(
                        plan.name() + "-" + stage.uid() + "-tick", container -> tick(stage, container));
                TickInvoker scheduled = tickFunctions == null ? own : tickFunctions.apply(stage.uid());
                ticked.add(new LocalTicks.Stage(
                        stage.uid(),
                        keyed.eventTime() != null,
                        tickChaos == null ? scheduled : tickChaos.decorate(scheduled),
                        own));
            }
        }
        return ticked;
    }

    private TickHandler tick(StagePlan stage, FunctionContainer container) {
        SdkHttpClient client =
                faults == null ? endpoint.httpClient() : faults.decorate(endpoint.httpClient(), container);
        return TickHandler.builder()
                .pipeline(definitions.get())
                .stage(stage.uid())
                .dynamoDb(endpoint.dynamoDb(client, meter))
                .kinesis(kinesisEndpoint.kinesis(client))
                .surroundings(Surroundings.ofSystem().withSweepLeaseMillis(SWEEP_LEASE.toMillis()))
                .ioExecutor(io)
                .build();
    }

    private EventSourceMapping mapping(StagePlan stage) {
        FunctionInvoker function = functions == null
                ? InJvmFunctionInvoker.perContainer(
                        plan.name() + "-" + stage.uid(), container -> counting(handler(stage, container)))
                : countingInvoker(functions.apply(stage.uid()));
        EventSourceMapping.Builder mapping = EventSourceMapping.builder(
                        mappingKinesis, stage.source().stream(), function)
                .batchSize(batchRecords)
                .concurrencyMax(concurrencyMax)
                .reportBatchItemFailures(true)
                .listener(new EventSourceMappingListener() {
                    @Override
                    public void invoked(String shardId, List<Record> records, InvocationOutcome outcome) {
                        noteFailure(shardId, outcome);
                    }
                });
        if (chaos != null) {
            mapping.chaos(chaos);
        }
        return mapping.build();
    }

    private RequestHandler<KinesisEvent, StreamsEventResponse> handler(StagePlan stage, FunctionContainer container) {
        SdkHttpClient client =
                faults == null ? endpoint.httpClient() : faults.decorate(endpoint.httpClient(), container);
        return MillraceFunction.builder()
                .pipeline(definitions.get())
                .stage(stage.uid())
                .dynamoDb(endpoint.dynamoDb(client, meter))
                .kinesis(kinesisEndpoint.kinesis(client))
                .surroundings(Surroundings.ofSystem().withSweepLeaseMillis(SWEEP_LEASE.toMillis()))
                .ioExecutor(io)
                .listener((report, error) -> note(report))
                .build();
    }

    private RequestHandler<KinesisEvent, StreamsEventResponse> counting(
            RequestHandler<KinesisEvent, StreamsEventResponse> handler) {
        return (event, context) -> {
            invocations.increment();
            delivered.add(event.getRecords().size());
            return handler.handleRequest(event, context);
        };
    }

    /** The counts of a function that is not made here: what becomes of its batches is in its logs only. */
    private FunctionInvoker countingInvoker(FunctionInvoker function) {
        return new FunctionInvoker() {
            @Override
            public InvocationOutcome invoke(KinesisEvent event, InvocationContext context) {
                invocations.increment();
                delivered.add(event.getRecords().size());
                return function.invoke(event, context);
            }

            @Override
            public boolean awaitZombies(Duration timeout) throws InterruptedException {
                return function.awaitZombies(timeout);
            }
        };
    }

    private void note(BatchReport report) {
        duplicates.add(report.get(BatchReport.Count.DUPLICATES));
        conflicts.add(report.get(BatchReport.Count.CONFLICTS));
        deadLetters.add(report.get(BatchReport.Count.DEAD_LETTERS));
        timersFired.add(report.get(BatchReport.Count.TIMERS));
        late.add(report.get(BatchReport.Count.LATE));
    }

    private void noteFailure(String shardId, InvocationOutcome outcome) {
        if (outcome instanceof InvocationOutcome.FunctionError error) {
            lastFailure = shardId + ": " + error.errorType() + ": " + error.errorMessage();
        } else if (outcome instanceof InvocationOutcome.TimedOut timedOut) {
            lastFailure = shardId + ": timed out after " + timedOut.timeout().toSeconds() + " s";
        }
    }

    /**
     * Waits until the stages have worked off all that the streams held when this was called, zombies included.
     *
     * @return false if that did not happen within {@code timeout}
     */
    public boolean awaitDrained(Duration timeout) throws InterruptedException {
        long endNanos = System.nanoTime() + timeout.toNanos();
        for (EventSourceMapping mapping : mappings) {
            Duration left = Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
            if (!mapping.awaitDrained(left)) {
                return false;
            }
        }
        for (EventSourceMapping mapping : mappings) {
            Duration left = Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
            if (!mapping.awaitZombies(left)) {
                return false;
            }
        }
        return true;
    }

    /**
     * The stages with event time whose input an earlier run has ended, by {@link #endInput}: what they get now is late for
     * everything.
     */
    public List<String> endedStages() {
        return ticks.ended();
    }

    /**
     * Ends the input of the stages with event time, so that their last windows close; call it when the run is drained. That is
     * final: see {@link #endedStages}. Ticks stop before. Processing-time timers that are not due stay.
     *
     * @throws IllegalStateException if a stream is not drained, or timers go on failing
     */
    public void endInput() throws InterruptedException {
        stopTicks();
        ticks.endInput();
    }

    /**
     * Lets all timers fire that are due, and leaves the windows open that are not over; call it when the run is drained. Ticks
     * stop before.
     *
     * @return the watermark of each stage with event time, in milliseconds since the epoch
     * @throws IllegalStateException if timers go on failing
     */
    public Map<String, Long> settle() throws InterruptedException {
        stopTicks();
        return ticks.settle();
    }

    private void stopTicks() throws InterruptedException {
        if (!ticks.stop(TICKS_END_TIMEOUT)) {
            throw new IllegalStateException("A tick still runs after " + TICKS_END_TIMEOUT.toSeconds()
                    + " s; the last failure is: " + ticks.lastFailure());
        }
    }

    /** What was done so far. */
    public LocalRunStatistics statistics() {
        long acknowledged = 0;
        long discarded = 0;
        for (EventSourceMapping mapping : mappings) {
            acknowledged += mapping.statistics().acknowledgedRecords();
            discarded += mapping.statistics().discardedRecords();
        }
        return new LocalRunStatistics(
                acknowledged,
                invocations.sum(),
                Math.max(0, delivered.sum() - acknowledged - discarded),
                duplicates.sum(),
                conflicts.sum(),
                deadLetters.sum() + ticks.deadLetters(),
                discarded,
                ticks.ticks(),
                timersFired.sum() + ticks.timersFired(),
                late.sum(),
                lastFailure == null ? ticks.lastFailure() : lastFailure,
                injected());
    }

    private Map<String, Long> injected() {
        Map<String, Long> injected = new TreeMap<>();
        if (chaos != null) {
            chaos.injected().forEach((misfortune, count) -> injected.merge(words(misfortune), count, Long::sum));
        }
        if (tickChaos != null) {
            tickChaos.injected().forEach((misfortune, count) -> injected.merge(words(misfortune), count, Long::sum));
        }
        if (faults != null) {
            faults.injected().forEach((fault, count) -> injected.merge(words(fault), count, Long::sum));
        }
        return injected;
    }

    private static String words(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Counts the stages' DynamoDB requests. */
    public RequestMeter meter() {
        return meter;
    }

    /** Stops the ticks and the mappings and waits for running invocations. */
    @Override
    public void close() {
        ticks.close();
        mappings.forEach(EventSourceMapping::close);
        mappingKinesis.close();
    }

    /** Chooses the parts of a run. Not thread-safe. */
    public static final class Builder {
        private final Supplier<? extends PipelineDefinition> definitions;
        private final AwsEndpoint endpoint;
        private AwsEndpoint kinesisEndpoint;
        private @Nullable Function<String, FunctionInvoker> functions;
        private @Nullable Long chaosSeed;
        private int batchRecords = BATCH_RECORDS;
        private int concurrencyMax = 16;
        private @Nullable Function<String, TickInvoker> ticks;
        private Duration tickPeriod = TICK_PERIOD;

        private Builder(Supplier<? extends PipelineDefinition> definitions, AwsEndpoint endpoint) {
            this.definitions = definitions;
            this.endpoint = endpoint;
            this.kinesisEndpoint = endpoint;
        }

        /** Where the streams are; default where the tables are. */
        public Builder kinesis(AwsEndpoint value) {
            kinesisEndpoint = value;
            return this;
        }

        /** Injects faults of every kind; default none. Functions that are not made here feel those of the mapping only. */
        public Builder chaos(long seed) {
            chaosSeed = seed;
            return this;
        }

        /**
         * The function of the stage of a uid; default instances in this JVM. Who gives functions closes them, after the run.
         * A run counts neither their requests nor their duplicates, conflicts, dead letters, timers and late elements.
         */
        public Builder functions(Function<String, FunctionInvoker> value) {
            functions = value;
            return this;
        }

        /**
         * The tick function of the stage of a uid; default instances in this JVM. Who gives functions closes them, after the
         * run. The end of the input is always brought about in this JVM.
         */
        public Builder ticks(Function<String, TickInvoker> value) {
            ticks = value;
            return this;
        }

        /** The pause between two ticks of a stage; default 1 s. */
        public Builder tickPeriod(Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new IllegalArgumentException("tickPeriod is " + value + "; it must be positive");
            }
            tickPeriod = value;
            return this;
        }

        /** The most records of a batch, 1 to 10,000; default {@value LocalRun#BATCH_RECORDS}. */
        public Builder batchRecords(int value) {
            batchRecords = value;
            return this;
        }

        /** The most invocations of a stage that run at the same time; default 16. */
        public Builder concurrencyMax(int value) {
            concurrencyMax = value;
            return this;
        }

        public LocalRun build() {
            return new LocalRun(this);
        }
    }
}
