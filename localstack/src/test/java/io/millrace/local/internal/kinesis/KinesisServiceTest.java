package io.millrace.local.internal.kinesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.ManualClock;
import io.millrace.local.internal.AwsServiceException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class KinesisServiceTest {
    private static final String SHARD_0 = "shardId-000000000000";
    private static final String SHARD_1 = "shardId-000000000001";

    private final ManualClock clock = new ManualClock();
    private final KinesisService kinesis =
            new KinesisService(clock, "us-east-1", "000000000000", false, OptionalLong.empty());

    @Test
    void iteratorExpiresAfter300Seconds() {
        create(1);
        String iterator = iterator(SHARD_0, "TRIM_HORIZON");
        clock.advance(Duration.ofMinutes(5));
        assertThat(read(iterator).get("Records")).isEmpty();
        clock.advance(Duration.ofMillis(1));
        assertRefused("ExpiredIteratorException", "tolerated delay of 300000 milliseconds", () -> read(iterator));
    }

    @Test
    void recordsAreTrimmedAtTheRetention() {
        create(1);
        String first = put("a");
        clock.advance(Duration.ofHours(1));
        put("b");
        clock.advance(Duration.ofHours(23));
        assertThat(partitionKeys(read(iterator(SHARD_0, "TRIM_HORIZON")))).containsExactly("a", "b");
        clock.advance(Duration.ofMillis(1));
        assertThat(partitionKeys(read(iterator(SHARD_0, "TRIM_HORIZON")))).containsExactly("b");
        assertThat(partitionKeys(read(iterator(SHARD_0, "AT_SEQUENCE_NUMBER", first))))
                .containsExactly("b");
        clock.advance(Duration.ofHours(1));
        assertThat(partitionKeys(read(iterator(SHARD_0, "AFTER_SEQUENCE_NUMBER", first))))
                .isEmpty();
        put("c");
        assertThat(partitionKeys(read(iterator(SHARD_0, "AFTER_SEQUENCE_NUMBER", first))))
                .containsExactly("c");
    }

    @Test
    void longerRetentionKeepsRecordsLonger() {
        create(1);
        call("IncreaseStreamRetentionPeriod", stream().put("RetentionPeriodHours", 48));
        put("a");
        clock.advance(Duration.ofHours(47));
        assertThat(partitionKeys(read(iterator(SHARD_0, "TRIM_HORIZON")))).containsExactly("a");
        call("DecreaseStreamRetentionPeriod", stream().put("RetentionPeriodHours", 24));
        assertThat(partitionKeys(read(iterator(SHARD_0, "TRIM_HORIZON")))).isEmpty();
        assertRefused(
                "InvalidArgumentException",
                "Maximum allowed retention period is 8760 hours",
                () -> call("IncreaseStreamRetentionPeriod", stream().put("RetentionPeriodHours", 8_761)));
    }

    @Test
    void thousandsOfTrimmedRecordsKeepTheNumbering() {
        create(1);
        for (int i = 0; i < 3_000; i++) {
            put("old");
        }
        clock.advance(Duration.ofHours(20));
        String kept = put("kept");
        clock.advance(Duration.ofHours(10));
        assertThat(partitionKeys(read(iterator(SHARD_0, "TRIM_HORIZON")))).containsExactly("kept");
        String next = put("next");
        assertThat(new BigInteger(next)).isGreaterThan(new BigInteger(kept));
        assertThat(partitionKeys(read(iterator(SHARD_0, "AFTER_SEQUENCE_NUMBER", kept))))
                .containsExactly("next");
    }

    @Test
    void closedShardGoesWithItsLastRecord() {
        create(1);
        split(SHARD_0);
        clock.advance(Duration.ofDays(1));
        assertThat(shardIds(stream())).hasSize(3);
        clock.advance(Duration.ofMillis(1));
        assertThat(shardIds(stream())).containsExactly(SHARD_1, "shardId-000000000002");
        assertRefused("ResourceNotFoundException", "does not exist", () -> iterator(SHARD_0, "TRIM_HORIZON"));
    }

    @Test
    void childrenOfQuickSplitsStayAboveTheirParents() {
        create(1);
        String number = put("a");
        for (int i = 0; i < 5; i++) {
            split(Shard.idOf(i == 0 ? 0 : 2 * i - 1));
            String child = put("a");
            assertThat(new BigInteger(child)).isGreaterThan(new BigInteger(number));
            number = child;
        }
    }

    @Test
    void streamOfTheSameNameGivesNoNumberAgain() {
        create(1);
        String before = put("a");
        String iterator = iterator(SHARD_0, "TRIM_HORIZON");
        call("DeleteStream", stream());
        create(1);
        assertThat(new BigInteger(put("a"))).isGreaterThan(new BigInteger(before));
        assertRefused(
                "InvalidArgumentException",
                "did not come from this stream",
                () -> iterator(SHARD_0, "AT_SEQUENCE_NUMBER", before));
        assertRefused("InvalidArgumentException", "earlier stream", () -> read(iterator));
    }

    @Test
    void endOfAClosedShardIsAPosition() {
        create(1);
        put("a");
        split(SHARD_0);
        String end = call("ListShards", stream())
                .at("/Shards/0/SequenceNumberRange/EndingSequenceNumber")
                .textValue();
        ObjectNode read = read(iterator(SHARD_0, "AT_SEQUENCE_NUMBER", end));
        assertThat(read.get("Records")).isEmpty();
        assertThat(read.has("NextShardIterator")).isFalse();
        assertThat(read.get("ChildShards")).hasSize(2);
        assertThat(read.at("/ChildShards/0/ParentShards/0").textValue()).isEqualTo(SHARD_0);
    }

    @Test
    void numberOfASiblingIsRefusedByName() {
        create(2);
        String ofShard1 = put("b");
        assertRefused(
                "InvalidArgumentException",
                "It encodes " + SHARD_1 + ", while it was used in a call to a shard with " + SHARD_0,
                () -> iterator(SHARD_0, "AT_SEQUENCE_NUMBER", ofShard1));
    }

    @Test
    void numberThatIsNotYetGivenOutIsRefused() {
        create(1);
        SequenceNumber given = SequenceNumber.parse(put("a"));
        assertThat(given).isNotNull();
        String next = new SequenceNumber(given.shardCreatedSeconds(), 0, 2, given.arrivalSeconds()).text();
        assertRefused(
                "InvalidArgumentException",
                "did not come from this stream",
                () -> iterator(SHARD_0, "AFTER_SEQUENCE_NUMBER", next));
    }

    /** Field case 31: short of the tip, a read says so, even while the clock stands still. */
    @Test
    void distanceToTheTipIsPositiveShortOfIt() {
        create(1);
        put("a");
        put("b");
        ObjectNode request = object().put("ShardIterator", iterator(SHARD_0, "TRIM_HORIZON"));
        ObjectNode first = call("GetRecords", request.put("Limit", 1));
        assertThat(first.get("MillisBehindLatest").longValue()).isEqualTo(1);
        clock.advance(Duration.ofSeconds(90));
        ObjectNode again = call("GetRecords", request);
        assertThat(again.get("MillisBehindLatest").longValue()).isEqualTo(90_000);
        assertThat(read(again.get("NextShardIterator").textValue())
                        .get("MillisBehindLatest")
                        .longValue())
                .isZero();
    }

    @Test
    void readHasAtMostTenMebibytesButOneRecordAtLeast() {
        create(1);
        for (int i = 0; i < 12; i++) {
            call("PutRecord", stream().put("PartitionKey", "a").put("Data", new byte[1_000_000]));
        }
        ObjectNode first = read(iterator(SHARD_0, "TRIM_HORIZON"));
        assertThat(first.get("Records")).hasSize(10);
        assertThat(first.get("MillisBehindLatest").longValue()).isPositive();
        assertThat(read(first.get("NextShardIterator").textValue()).get("Records"))
                .hasSize(2);
        assertRefused(
                "ValidationException",
                "Value '10001' at 'limit' failed to satisfy constraint",
                () -> call(
                        "GetRecords",
                        object().put("ShardIterator", iterator(SHARD_0, "LATEST"))
                                .put("Limit", 10_001)));
    }

    @Test
    void sizesAreCountedWithThePartitionKey() {
        create(1);
        byte[] data = new byte[1_048_574];
        call("PutRecord", stream().put("PartitionKey", "é").put("Data", data));
        assertRefused(
                "InvalidArgumentException",
                "1048577 bytes, more than 1048576",
                () -> call("PutRecord", stream().put("PartitionKey", "éa").put("Data", data)));
        assertRefused(
                "ValidationException",
                "at 'data' failed to satisfy constraint: Member must have length less than or equal to 1048576",
                () -> call("PutRecord", stream().put("PartitionKey", "a").put("Data", new byte[1_048_577])));
        ObjectNode batch = stream();
        ArrayNode records = batch.putArray("Records");
        for (int i = 0; i < 6; i++) {
            records.addObject().put("PartitionKey", "a").put("Data", new byte[900_000]);
        }
        assertRefused("InvalidArgumentException", "Records size exceeds 5 MB limit", () -> call("PutRecords", batch));
    }

    @Test
    void streamCanOptIntoLargerRecords() {
        call("CreateStream", stream().put("ShardCount", 1).put("MaxRecordSizeInKiB", 10_240));
        call("PutRecord", stream().put("PartitionKey", "a").put("Data", new byte[10_000_000]));
        assertThat(read(iterator(SHARD_0, "TRIM_HORIZON")).get("Records")).hasSize(1);
    }

    @Test
    void membersAreCheckedAsAwsDoes() {
        create(1);
        assertRefused(
                "ValidationException",
                "1 validation error detected: Value '' at 'partitionKey' failed to satisfy constraint: "
                        + "Member must have length greater than or equal to 1",
                () -> call("PutRecord", stream().put("PartitionKey", "").put("Data", "")));
        ObjectNode batch = stream();
        batch.putArray("Records").addObject().put("PartitionKey", "a").put("Data", "");
        ((ArrayNode) batch.get("Records")).addObject().put("PartitionKey", "").put("Data", "");
        assertRefused(
                "ValidationException", "Value '' at 'records.2.member.partitionKey'", () -> call("PutRecords", batch));
        assertRefused(
                "ValidationException",
                "Value null at 'data' failed to satisfy constraint: Member must not be null",
                () -> call("PutRecord", stream().put("PartitionKey", "a")));
        assertRefused(
                "SerializationException",
                "base64",
                () -> call("PutRecord", stream().put("PartitionKey", "a").put("Data", "*")));
        assertRefused(
                "SerializationException",
                "can not be converted",
                () -> call("PutRecord", stream().put("PartitionKey", 7).put("Data", "")));
        assertRefused(
                "InvalidArgumentException",
                "ExplicitHashKey must be in the range: [0, 2^128-1]",
                () -> call(
                        "PutRecord",
                        stream()
                                .put("PartitionKey", "a")
                                .put("Data", "")
                                .put("ExplicitHashKey", "340282366920938463463374607431768211456")));
        assertRefused(
                "InvalidArgumentException",
                "timestampInMillis parameter cannot be greater",
                () -> call(
                        "GetShardIterator",
                        stream()
                                .put("ShardId", SHARD_0)
                                .put("ShardIteratorType", "AT_TIMESTAMP")
                                .put("Timestamp", clock.millis() / 1_000 + 1)));
        assertRefused("UnknownOperationException", "SubscribeToShard", () -> call("SubscribeToShard", stream()));
        assertRefused("InvalidArgumentException", "StreamName or StreamARN", () -> call("ListShards", object()));
        assertRefused(
                "LimitExceededException",
                "would exceed the shard limit",
                () -> call("CreateStream", object().put("StreamName", "large").put("ShardCount", 20_000)));
    }

    @Test
    void timestampStartsAtTheFirstRecordSinceThen() {
        create(1);
        put("a");
        clock.advance(Duration.ofSeconds(10));
        long millis = clock.millis();
        put("b");
        clock.advance(Duration.ofSeconds(10));
        put("c");
        ObjectNode request = stream().put("ShardId", SHARD_0).put("ShardIteratorType", "AT_TIMESTAMP");
        request.put("Timestamp", millis / 1_000.0);
        assertThat(partitionKeys(read(
                        call("GetShardIterator", request).get("ShardIterator").textValue())))
                .containsExactly("b", "c");
        request.put("Timestamp", (millis + 1) / 1_000.0);
        assertThat(partitionKeys(read(
                        call("GetShardIterator", request).get("ShardIterator").textValue())))
                .containsExactly("c");
    }

    @Test
    void filtersChooseShardsByTheirLife() {
        create(1);
        clock.advance(Duration.ofHours(1));
        split(SHARD_0);
        clock.advance(Duration.ofHours(1));
        assertThat(shardIds(filter("AT_TRIM_HORIZON"))).containsExactly(SHARD_0);
        assertThat(shardIds(filter("FROM_TRIM_HORIZON"))).hasSize(3);
        assertThat(shardIds(filter("AT_LATEST"))).containsExactly(SHARD_1, "shardId-000000000002");
        ObjectNode atTimestamp = filter("AT_TIMESTAMP");
        ((ObjectNode) atTimestamp.get("ShardFilter")).put("Timestamp", clock.millis() / 1_000 - 5_400);
        assertThat(shardIds(atTimestamp)).containsExactly(SHARD_0);
        ObjectNode after = filter("AFTER_SHARD_ID");
        ((ObjectNode) after.get("ShardFilter")).put("ShardId", SHARD_1);
        assertThat(shardIds(after)).containsExactly("shardId-000000000002");
        assertRefused("InvalidArgumentException", "Timestamp must be", () -> shardIds(filter("FROM_TIMESTAMP")));
    }

    @Test
    void pagingTokenExpires() {
        create(3);
        String token = call("ListShards", stream().put("MaxResults", 2))
                .get("NextToken")
                .textValue();
        assertThat(shardIds(object().put("NextToken", token))).containsExactly("shardId-000000000002");
        assertRefused(
                "InvalidArgumentException",
                "NextToken and StreamName cannot be provided together",
                () -> shardIds(stream().put("NextToken", token)));
        clock.advance(Duration.ofSeconds(301));
        assertRefused("ExpiredNextTokenException", "older than", () -> shardIds(object().put("NextToken", token)));
    }

    @Test
    void shardsThatAreNoNeighboursDoNotMerge() {
        create(3);
        assertRefused(
                "InvalidArgumentException",
                "not an adjacent pair",
                () -> call(
                        "MergeShards",
                        stream().put("ShardToMerge", SHARD_0).put("AdjacentShardToMerge", "shardId-000000000002")));
        call("MergeShards", stream().put("ShardToMerge", SHARD_1).put("AdjacentShardToMerge", SHARD_0));
        assertRefused(
                "InvalidArgumentException",
                "already been merged or split",
                () -> call("MergeShards", stream().put("ShardToMerge", SHARD_1).put("AdjacentShardToMerge", SHARD_0)));
    }

    @Test
    void enforcedThroughputFailsSingleRecordsOfABatch() {
        KinesisService limited = new KinesisService(clock, "us-east-1", "000000000000", true, OptionalLong.empty());
        limited.call("CreateStream", stream().put("ShardCount", 1));
        ObjectNode batch = stream();
        ArrayNode records = batch.putArray("Records");
        for (int i = 0; i < 400; i++) {
            records.addObject().put("PartitionKey", "a").put("Data", "");
        }
        limited.call("PutRecords", batch);
        limited.call("PutRecords", batch);
        ObjectNode third = limited.call("PutRecords", batch);
        assertThat(third.get("FailedRecordCount").intValue()).isEqualTo(200);
        assertThat(third.at("/Records/199/SequenceNumber").textValue()).isNotEmpty();
        assertThat(third.at("/Records/200/ErrorCode").textValue()).isEqualTo("ProvisionedThroughputExceededException");
        assertThat(third.at("/Records/200").has("SequenceNumber")).isFalse();
        clock.advance(Duration.ofSeconds(1));
        assertThat(limited.call("PutRecords", batch).get("FailedRecordCount").intValue())
                .isZero();
    }

    private ObjectNode call(String operation, ObjectNode request) {
        return kinesis.call(operation, request);
    }

    private void create(int shardCount) {
        call("CreateStream", stream().put("ShardCount", shardCount));
    }

    private void split(String shardId) {
        for (JsonNode shard : call("ListShards", stream()).get("Shards")) {
            if (shard.get("ShardId").textValue().equals(shardId)) {
                BigInteger start =
                        new BigInteger(shard.at("/HashKeyRange/StartingHashKey").textValue());
                BigInteger end =
                        new BigInteger(shard.at("/HashKeyRange/EndingHashKey").textValue());
                call(
                        "SplitShard",
                        stream()
                                .put("ShardToSplit", shardId)
                                .put(
                                        "NewStartingHashKey",
                                        start.add(end).shiftRight(1).toString()));
            }
        }
    }

    private String put(String partitionKey) {
        return call("PutRecord", stream().put("PartitionKey", partitionKey).put("Data", "eA=="))
                .get("SequenceNumber")
                .textValue();
    }

    private String iterator(String shardId, String type) {
        return call("GetShardIterator", stream().put("ShardId", shardId).put("ShardIteratorType", type))
                .get("ShardIterator")
                .textValue();
    }

    private String iterator(String shardId, String type, String sequenceNumber) {
        ObjectNode request = stream().put("ShardId", shardId).put("ShardIteratorType", type);
        return call("GetShardIterator", request.put("StartingSequenceNumber", sequenceNumber))
                .get("ShardIterator")
                .textValue();
    }

    private ObjectNode read(String iterator) {
        return call("GetRecords", object().put("ShardIterator", iterator));
    }

    private List<String> shardIds(ObjectNode request) {
        List<String> ids = new ArrayList<>();
        call("ListShards", request)
                .get("Shards")
                .forEach(shard -> ids.add(shard.get("ShardId").textValue()));
        return ids;
    }

    private static List<String> partitionKeys(ObjectNode read) {
        List<String> keys = new ArrayList<>();
        read.get("Records")
                .forEach(stored -> keys.add(stored.get("PartitionKey").textValue()));
        return keys;
    }

    private static ObjectNode filter(String type) {
        ObjectNode request = stream();
        request.putObject("ShardFilter").put("Type", type);
        return request;
    }

    private static ObjectNode stream() {
        return object().put("StreamName", "flights");
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static void assertRefused(String code, String message, ThrowingCallable action) {
        assertThatThrownBy(action)
                .isInstanceOf(AwsServiceException.class)
                .hasMessageContaining(message)
                .satisfies(e -> assertThat(((AwsServiceException) e).code()).isEqualTo(code));
    }
}
