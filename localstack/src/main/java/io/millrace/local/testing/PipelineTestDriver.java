package io.millrace.local.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.MillraceException;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.aws.BatchReport;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.local.EmbeddedAws;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * Runs a pipeline in a test: the code that runs on Lambda, over an {@link EmbeddedAws} of its own, on the test's thread.
 * Nothing happens but what the test asks for, and the same calls give the same results: time stands still unless {@link
 * #advance} moves it, and waiting takes none.
 *
 * <pre>{@code
 * try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
 *     driver.input("orders", Order.class).send(new Order("alice", 10), new Order("bob", 5));
 *     driver.run();
 *     assertThat(driver.rows("order-totals", OrderTotal.class)).containsExactly(...);
 * }
 * }</pre>
 *
 * <p>A stage's function instance stays warm from one invocation to the next; a crash, {@link #restart} or an error that
 * ends a process makes the next one a cold start. Ticks come only when the test calls {@link #tick()}. Not thread-safe.
 */
public final class PipelineTestDriver implements AutoCloseable {
    private final Supplier<? extends PipelineDefinition> definitions;
    private final DriverSettings settings;
    private final TestClients clients;
    private final PipelinePlan plan;
    private final TestCloud cloud;
    private final DriverTables tables;
    private final Map<String, StageFunction> functions = new LinkedHashMap<>();
    private final Map<String, TickFunction> tickFunctions = new LinkedHashMap<>();
    private final DriverLanes lanes;
    private final List<Delivery> deliveries = new ArrayList<>();
    private InvocationPlan next = InvocationPlan.UNDISTURBED;
    private boolean closed;

    PipelineTestDriver(
            Supplier<? extends PipelineDefinition> definitions, DriverSettings settings, TestClients clients) {
        this.definitions = definitions;
        this.settings = settings;
        this.clients = clients;
        PipelineDefinition definition = definitions.get();
        this.plan = PipelineBuilder.plan(definition);
        this.cloud = new TestCloud(definition, settings, clients);
        this.tables = new DriverTables(cloud, plan.name());
        for (StagePlan stage : plan.stages()) {
            StageFunction function = new StageFunction(definitions, stage.uid(), cloud, settings.timeout());
            if (stage instanceof KeyedStagePlan keyed
                    && function.plan() instanceof KeyedStagePlan other
                    && other.function() == keyed.function()) {
                throw new IllegalArgumentException("Two definitions of the pipeline '" + plan.name()
                        + "' share the function object of stage '" + stage.uid()
                        + "', as two processes never do. Let the supplier, or define(), make a new one each time.");
            }
            functions.put(stage.uid(), function);
            if (stage instanceof KeyedStagePlan) {
                tickFunctions.put(stage.uid(), new TickFunction(definitions, stage.uid(), cloud, settings.timeout()));
            }
        }
        this.lanes = new DriverLanes(this, cloud, plan);
    }

    /**
     * A driver with one shard a stream and batches of at most 100 records.
     *
     * @param definitions makes a definition for each function instance, such as {@code OnTimeBoard::new}
     */
    public static PipelineTestDriver of(Supplier<? extends PipelineDefinition> definitions) {
        return builder(definitions).build();
    }

    /** A driver whose options can be chosen. */
    public static Builder builder(Supplier<? extends PipelineDefinition> definitions) {
        return new Builder(definitions);
    }

    /**
     * Where values are sent to a stream as JSON.
     *
     * @throws IllegalArgumentException if the pipeline does not read the stream; the message names those that it reads
     */
    public <T> TestInput<T> input(String stream, Class<T> type) {
        return input(stream, Json.of(type));
    }

    /**
     * Where values are sent to a stream.
     *
     * @throws IllegalArgumentException if the pipeline does not read the stream; the message names those that it reads
     */
    public <T> TestInput<T> input(String stream, Serde<T> serde) {
        checkStream(stream);
        return new TestInput<>(cloud, stream, serde, 0, null);
    }

    /**
     * Delivers all records that are not done, lane by lane in turns, until all are. What fails or crashes is delivered
     * again, as Lambda does.
     *
     * @return what was delivered
     * @throws AssertionError if a record is never got past, with what was thrown at it as the cause
     */
    public List<Delivery> run() {
        int before = deliveries.size();
        lanes.run();
        return List.copyOf(deliveries.subList(before, deliveries.size()));
    }

    /**
     * Delivers the next batch of the first lane that has one.
     *
     * @throws IllegalStateException if all records are done
     */
    public Delivery deliver() {
        TestLane lane = lanes.firstWithBacklog();
        if (lane == null) {
            throw new IllegalStateException("All records of the pipeline '" + plan.name()
                    + "' are done. Send some by input(...), or use redeliver().");
        }
        return lane.deliver();
    }

    /**
     * Delivers the last batch once more, as Lambda does after a time-out or a lost answer.
     *
     * @throws IllegalStateException if none was delivered
     */
    public Delivery redeliver() {
        if (deliveries.isEmpty()) {
            throw new IllegalStateException("Nothing was delivered yet. Call run() or deliver() first.");
        }
        return deliveries.get(deliveries.size() - 1).lane().redeliver();
    }

    /**
     * One shard as one stage reads it, to deliver chosen records.
     *
     * @throws IllegalArgumentException if there is no such stage or shard; the message names those that are there
     */
    public TestLane lane(String stage, int shard) {
        checkStage(stage);
        return lanes.lane(stage, shard);
    }

    /**
     * Splits a shard in the middle: its children are the next two shards, and records that are sent to it go there by {@link
     * TestInput#onShard}. What is left of it is delivered first.
     *
     * @param shard from 0
     * @throws IllegalArgumentException if the pipeline does not read the stream, or it has no such open shard
     */
    public PipelineTestDriver splitShard(String stream, int shard) {
        checkStream(stream);
        lanes.split(stream, shard);
        return this;
    }

    /**
     * Merges two adjacent shards: their child is the next shard. What is left of them is delivered first.
     *
     * @param shard from 0
     * @param adjacentShard from 0
     * @throws IllegalArgumentException if the pipeline does not read the stream, or it has no such open shards
     */
    public PipelineTestDriver mergeShards(String stream, int shard, int adjacentShard) {
        checkStream(stream);
        lanes.merge(stream, shard, adjacentShard);
        return this;
    }

    /**
     * Runs one tick of each stage with state, as the schedule does on AWS once a minute: new shards are discovered, those that
     * are over finished, idle ones raise their watermarks, and timers fire that are due by the watermark or by {@link
     * #clock()}. An asked-for crash or conflict hits the first of them.
     *
     * @throws IllegalStateException if a crash that was asked for did not happen
     */
    public List<TestTick> tick() {
        return tickFunctions.keySet().stream().map(this::tick).toList();
    }

    /**
     * Runs one tick of a stage.
     *
     * @throws IllegalArgumentException if there is no such stage, or it has no state
     * @throws IllegalStateException if a crash that was asked for did not happen
     */
    public TestTick tick(String stage) {
        InvocationPlan invocation = takePlan();
        TestTick tick = tickFunction(stage).tick(invocation);
        invocation.checkCrashed(tick.crashed(), tick.requests());
        return tick;
    }

    /**
     * Ends the input of the stages with event time: all their event-time timers fire, so all windows close. It is final: what
     * is delivered later is late. An asked-for crash or conflict hits the first attempt; the rest is made up for by further ones.
     *
     * @return the attempts
     * @throws AssertionError if the input does not end: records are not done, or timers go on failing
     * @throws IllegalStateException if a crash that was asked for did not happen
     */
    public List<TestTick> endOfInput() {
        List<TestTick> attempts = new ArrayList<>();
        for (String stage : stagesWithEventTime()) {
            InvocationPlan first = takePlan();
            List<TestTick> ofStage = endInput(stage, attempt -> attempt == 0 ? first : InvocationPlan.UNDISTURBED);
            first.checkCrashed(ofStage.get(0).crashed(), ofStage.get(0).requests());
            attempts.addAll(ofStage);
        }
        return attempts;
    }

    List<TestTick> endInput(String stage, Function<Integer, InvocationPlan> plans) {
        return tickFunction(stage).endInput(plans);
    }

    /**
     * The watermark of the pipeline's only stage with event time, in milliseconds since the epoch: {@link
     * io.millrace.time.WatermarkStrategy#NO_WATERMARK} before there is one, which a tick makes when it has discovered the shards, {@link
     * io.millrace.time.WatermarkStrategy#END_OF_INPUT} behind the end of the input.
     *
     * @throws IllegalStateException if there is no such stage, or several
     */
    public long watermark() {
        List<String> stages = stagesWithEventTime();
        if (stages.size() != 1) {
            throw new IllegalStateException("The pipeline '" + plan.name() + "' has the stages " + stages
                    + " with event time, so there is no single watermark. "
                    + (stages.isEmpty()
                            ? "assignTimestampsAndWatermarks gives a stage one."
                            : "Use watermark(stage)."));
        }
        return watermark(stages.get(0));
    }

    /**
     * The watermark of a stage.
     *
     * @throws IllegalArgumentException if there is no such stage, or it has no state
     */
    public long watermark(String stage) {
        return tickFunction(stage).watermark();
    }

    /** Ends the next delivery or tick before its n-th AWS request, from 1; see {@link Delivery#requests()}. */
    public PipelineTestDriver crashBeforeRequest(int request) {
        return crash(CrashPoint.at(false, request));
    }

    /** Ends the next invocation when its n-th AWS request, from 1, is executed and its answer is lost. */
    public PipelineTestDriver crashAfterRequest(int request) {
        return crash(CrashPoint.at(true, request));
    }

    /** Ends the next invocation before its first request of an operation, such as {@code DynamoDB.TransactWriteItems}. */
    public PipelineTestDriver crashBefore(String operation) {
        return crash(CrashPoint.at(false, operation));
    }

    /** Ends the next invocation when its first request of an operation is executed and its answer is lost. */
    public PipelineTestDriver crashAfter(String operation) {
        return crash(CrashPoint.at(true, operation));
    }

    private PipelineTestDriver crash(CrashPoint crashPoint) {
        next = InvocationPlan.crash(crashPoint);
        return this;
    }

    /**
     * Lets another writer come before each commit of the next invocation, so that its functions run again over freshly
     * read state.
     */
    public PipelineTestDriver meetConflicts() {
        next = new InvocationPlan(null, false, true);
        return this;
    }

    /** Makes the next invocation of each stage a cold start. */
    public PipelineTestDriver restart() {
        functions.values().forEach(StageFunction::drop);
        tickFunctions.values().forEach(TickFunction::drop);
        return this;
    }

    /** Moves the time on. Processing-time timers that it makes due fire at the next record of their key, or {@link #tick()}. */
    public PipelineTestDriver advance(Duration duration) {
        cloud.clock().advance(duration);
        return this;
    }

    /** The driver's time, which the streams, the tables and the functions have. */
    public Clock clock() {
        return cloud.clock();
    }

    /**
     * The rows of a table in the order of their keys, read as Jackson reads JSON.
     *
     * @throws IllegalArgumentException if the pipeline does not write the table; the message names those that it writes
     */
    public <T> List<T> rows(String table, Class<T> type) {
        List<T> rows = new ArrayList<>();
        for (JsonNode row : tables.rows(table).values()) {
            try {
                rows.add(Json.mapper().treeToValue(row, type));
            } catch (JsonProcessingException e) {
                throw new MillraceException(
                        "The row " + row + " of table " + table + " cannot be read as " + type.getName() + ": "
                                + e.getOriginalMessage(),
                        e);
            }
        }
        return rows;
    }

    /**
     * The rows of a table in the order of their keys, as maps of text, {@code Long}, {@code BigDecimal}, {@code Boolean},
     * bytes, lists and maps, without the attributes that Millrace adds.
     *
     * @throws IllegalArgumentException if the pipeline does not write the table; the message names those that it writes
     */
    public List<Map<String, Object>> rows(String table) {
        return tables.rows(table).values().stream().map(RowMaps::of).toList();
    }

    /**
     * What a stage keeps for a key.
     *
     * @param key as {@code keyBy} gives it
     * @throws IllegalArgumentException if there is no such stage, or the key is not of its type
     */
    public KeyState state(String stage, Object key) {
        if (!(checkStage(stage) instanceof KeyedStagePlan keyed)) {
            throw new IllegalArgumentException(
                    "The stage '" + stage + "' keeps no state. Look at the rows that it writes.");
        }
        String text;
        try {
            text = keyed.keyCodec().encode(key);
        } catch (ClassCastException e) {
            throw new IllegalArgumentException(
                    "The key " + key + " is a " + key.getClass().getName() + ", which the key codec '"
                            + keyed.keyCodec().description() + "' of stage '" + stage
                            + "' does not take. Pass what keyBy gives.",
                    e);
        }
        return new KeyState(tables.cell(stage, text), clock().instant());
    }

    /** The keys that a stage keeps something for, as their codec writes them, sorted. */
    public Set<String> keys(String stage) {
        checkStage(stage);
        return tables.cells(stage).keySet();
    }

    /** The records that were given up, by shard and position. */
    public List<TestDeadLetter> deadLetters() {
        return tables.deadLetters();
    }

    /** All deliveries so far, the crashed ones included. */
    public List<Delivery> deliveries() {
        return List.copyOf(deliveries);
    }

    /** What all invocations so far counted together. */
    public int count(BatchReport.Count count) {
        return deliveries.stream()
                .mapToInt(delivery -> delivery.report().get(count))
                .sum();
    }

    /** The AWS that the pipeline runs on. */
    public EmbeddedAws aws() {
        return cloud.aws();
    }

    /** A client for the pipeline's tables. The driver closes it. */
    public DynamoDbClient dynamoDb() {
        return cloud.dynamoDb();
    }

    /** A client for the pipeline's streams. The driver closes it. */
    public KinesisClient kinesis() {
        return cloud.kinesis();
    }

    /**
     * Runs the pipeline over records under crashes at every AWS request, repeated deliveries, conflicts and cold starts,
     * each time in an AWS of its own, and demands the rows, state and dead letters of the undisturbed run. What this driver
     * holds is not touched. Options: {@link #verification()}.
     *
     * @param records what the pipeline's serde can write; all go to one shard, in their order
     * @return what was run
     * @throws AssertionError if a run ends otherwise; the message says which, what differs, and the likely cause
     * @throws IllegalStateException if the pipeline reads several streams
     */
    public VerificationReport verify(List<?> records) {
        List<String> streams = streams();
        if (streams.size() > 1) {
            throw new IllegalStateException("The pipeline '" + plan.name() + "' reads the streams " + streams
                    + ", so verify(records) cannot know whose records these are. Use"
                    + " verification().records(\"" + streams.get(0) + "\", records)...run().");
        }
        return verification().records(streams.get(0), records).run();
    }

    /** A verification whose records and bounds can be chosen. */
    public PipelineVerification verification() {
        return new PipelineVerification(definitions, settings, plan);
    }

    /** Closes the AWS and its clients. */
    @Override
    public void close() {
        cloud.close();
        clients.close();
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    private void checkStream(String stream) {
        List<String> streams = streams();
        if (!streams.contains(stream)) {
            throw new IllegalArgumentException("The pipeline '" + plan.name() + "' does not read the stream '" + stream
                    + "'; it reads " + streams + ".");
        }
    }

    private TickFunction tickFunction(String stage) {
        checkStage(stage);
        TickFunction function = tickFunctions.get(stage);
        if (function == null) {
            throw new IllegalArgumentException("The stage '" + stage + "' keeps no state, so it has no ticks.");
        }
        return function;
    }

    List<String> stagesWithEventTime() {
        return plan.stages().stream()
                .filter(stage -> stage instanceof KeyedStagePlan keyed && keyed.eventTime() != null)
                .map(StagePlan::uid)
                .toList();
    }

    private List<String> streams() {
        return plan.stages().stream()
                .map(stage -> stage.source().stream())
                .distinct()
                .toList();
    }

    private StagePlan checkStage(String stage) {
        List<String> known = plan.stages().stream().map(StagePlan::uid).toList();
        if (!known.contains(stage)) {
            throw new IllegalArgumentException(
                    "The pipeline '" + plan.name() + "' has no stage '" + stage + "'; it has " + known + ".");
        }
        return plan.stage(stage);
    }

    int batchSize() {
        return settings.batchSize();
    }

    StageFunction function(String stage) {
        return Objects.requireNonNull(functions.get(stage));
    }

    String startingHashKey(String stream, int shard) {
        return cloud.shards(stream).get(shard).hashKeyRange().startingHashKey();
    }

    DriverTables tables() {
        return tables;
    }

    List<TestLane> lanes() {
        return lanes.all();
    }

    PipelinePlan plan() {
        return plan;
    }

    /** What the next invocation meets; the one after it is undisturbed. */
    InvocationPlan takePlan() {
        InvocationPlan taken = next;
        next = InvocationPlan.UNDISTURBED;
        return taken;
    }

    void note(Delivery delivery) {
        deliveries.add(delivery);
    }

    /** Builds a {@link PipelineTestDriver}. Not thread-safe. */
    public static final class Builder {
        /** The most shards a stream. */
        public static final int SHARDS_MAX = 100;

        /** The most records of a batch, as on Lambda. */
        public static final int BATCH_RECORDS_MAX = 10_000;

        private final Supplier<? extends PipelineDefinition> definitions;
        private DriverSettings settings = DriverSettings.DEFAULT;

        private Builder(Supplier<? extends PipelineDefinition> definitions) {
            this.definitions = definitions;
        }

        /**
         * How many shards each stream has; 1 by default.
         *
         * @throws IllegalArgumentException unless it is 1 to {@value #SHARDS_MAX}
         */
        public Builder shards(int shards) {
            settings = settings.withShards(checked("shards", shards, SHARDS_MAX));
            return this;
        }

        /**
         * The most records of a batch; 100 by default, as on Lambda.
         *
         * @throws IllegalArgumentException unless it is 1 to {@value #BATCH_RECORDS_MAX}
         */
        public Builder batchSize(int records) {
            settings = settings.withBatchSize(checked("batchSize", records, BATCH_RECORDS_MAX));
            return this;
        }

        /** When the driver's time begins; an arbitrary moment of 2026 by default. */
        public Builder startingAt(Instant start) {
            settings = settings.withStart(start);
            return this;
        }

        /** How much time an invocation has; 60 seconds by default. It passes only as {@link #advance} lets it. */
        public Builder timeout(Duration timeout) {
            settings = settings.withTimeout(timeout);
            return this;
        }

        /** What everything random is drawn from; 0 by default. */
        public Builder seed(long seed) {
            settings = settings.withSeed(seed);
            return this;
        }

        private static int checked(String name, int value, int max) {
            if (value < 1 || value > max) {
                throw new IllegalArgumentException(name + " is " + value + "; 1 to " + max + " are allowed");
            }
            return value;
        }

        /**
         * Makes the streams and tables, and opens the functions.
         *
         * @throws MillraceException if the pipeline cannot work
         * @throws IllegalArgumentException if its definitions share a function object
         */
        public PipelineTestDriver build() {
            return new PipelineTestDriver(definitions, settings, new TestClients());
        }
    }
}
