package io.millrace.local;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** One stream of an embedded AWS with a clock that tests move, behind the SDK's client. */
final class EmbeddedKinesis implements AutoCloseable {
    static final String SHARD_0 = shardId(0);
    private static final int READS_MAX = 1_000;

    final ManualClock clock = new ManualClock();
    final KinesisClient client;
    private final EmbeddedAws aws;
    private final String stream;

    EmbeddedKinesis(long seed, boolean shortNumbers, int shardCount) {
        this.stream = "flights";
        this.aws = EmbeddedAws.builder()
                .clock(clock)
                .seed(seed)
                .shortSequenceNumbers(shortNumbers)
                .build();
        this.client = AwsEndpoint.of(aws).kinesis();
        client.createStream(request -> request.streamName(stream).shardCount(shardCount));
    }

    static String shardId(int index) {
        return "shardId-00000000000" + index;
    }

    /** Puts a record into an open shard and answers its sequence number. */
    String put(String shardId, String payload) {
        String hashKey = shard(shardId).hashKeyRange().startingHashKey();
        return client.putRecord(request -> request.streamName(stream)
                        .partitionKey("k")
                        .explicitHashKey(hashKey)
                        .data(SdkBytes.fromUtf8String(payload)))
                .sequenceNumber();
    }

    List<String> put(String shardId, int count) {
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(put(shardId, "payload-" + i));
        }
        return numbers;
    }

    String iterator(String shardId, ShardIteratorType type) {
        return client.getShardIterator(
                        request -> request.streamName(stream).shardId(shardId).shardIteratorType(type))
                .shardIterator();
    }

    String iterator(String shardId, ShardIteratorType type, String sequenceNumber) {
        return client.getShardIterator(request -> request.streamName(stream)
                        .shardId(shardId)
                        .shardIteratorType(type)
                        .startingSequenceNumber(sequenceNumber))
                .shardIterator();
    }

    GetRecordsResponse read(String iterator) {
        return client.getRecords(request -> request.shardIterator(iterator));
    }

    /** The sequence numbers from an iterator to the tip or the end of the shard. */
    List<String> numbersFrom(String iterator) {
        List<String> numbers = new ArrayList<>();
        String next = iterator;
        for (int i = 0; i < READS_MAX && next != null; i++) {
            GetRecordsResponse read = read(next);
            read.records().stream().map(Record::sequenceNumber).forEach(numbers::add);
            next = read.millisBehindLatest() == 0 ? null : read.nextShardIterator();
        }
        return numbers;
    }

    List<String> numbersAt(String shardId, String sequenceNumber) {
        return numbersFrom(iterator(shardId, ShardIteratorType.AT_SEQUENCE_NUMBER, sequenceNumber));
    }

    List<String> numbersAfter(String shardId, String sequenceNumber) {
        return numbersFrom(iterator(shardId, ShardIteratorType.AFTER_SEQUENCE_NUMBER, sequenceNumber));
    }

    List<Shard> shards() {
        return client.listShards(request -> request.streamName(stream)).shards();
    }

    List<String> shardIds() {
        return shards().stream().map(Shard::shardId).toList();
    }

    Shard shard(String shardId) {
        return shards().stream()
                .filter(shard -> shard.shardId().equals(shardId))
                .findFirst()
                .orElseThrow();
    }

    void split(String shardId) {
        Shard shard = shard(shardId);
        BigInteger start = new BigInteger(shard.hashKeyRange().startingHashKey());
        BigInteger end = new BigInteger(shard.hashKeyRange().endingHashKey());
        client.splitShard(request -> request.streamName(stream)
                .shardToSplit(shardId)
                .newStartingHashKey(start.add(end).shiftRight(1).toString()));
    }

    void merge(String shardId, String adjacentShardId) {
        client.mergeShards(
                request -> request.streamName(stream).shardToMerge(shardId).adjacentShardToMerge(adjacentShardId));
    }

    @Override
    public void close() {
        client.close();
        aws.close();
    }
}
