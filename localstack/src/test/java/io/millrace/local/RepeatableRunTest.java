package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardFilterType;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/**
 * The promise that simulations stand on: with the same clock, seed and order of requests, all responses are the same to the
 * byte, over splits and merges, expiry, injected faults and days of the clock.
 */
class RepeatableRunTest {
    private static final int STEPS = 600;
    private static final int OPEN_SHARDS_MAX = 6;
    private static final int READS_MAX = 3;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sameSeedGivesTheSameResponsesToTheByte(boolean shortNumbers) {
        List<String> run = run(21, shortNumbers);
        assertThat(run(21, shortNumbers)).isEqualTo(run);
        assertThat(run(22, shortNumbers)).isNotEqualTo(run);
        // It was worth while.
        for (String met : List.of(
                "ChildShards",
                "AdjacentParentShardId",
                "NextShardIterator",
                "ResourceNotFoundException",
                "ConditionalCheckFailed",
                "InternalServerError",
                "ThrottlingException")) {
            assertThat(run).as(met).anyMatch(response -> response.contains(met));
        }
    }

    private static List<String> run(long seed, boolean shortNumbers) {
        try (Run run = new Run(seed, shortNumbers)) {
            for (int step = 0; step < STEPS; step++) {
                try {
                    run.step();
                } catch (AwsServiceException refused) {
                    // Its response is recorded like any other.
                }
            }
            assertThat(run.expired).isPositive();
            return run.recorded.responses;
        }
    }

    /** Random requests from one seed. */
    private static final class Run implements AutoCloseable {
        private final SplittableRandom random;
        private final ManualClock clock = new ManualClock();
        private final EmbeddedAws aws;
        private final RecordedResponses recorded;
        private final KinesisClient kinesis;
        private final DynamoDbClient dynamo;
        private final List<Map.Entry<String, String>> numbersByShard = new ArrayList<>();
        private int expired;

        Run(long seed, boolean shortNumbers) {
            this.random = new SplittableRandom(seed);
            this.aws = EmbeddedAws.builder()
                    .clock(clock)
                    .seed(seed)
                    .shortSequenceNumbers(shortNumbers)
                    .build();
            FaultInjector faults = FaultInjector.builder(seed)
                    .none()
                    .probability(Fault.INTERNAL_SERVER_ERROR, 0.02)
                    .probability(Fault.THROTTLE, 0.02)
                    .probability(Fault.TRANSACTION_CONFLICT, 0.02)
                    .probability(Fault.UNPROCESSED_KEYS, 0.2)
                    .probability(Fault.EMPTY_READ, 0.05)
                    .build();
            this.recorded = new RecordedResponses(faults.decorate(aws.httpClient()));
            AwsEndpoint endpoint = AwsEndpoint.of(aws);
            this.kinesis = endpoint.kinesis(recorded);
            this.dynamo = endpoint.dynamoDb(recorded);
            kinesis.createStream(request -> request.streamName("flights").shardCount(2));
            SimpleTable.create(dynamo, "cells");
        }

        void step() {
            switch (random.nextInt(12)) {
                case 0 -> putRecords();
                case 1 -> split();
                case 2 -> merge();
                case 3 -> clock.advance(Duration.ofMillis(random.nextLong(20_000)));
                case 4 -> clock.advance(random.nextInt(8) == 0 ? Duration.ofDays(3) : Duration.ofHours(1));
                case 5 -> readFromTheOldest();
                case 6 -> readFromANumber();
                case 7, 8 -> putItem();
                case 9 -> transact();
                case 10 -> readItems();
                default -> expired += aws.deleteExpiredItems();
            }
        }

        private void putRecords() {
            List<PutRecordsRequestEntry> entries = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                entries.add(PutRecordsRequestEntry.builder()
                        .partitionKey("key-" + random.nextInt(50))
                        .data(SdkBytes.fromUtf8String("payload-" + random.nextInt()))
                        .build());
            }
            kinesis.putRecords(request -> request.streamName("flights").records(entries))
                    .records()
                    .forEach(put -> numbersByShard.add(Map.entry(put.shardId(), put.sequenceNumber())));
        }

        private List<Shard> openShards() {
            return kinesis.listShards(request ->
                            request.streamName("flights").shardFilter(filter -> filter.type(ShardFilterType.AT_LATEST)))
                    .shards();
        }

        private void split() {
            List<Shard> open = openShards();
            Shard shard = open.get(random.nextInt(open.size()));
            BigInteger start = new BigInteger(shard.hashKeyRange().startingHashKey());
            BigInteger end = new BigInteger(shard.hashKeyRange().endingHashKey());
            if (open.size() < OPEN_SHARDS_MAX) {
                kinesis.splitShard(request -> request.streamName("flights")
                        .shardToSplit(shard.shardId())
                        .newStartingHashKey(start.add(end).shiftRight(1).toString()));
            }
        }

        private void merge() {
            List<Shard> open = openShards();
            Shard shard = open.get(random.nextInt(open.size()));
            BigInteger next = new BigInteger(shard.hashKeyRange().endingHashKey()).add(BigInteger.ONE);
            open.stream()
                    .filter(other -> other.hashKeyRange().startingHashKey().equals(next.toString()))
                    .findFirst()
                    .ifPresent(adjacent -> kinesis.mergeShards(request -> request.streamName("flights")
                            .shardToMerge(shard.shardId())
                            .adjacentShardToMerge(adjacent.shardId())));
        }

        private void readFromTheOldest() {
            List<Shard> shards =
                    kinesis.listShards(request -> request.streamName("flights")).shards();
            String shardId = shards.get(random.nextInt(shards.size())).shardId();
            read(kinesis.getShardIterator(request -> request.streamName("flights")
                            .shardId(shardId)
                            .shardIteratorType(ShardIteratorType.TRIM_HORIZON))
                    .shardIterator());
        }

        /** Of a record that can be trimmed, of a shard that can be gone. */
        private void readFromANumber() {
            if (numbersByShard.isEmpty()) {
                return;
            }
            Map.Entry<String, String> number = numbersByShard.get(random.nextInt(numbersByShard.size()));
            ShardIteratorType type = random.nextBoolean()
                    ? ShardIteratorType.AT_SEQUENCE_NUMBER
                    : ShardIteratorType.AFTER_SEQUENCE_NUMBER;
            read(kinesis.getShardIterator(request -> request.streamName("flights")
                            .shardId(number.getKey())
                            .shardIteratorType(type)
                            .startingSequenceNumber(number.getValue()))
                    .shardIterator());
        }

        private void read(String iterator) {
            String next = iterator;
            for (int i = 0; i < READS_MAX && next != null; i++) {
                String current = next;
                GetRecordsResponse read = kinesis.getRecords(
                        request -> request.shardIterator(current).limit(5));
                next = read.nextShardIterator();
            }
        }

        private Map<String, AttributeValue> item() {
            long end = clock.instant().getEpochSecond() + random.nextInt(5_000);
            return Map.of(
                    "id", AttributeValue.fromS("item-" + random.nextInt(20)),
                    "end", AttributeValue.fromN(Long.toString(end)),
                    "tags", AttributeValue.fromSs(List.of("x", "y" + random.nextInt(3))));
        }

        private void putItem() {
            Map<String, AttributeValue> item = item();
            dynamo.putItem(request -> request.tableName("cells").item(item).returnValues("ALL_OLD"));
        }

        private void transact() {
            Map<String, AttributeValue> present = Map.of("id", item().get("id"));
            Map<String, AttributeValue> item = item();
            String token = "token-" + random.nextInt(1_000_000);
            TransactWriteItem check = TransactWriteItem.builder()
                    .conditionCheck(condition ->
                            condition.tableName("cells").key(present).conditionExpression("attribute_exists(id)"))
                    .build();
            TransactWriteItem put = TransactWriteItem.builder()
                    .put(write -> write.tableName("cells").item(item))
                    .build();
            dynamo.transactWriteItems(request ->
                    request.clientRequestToken(token).transactItems(check, put).returnConsumedCapacity("TOTAL"));
        }

        private void readItems() {
            KeysAndAttributes keys = KeysAndAttributes.builder()
                    .keys(List.of(
                            Map.of("id", AttributeValue.fromS("item-1")), Map.of("id", AttributeValue.fromS("item-2"))))
                    .build();
            dynamo.batchGetItem(request -> request.requestItems(Map.of("cells", keys)));
            dynamo.scan(request -> request.tableName("cells").limit(7));
        }

        @Override
        public void close() {
            dynamo.close();
            kinesis.close();
            aws.close();
        }
    }
}
