package io.millrace.local;

import static io.millrace.local.ContractEndpoint.MOTO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.GetShardIteratorRequest;
import software.amazon.awssdk.services.kinesis.model.InvalidArgumentException;
import software.amazon.awssdk.services.kinesis.model.KinesisException;
import software.amazon.awssdk.services.kinesis.model.ListShardsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ResourceInUseException;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** What Millrace needs of Kinesis, checked against every endpoint at hand. */
@ParameterizedClass(name = "{0}")
@EnumSource(ContractEndpoint.class)
class KinesisContractTest {
    private static final BigInteger HASH_KEYS = BigInteger.ONE.shiftLeft(128);
    private static final int READS_MAX = 20;
    private static final AtomicInteger STREAM_NUMBER = new AtomicInteger();

    // Set before every invocation of the class.
    @SuppressWarnings("NullAway.Init")
    private static ContractEndpoint.Running running;

    @SuppressWarnings("NullAway.Init")
    private static KinesisClient kinesis;

    private final String stream = "contract-" + STREAM_NUMBER.incrementAndGet();

    KinesisContractTest(ContractEndpoint endpoint) {
        assertThat(endpoint).isNotNull();
    }

    @BeforeParameterizedClassInvocation
    static void start(ContractEndpoint endpoint) {
        running = endpoint.start();
        kinesis = running.client(KinesisClient.builder());
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        if (running != null) {
            kinesis.close();
            running.close();
        }
    }

    @BeforeEach
    void create() {
        createStream(2);
    }

    @AfterEach
    void delete() {
        kinesis.deleteStream(request -> request.streamName(stream));
        kinesis.waiter().waitUntilStreamNotExists(request -> request.streamName(stream));
    }

    @Test
    void streamIsDescribedAndListed() {
        var summary = kinesis.describeStreamSummary(request -> request.streamName(stream))
                .streamDescriptionSummary();
        assertThat(summary.streamName()).isEqualTo(stream);
        assertThat(summary.streamStatusAsString()).isEqualTo("ACTIVE");
        assertThat(summary.openShardCount()).isEqualTo(2);
        assertThat(summary.retentionPeriodHours()).isEqualTo(24);
        assertThat(summary.streamARN()).endsWith(":stream/" + stream);
        assertThat(summary.streamCreationTimestamp())
                .isAfter(Instant.parse("2020-01-01T00:00:00Z"))
                .isBefore(Instant.parse("2120-01-01T00:00:00Z"));
        assertThat(kinesis.describeStream(request -> request.streamARN(summary.streamARN()))
                        .streamDescription()
                        .shards())
                .hasSize(2);
        assertThat(kinesis.listStreams().streamNames()).contains(stream);
    }

    @Test
    void streamNameIsTakenOnce() {
        assertThatThrownBy(() -> kinesis.createStream(
                        request -> request.streamName(stream).shardCount(1)))
                .isInstanceOf(ResourceInUseException.class);
    }

    @Test
    void missingStreamIsNotFound() {
        assertThatThrownBy(() -> kinesis.describeStream(request -> request.streamName("no-such-stream")))
                .isInstanceOf(ResourceNotFoundException.class)
                .hasMessageContaining("no-such-stream");
        assertThatThrownBy(() -> kinesis.putRecord(request ->
                        request.streamName("no-such-stream").partitionKey("k").data(bytes("x"))))
                .isInstanceOf(ResourceNotFoundException.class);
    }

    @Test
    void shardsShareTheHashKeysEvenly() {
        List<Shard> shards = shards();
        assertThat(shards).extracting(Shard::shardId).containsExactly("shardId-000000000000", "shardId-000000000001");
        BigInteger half = HASH_KEYS.shiftRight(1);
        assertThat(shards.get(0).hashKeyRange().startingHashKey()).isEqualTo("0");
        assertThat(shards.get(1).hashKeyRange().endingHashKey())
                .isEqualTo(HASH_KEYS.subtract(BigInteger.ONE).toString());
        assertThat(new BigInteger(shards.get(1).hashKeyRange().startingHashKey()))
                .isEqualTo(new BigInteger(shards.get(0).hashKeyRange().endingHashKey()).add(BigInteger.ONE))
                .isEqualTo(half);
    }

    @Test
    void shardsAreListedInPages() {
        ListShardsResponse first =
                kinesis.listShards(request -> request.streamName(stream).maxResults(1));
        assertThat(first.shards()).extracting(Shard::shardId).containsExactly("shardId-000000000000");
        running.difference(
                MOTO, "takes a ListShards token only together with the stream's name, and ignores a start shard");
        ListShardsResponse second = kinesis.listShards(request -> request.nextToken(first.nextToken()));
        assertThat(second.shards()).extracting(Shard::shardId).containsExactly("shardId-000000000001");
        assertThat(second.nextToken()).isNull();
        assertThat(kinesis.listShards(
                                request -> request.streamName(stream).exclusiveStartShardId("shardId-000000000000"))
                        .shards())
                .extracting(Shard::shardId)
                .containsExactly("shardId-000000000001");
    }

    @Test
    void recordComesBackAsItWasPut() {
        Instant before = Instant.now().minusSeconds(60);
        PutRecordResponse put = put("key", "payload");
        Record read = readAll(put.shardId()).get(0);
        assertThat(read.sequenceNumber()).isEqualTo(put.sequenceNumber());
        assertThat(read.partitionKey()).isEqualTo("key");
        assertThat(read.data().asUtf8String()).isEqualTo("payload");
        assertThat(read.approximateArrivalTimestamp()).isAfter(before).isBefore(before.plusSeconds(600));
    }

    /** Field case 19: a record can be empty. */
    @Test
    void emptyDataComesBackAsAnEmptyArray() {
        PutRecordResponse put = put("key", "");
        assertThat(readAll(put.shardId()).get(0).data().asByteArray()).isEmpty();
    }

    /** Field case 21: the hash is over UTF-8 (MD5 of é begins with 66) and unsigned (of b: 92). */
    @Test
    void partitionKeyIsHashedByItsUnsignedMd5() {
        assertThat(put("é", "x").shardId()).isEqualTo("shardId-000000000000");
        assertThat(put("a", "x").shardId()).isEqualTo("shardId-000000000000");
        assertThat(put("b", "x").shardId()).isEqualTo("shardId-000000000001");
        assertThat(readAll("shardId-000000000000"))
                .extracting(Record::partitionKey)
                .containsExactly("é", "a");
    }

    /** Field case 21: Kinesis refuses an empty partition key. */
    @Test
    void partitionKeyHas1To256Characters() {
        assertThat(put("k".repeat(256), "x").sequenceNumber()).isNotEmpty();
        running.difference(MOTO, "accepts an empty key and refuses a long one with InvalidArgumentException");
        assertThatThrownBy(() -> put("k".repeat(257), "x"))
                .isInstanceOf(KinesisException.class)
                .asInstanceOf(InstanceOfAssertFactories.type(AwsServiceException.class))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("ValidationException"));
        assertThatThrownBy(() -> put("", "x"))
                .isInstanceOf(KinesisException.class)
                .asInstanceOf(InstanceOfAssertFactories.type(AwsServiceException.class))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("ValidationException"));
    }

    @Test
    void explicitHashKeyOverridesThePartitionKey() {
        String middle = HASH_KEYS.shiftRight(1).toString();
        PutRecordResponse put = kinesis.putRecord(request -> request.streamName(stream)
                .partitionKey("a")
                .explicitHashKey(middle)
                .data(bytes("x")));
        assertThat(put.shardId()).isEqualTo("shardId-000000000001");
        running.difference(MOTO, "answers 500 to an explicit hash key of 2^128 and to 2^128-1");
        String last = HASH_KEYS.subtract(BigInteger.ONE).toString();
        assertThat(kinesis.putRecord(request -> request.streamName(stream)
                                .partitionKey("a")
                                .explicitHashKey(last)
                                .data(bytes("x")))
                        .shardId())
                .isEqualTo("shardId-000000000001");
        assertThatThrownBy(() -> kinesis.putRecord(request -> request.streamName(stream)
                        .partitionKey("a")
                        .explicitHashKey(HASH_KEYS.toString())
                        .data(bytes("x"))))
                .isInstanceOf(InvalidArgumentException.class);
    }

    @Test
    void batchIsStoredInItsOrder() {
        List<PutRecordsRequestEntry> entries = IntStream.range(0, 50)
                .mapToObj(i -> PutRecordsRequestEntry.builder()
                        .partitionKey("a")
                        .data(bytes("payload-" + i))
                        .build())
                .toList();
        PutRecordsResponse put =
                kinesis.putRecords(request -> request.streamName(stream).records(entries));
        assertThat(put.failedRecordCount()).isZero();
        assertThat(put.records())
                .hasSize(50)
                .allSatisfy(result -> assertThat(result.errorCode()).isNull());
        assertThat(readAll("shardId-000000000000"))
                .extracting(read -> read.data().asUtf8String())
                .containsExactlyElementsOf(entries.stream()
                        .map(entry -> entry.data().asUtf8String())
                        .toList());
    }

    @Test
    void batchHasAtMost500Records() {
        List<PutRecordsRequestEntry> entries = IntStream.range(0, 501)
                .mapToObj(i -> PutRecordsRequestEntry.builder()
                        .partitionKey("a")
                        .data(bytes("x"))
                        .build())
                .toList();
        assertThatThrownBy(() ->
                        kinesis.putRecords(request -> request.streamName(stream).records(entries)))
                .isInstanceOf(KinesisException.class)
                .asInstanceOf(InstanceOfAssertFactories.type(AwsServiceException.class))
                .satisfies(e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo("ValidationException"));
    }

    @Test
    void recordHasAtMostOneMebibyte() {
        running.difference(MOTO, "has no limit for the record of a PutRecord");
        byte[] tooLarge = new byte[1_048_577];
        assertThatThrownBy(() -> kinesis.putRecord(
                        request -> request.streamName(stream).partitionKey("a").data(SdkBytes.fromByteArray(tooLarge))))
                .isInstanceOf(KinesisException.class)
                .satisfies(e -> assertThat(((KinesisException) e).statusCode()).isEqualTo(400));
    }

    /** Field case 5: compared as numbers, they increase within a shard. */
    @Test
    void sequenceNumbersIncrease() {
        BigInteger last = BigInteger.ZERO;
        for (int i = 0; i < 12; i++) {
            BigInteger number = new BigInteger(put("a", "x").sequenceNumber());
            assertThat(number).isGreaterThan(last);
            last = number;
        }
        running.difference(MOTO, "counts sequence numbers 1, 2, 3 ... in a shard, where AWS gives 56 digits");
        assertThat(last.toString()).hasSize(56);
    }

    @Test
    void readingStartsWhereTheIteratorSays() {
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            numbers.add(put("a", "payload-" + i).sequenceNumber());
        }
        assertThat(payloads(iterator(ShardIteratorType.TRIM_HORIZON, null)))
                .containsExactly("payload-0", "payload-1", "payload-2", "payload-3");
        assertThat(payloads(iterator(ShardIteratorType.AT_SEQUENCE_NUMBER, numbers.get(2))))
                .containsExactly("payload-2", "payload-3");
        assertThat(payloads(iterator(ShardIteratorType.AFTER_SEQUENCE_NUMBER, numbers.get(2))))
                .containsExactly("payload-3");
        String latest = iterator(ShardIteratorType.LATEST, null);
        put("a", "payload-4");
        assertThat(payloads(latest)).containsExactly("payload-4");
        String atTimestamp = kinesis.getShardIterator(request -> request.streamName(stream)
                        .shardId("shardId-000000000000")
                        .shardIteratorType(ShardIteratorType.AT_TIMESTAMP)
                        .timestamp(Instant.now().minusSeconds(600)))
                .shardIterator();
        assertThat(payloads(atTimestamp)).hasSize(5);
    }

    @Test
    void readingGoesOnFromTheNextIterator() {
        for (int i = 0; i < 5; i++) {
            put("a", "payload-" + i);
        }
        String first = iterator(ShardIteratorType.TRIM_HORIZON, null);
        GetRecordsResponse two =
                kinesis.getRecords(request -> request.shardIterator(first).limit(2));
        assertThat(two.records())
                .extracting(read -> read.data().asUtf8String())
                .containsExactly("payload-0", "payload-1");
        GetRecordsResponse rest = kinesis.getRecords(request -> request.shardIterator(two.nextShardIterator()));
        assertThat(rest.records()).hasSize(3);
        assertThat(rest.millisBehindLatest()).isZero();
        assertThat(kinesis.getRecords(request -> request.shardIterator(rest.nextShardIterator()))
                        .records())
                .isEmpty();
    }

    @Test
    void madeUpPositionsAreRefused() {
        assertThatThrownBy(() -> kinesis.getRecords(request -> request.shardIterator("AAAAAAAAAAAA")))
                .isInstanceOf(KinesisException.class);
        assertThatThrownBy(() -> kinesis.getShardIterator(request -> request.streamName(stream)
                        .shardId("shardId-000000000007")
                        .shardIteratorType(ShardIteratorType.TRIM_HORIZON)))
                .isInstanceOf(ResourceNotFoundException.class);
        running.difference(MOTO, "takes any sequence number for one of the shard's");
        String foreign = put("b", "x").sequenceNumber();
        assertThatThrownBy(() -> iterator(ShardIteratorType.AT_SEQUENCE_NUMBER, foreign))
                .isInstanceOf(InvalidArgumentException.class);
        assertThatThrownBy(() -> iterator(ShardIteratorType.AT_SEQUENCE_NUMBER, "17"))
                .isInstanceOf(InvalidArgumentException.class);
    }

    @Test
    void splitClosesTheParentAndItsChildrenTakeOver() {
        String parentNumber = put("a", "before").sequenceNumber();
        String middle = HASH_KEYS.shiftRight(2).toString();
        kinesis.splitShard(request ->
                request.streamName(stream).shardToSplit("shardId-000000000000").newStartingHashKey(middle));
        awaitActive();
        List<Shard> shards = shards();
        assertThat(shards).hasSize(4);
        assertThat(shards.get(0).sequenceNumberRange().endingSequenceNumber()).isNotNull();
        assertThat(shards.subList(2, 4)).allSatisfy(child -> {
            assertThat(child.parentShardId()).isEqualTo("shardId-000000000000");
            assertThat(child.sequenceNumberRange().endingSequenceNumber()).isNull();
        });
        assertThat(shards.get(3).hashKeyRange().startingHashKey()).isEqualTo(middle);
        assertThatThrownBy(() -> kinesis.splitShard(request -> request.streamName(stream)
                        .shardToSplit("shardId-000000000000")
                        .newStartingHashKey(middle)))
                .isInstanceOf(KinesisException.class);

        running.difference(
                MOTO,
                "puts into a closed parent, moves its records into its children, and starts their numbers at 0 again");
        PutRecordResponse child = put("a", "after");
        assertThat(child.shardId()).isEqualTo("shardId-000000000002");
        assertThat(payloads(iterator(ShardIteratorType.TRIM_HORIZON, null))).containsExactly("before");
        assertThat(new BigInteger(child.sequenceNumber())).isGreaterThan(new BigInteger(parentNumber));
    }

    @Test
    void endOfAClosedShardHasNoNextIteratorAndNamesTheChildren() {
        put("a", "before");
        kinesis.splitShard(request -> request.streamName(stream)
                .shardToSplit("shardId-000000000000")
                .newStartingHashKey(HASH_KEYS.shiftRight(2).toString()));
        awaitActive();
        running.difference(MOTO, "goes on with an iterator at the end of a closed shard and names no children");
        GetRecordsResponse end =
                kinesis.getRecords(request -> request.shardIterator(iterator(ShardIteratorType.TRIM_HORIZON, null)));
        while (end.nextShardIterator() != null) {
            String next = end.nextShardIterator();
            end = kinesis.getRecords(request -> request.shardIterator(next));
        }
        assertThat(end.childShards())
                .hasSize(2)
                .allSatisfy(child -> assertThat(child.parentShards()).containsExactly("shardId-000000000000"));
        assertThat(end.millisBehindLatest()).isZero();
    }

    @Test
    void mergeJoinsTheHashKeysOfNeighbours() {
        kinesis.mergeShards(request -> request.streamName(stream)
                .shardToMerge("shardId-000000000000")
                .adjacentShardToMerge("shardId-000000000001"));
        awaitActive();
        Shard child = shards().get(2);
        assertThat(child.parentShardId()).isEqualTo("shardId-000000000000");
        assertThat(child.adjacentParentShardId()).isEqualTo("shardId-000000000001");
        assertThat(child.hashKeyRange().startingHashKey()).isEqualTo("0");
        assertThat(child.hashKeyRange().endingHashKey())
                .isEqualTo(HASH_KEYS.subtract(BigInteger.ONE).toString());
        running.difference(MOTO, "puts into the closed parents of a merge");
        assertThat(put("b", "x").shardId()).isEqualTo("shardId-000000000002");
    }

    @Test
    void retentionIsRaisedAndLowered() {
        kinesis.increaseStreamRetentionPeriod(
                request -> request.streamName(stream).retentionPeriodHours(48));
        assertThat(retentionHours()).isEqualTo(48);
        assertThatThrownBy(() -> kinesis.increaseStreamRetentionPeriod(
                        request -> request.streamName(stream).retentionPeriodHours(25)))
                .isInstanceOf(InvalidArgumentException.class);
        kinesis.decreaseStreamRetentionPeriod(
                request -> request.streamName(stream).retentionPeriodHours(24));
        assertThat(retentionHours()).isEqualTo(24);
        assertThatThrownBy(() -> kinesis.decreaseStreamRetentionPeriod(
                        request -> request.streamName(stream).retentionPeriodHours(23)))
                .isInstanceOf(InvalidArgumentException.class);
    }

    private void createStream(int shardCount) {
        kinesis.createStream(request -> request.streamName(stream).shardCount(shardCount));
        awaitActive();
    }

    private void awaitActive() {
        kinesis.waiter().waitUntilStreamExists(request -> request.streamName(stream));
    }

    private int retentionHours() {
        return kinesis.describeStreamSummary(request -> request.streamName(stream))
                .streamDescriptionSummary()
                .retentionPeriodHours();
    }

    private List<Shard> shards() {
        return kinesis.listShards(request -> request.streamName(stream)).shards();
    }

    private PutRecordResponse put(String partitionKey, String payload) {
        return kinesis.putRecord(
                request -> request.streamName(stream).partitionKey(partitionKey).data(bytes(payload)));
    }

    /** An iterator of shard 0. */
    private String iterator(ShardIteratorType type, @Nullable String sequenceNumber) {
        GetShardIteratorRequest.Builder request = GetShardIteratorRequest.builder()
                .streamName(stream)
                .shardId("shardId-000000000000")
                .shardIteratorType(type);
        if (sequenceNumber != null) {
            request.startingSequenceNumber(sequenceNumber);
        }
        return kinesis.getShardIterator(request.build()).shardIterator();
    }

    private List<Record> readAll(String shardId) {
        return readToTip(kinesis.getShardIterator(request ->
                        request.streamName(stream).shardId(shardId).shardIteratorType(ShardIteratorType.TRIM_HORIZON))
                .shardIterator());
    }

    private List<String> payloads(String iterator) {
        return readToTip(iterator).stream()
                .map(read -> read.data().asUtf8String())
                .toList();
    }

    /** Reads on over empty answers, which do not mean that the tip is reached. */
    private static List<Record> readToTip(String iterator) {
        List<Record> records = new ArrayList<>();
        String next = iterator;
        for (int i = 0; i < READS_MAX && next != null; i++) {
            String current = next;
            GetRecordsResponse read = kinesis.getRecords(request -> request.shardIterator(current));
            records.addAll(read.records());
            next = read.millisBehindLatest() == 0 ? null : read.nextShardIterator();
        }
        return records;
    }

    private static SdkBytes bytes(String text) {
        return SdkBytes.fromString(text, StandardCharsets.UTF_8);
    }
}
