package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.PipelineDefinition;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Items;
import io.millrace.aws.internal.Surroundings;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.FaultInjector;
import io.millrace.local.InJvmFunctionInvoker;
import io.millrace.local.InvocationContext;
import io.millrace.local.InvocationOutcome;
import io.millrace.local.internal.CallersThread;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketAlreadyOwnedByYouException;

/**
 * A pipeline on an embedded AWS, whose function a test invokes with batches of its own making, as Lambda would: the
 * event goes through Lambda's JSON. Each invocation is a new container unless a function is kept.
 */
public final class ShellFixture implements AutoCloseable {
    public static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Clock clock;
    private final EmbeddedAws aws;
    private final PipelineDefinition pipeline;
    private final String stream;
    private final KinesisClient kinesis;
    private final DynamoDbClient dynamoDb;
    private final List<BatchReport> reports = new CopyOnWriteArrayList<>();
    private Set<String> acceptedGaps = Set.of();
    private Set<String> acceptedTopologies = Set.of();
    private @Nullable FaultInjector faults;

    public ShellFixture(PipelineDefinition pipeline, int shards) {
        this(pipeline, shards, Clock.systemUTC());
    }

    /** A pipeline and an AWS that take the time from a clock. */
    public ShellFixture(PipelineDefinition pipeline, int shards, Clock clock) {
        this.clock = clock;
        this.aws = EmbeddedAws.builder().clock(clock).build();
        this.pipeline = pipeline;
        this.kinesis = kinesis(aws.httpClient());
        this.dynamoDb = dynamoDb(aws.httpClient());
        this.stream = Provisioning.streamsOf(pipeline).iterator().next();
        kinesis.createStream(request -> request.streamName(stream).shardCount(shards));
        new Provisioning(dynamoDb).createTables(pipeline);
    }

    private static KinesisClient kinesis(SdkHttpClient http) {
        return KinesisClient.builder()
                .httpClient(http)
                .region(Region.US_EAST_1)
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .overrideConfiguration(QuickRetries.OVERRIDE)
                .build();
    }

    private static DynamoDbClient dynamoDb(SdkHttpClient http) {
        return DynamoDbClient.builder()
                .httpClient(http)
                .region(Region.US_EAST_1)
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .overrideConfiguration(QuickRetries.OVERRIDE)
                .build();
    }

    public KinesisClient kinesis() {
        return kinesis;
    }

    public DynamoDbClient dynamoDb() {
        return dynamoDb;
    }

    /** A client of this AWS that an interceptor changes. */
    DynamoDbClient dynamoDbWith(ExecutionInterceptor interceptor) {
        return DynamoDbClient.builder()
                .httpClient(aws.httpClient())
                .region(Region.US_EAST_1)
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .overrideConfiguration(QuickRetries.OVERRIDE.toBuilder()
                        .addExecutionInterceptor(interceptor)
                        .build())
                .build();
    }

    /** Lets the function's requests meet faults from now on; null for none. */
    public void setFaults(@Nullable FaultInjector newFaults) {
        faults = newFaults;
    }

    public void acceptGap(String gap) {
        acceptedGaps = Set.of(gap);
    }

    public void acceptTopology(String topology) {
        acceptedTopologies = Set.of(topology);
    }

    /** Puts records into a shard, each at once. */
    public void put(int shard, String... payloads) {
        for (String payload : payloads) {
            putBytes(shard, payload.getBytes(StandardCharsets.UTF_8));
        }
    }

    public void putBytes(int shard, byte[] payload) {
        String hashKey = shards().get(shard).hashKeyRange().startingHashKey();
        kinesis.putRecord(request -> request.streamName(stream)
                .partitionKey("p")
                .explicitHashKey(hashKey)
                .data(SdkBytes.fromByteArray(payload)));
    }

    public List<Shard> shards() {
        return kinesis.listShards(request -> request.streamName(stream)).shards().stream()
                .sorted(Comparator.comparing(Shard::shardId))
                .toList();
    }

    /** The records that a shard holds. */
    public List<Record> records(int shard) {
        String shardId = shards().get(shard).shardId();
        String iterator = kinesis.getShardIterator(request ->
                        request.streamName(stream).shardId(shardId).shardIteratorType(ShardIteratorType.TRIM_HORIZON))
                .shardIterator();
        return kinesis.getRecords(request -> request.shardIterator(iterator)).records();
    }

    /** The sequence number of a shard's n-th record, from 0. */
    public String sequenceNumber(int shard, int index) {
        return records(shard).get(index).sequenceNumber();
    }

    /** The event of a run of a shard's records. */
    public KinesisEvent event(int shard, int from, int to) {
        String shardId = shards().get(shard).shardId();
        List<KinesisEvent.KinesisEventRecord> eventRecords = new ArrayList<>();
        for (Record record : records(shard).subList(from, to)) {
            KinesisEvent.Record kinesisRecord = new KinesisEvent.Record();
            kinesisRecord.setData(ByteBuffer.wrap(record.data().asByteArray()));
            kinesisRecord.setSequenceNumber(record.sequenceNumber());
            kinesisRecord.setPartitionKey(record.partitionKey());
            kinesisRecord.setKinesisSchemaVersion("1.0");
            kinesisRecord.setApproximateArrivalTimestamp(Date.from(record.approximateArrivalTimestamp()));
            KinesisEvent.KinesisEventRecord eventRecord = new KinesisEvent.KinesisEventRecord();
            eventRecord.setKinesis(kinesisRecord);
            eventRecord.setEventID(shardId + ":" + record.sequenceNumber());
            eventRecord.setEventSourceARN("arn:aws:kinesis:us-east-1:000000000000:stream/" + stream);
            eventRecord.setEventSource("aws:kinesis");
            eventRecord.setEventName("aws:kinesis:record");
            eventRecord.setAwsRegion("us-east-1");
            eventRecords.add(eventRecord);
        }
        KinesisEvent event = new KinesisEvent();
        event.setRecords(eventRecords);
        return event;
    }

    /** A new function instance, as at a cold start. */
    public MillraceFunction function() {
        return function(pipeline, builder -> builder);
    }

    public MillraceFunction function(PipelineDefinition definition, UnaryOperator<MillraceFunction.Builder> more) {
        SdkHttpClient http = Fiber.admitting(aws.httpClient());
        return more.apply(builder(definition, faults == null ? http : faults.decorate(http)))
                .build();
    }

    private MillraceFunction.Builder builder(PipelineDefinition definition, SdkHttpClient http) {
        return MillraceFunction.builder()
                .pipeline(definition)
                .dynamoDb(dynamoDb(http))
                .kinesis(kinesis(http))
                .acceptGaps(acceptedGaps)
                .acceptTopologies(acceptedTopologies)
                .surroundings(new Surroundings(clock, new Random(), millis -> {}))
                .listener((report, error) -> reports.add(report));
    }

    /** Invokes a new function instance with a run of a shard's records. */
    public InvocationOutcome invoke(int shard, int from, int to) {
        return invoke(function(), shard, from, to);
    }

    public InvocationOutcome invoke(MillraceFunction function, int shard, int from, int to) {
        return InJvmFunctionInvoker.sharing(function).invoke(event(shard, from, to), context(TIMEOUT));
    }

    /** An invocation of a new function instance that makes its requests, one after the other, only when it is told to. */
    Fiber<StreamsEventResponse> fiber(PipelineDefinition definition, Context context, int shard, int from, int to) {
        MillraceFunction function =
                function(definition, builder -> builder.ioExecutor(new IoExecutor(new CallersThread())));
        KinesisEvent event = event(shard, from, to);
        return new Fiber<>(() -> function.handleRequest(event, context));
    }

    Fiber<StreamsEventResponse> fiber(int shard, int from, int to) {
        return fiber(pipeline, ChaosContext.endless(), shard, from, to);
    }

    /** A client of this AWS for something beside the function, whose requests a fiber makes in turn, and meet faults. */
    DynamoDbClient operatorDynamoDb(@Nullable FaultInjector injector) {
        SdkHttpClient http = Fiber.admitting(aws.httpClient());
        return dynamoDb(injector == null ? http : injector.decorate(http));
    }

    KinesisClient operatorKinesis(@Nullable FaultInjector injector) {
        SdkHttpClient http = Fiber.admitting(aws.httpClient());
        return kinesis(injector == null ? http : injector.decorate(http));
    }

    /** The pipeline's dead letters as an operator works with them, with code of his own. */
    DeadLetters operator(PipelineDefinition definition, UnaryOperator<DeadLetters.Builder> more) {
        SdkHttpClient http = Fiber.admitting(aws.httpClient());
        SdkHttpClient decorated = faults == null ? http : faults.decorate(http);
        return more.apply(DeadLetters.builder()
                        .pipeline(definition)
                        .dynamoDb(dynamoDb(decorated))
                        .kinesis(kinesis(decorated))
                        .ioExecutor(new IoExecutor(new CallersThread()))
                        .surroundings(new Surroundings(Clock.systemUTC(), new Random(), millis -> {})))
                .build();
    }

    /** The pipeline's checkpoints, with code of its own, by clients that interceptors change. */
    Checkpoints checkpoints(PipelineDefinition definition, ExecutionInterceptor... interceptors) {
        AwsEndpoint endpoint = AwsEndpoint.of(aws);
        S3Client s3 = endpoint.s3(interceptors);
        try {
            s3.createBucket(request -> request.bucket(pipeline.name() + Checkpoints.BUCKET_SUFFIX));
        } catch (BucketAlreadyOwnedByYouException e) {
            // Made by a call before.
        }
        return Checkpoints.builder()
                .pipeline(definition)
                .dynamoDb(endpoint.dynamoDb(interceptors))
                .kinesis(kinesis)
                .s3(s3)
                .segments(2)
                .surroundings(new Surroundings(clock, new Random(), millis -> {}))
                .build();
    }

    /** A client of the bucket. */
    S3Client s3() {
        return AwsEndpoint.of(aws).s3();
    }

    /** Invokes a new function instance that dies at its k-th AWS request. */
    public InvocationOutcome invokeDyingAt(int request, int shard, int from, int to) {
        InvocationContext context = context(TIMEOUT);
        context.scope().abortFrom(request);
        FaultInjector none = FaultInjector.scripted().build();
        return InJvmFunctionInvoker.perContainer(
                        "dying",
                        container -> builder(pipeline, none.decorate(aws.httpClient(), container))
                                .build())
                .invoke(event(shard, from, to), context);
    }

    public static InvocationContext context(Duration timeout) {
        return InvocationContext.starting(Clock.systemUTC(), timeout, "shard", 0);
    }

    /** Invokes and expects that the whole batch is done. */
    public void process(int shard, int from, int to) {
        assertThat(failedAt(invoke(shard, from, to))).isNull();
    }

    /** The sequence number that was returned as failed, or null; an invocation that failed as a whole fails the test. */
    public static @Nullable String failedAt(InvocationOutcome outcome) {
        assertThat(outcome).isInstanceOf(InvocationOutcome.Returned.class);
        StreamsEventResponse response = ((InvocationOutcome.Returned) outcome).response();
        if (response == null || response.getBatchItemFailures().isEmpty()) {
            return null;
        }
        assertThat(response.getBatchItemFailures()).hasSize(1);
        return response.getBatchItemFailures().get(0).getItemIdentifier();
    }

    /** The message of an invocation that failed as a whole. */
    public static String errorOf(InvocationOutcome outcome) {
        assertThat(outcome).isInstanceOf(InvocationOutcome.FunctionError.class);
        return String.valueOf(((InvocationOutcome.FunctionError) outcome).errorMessage());
    }

    /** All items of a table. */
    public List<ObjectNode> scan(String table) {
        return dynamoDb
                .scanPaginator(ScanRequest.builder()
                        .tableName(table)
                        .consistentRead(true)
                        .build())
                .items()
                .stream()
                .map(Items::fromAttributes)
                .toList();
    }

    /** A table's items by one text attribute. */
    public Map<String, ObjectNode> scanBy(String attribute, String table) {
        return scan(table).stream()
                .collect(Collectors.toMap(item -> item.path(attribute).asText(), item -> item));
    }

    /** The pipeline's cells, by their keys. */
    public Map<String, ObjectNode> cells() {
        return scanBy("key", pipeline.name() + "-state");
    }

    /** Deletes what DynamoDB's time to live deletes, at once. */
    public void deleteExpiredItems() {
        aws.deleteExpiredItems();
    }

    /** The pipeline's dead letters, parts of payloads left out. */
    public List<ObjectNode> deadLetters() {
        return scan(pipeline.name() + "-dead-letters").stream()
                .filter(item -> !item.path("status").asText().equals("part"))
                .toList();
    }

    /** The record of a shard's lane. */
    public ObjectNode lane(int shard) {
        String suffix = "/" + shards().get(shard).shardId();
        return scan(pipeline.name() + "-control").stream()
                .filter(item -> item.path("sk").asText().endsWith(suffix))
                .findFirst()
                .orElseThrow();
    }

    /** The last invocation's report. */
    public BatchReport lastReport() {
        return reports.get(reports.size() - 1);
    }

    @Override
    public void close() {
        aws.close();
    }
}
