package io.millrace.local.internal.mapping;

import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.model.Record;

/** A small stream in memory with Kinesis's paging: short pages, empty reads short of the tip, expiring iterators. */
public final class InMemoryShards implements ShardSource {
    public static final String STREAM_ARN = "arn:aws:kinesis:eu-west-1:123456789012:stream/flights";
    private static final BigInteger FIRST_NUMBER =
            new BigInteger("49590338271490256608559692538361571095921575989136588800");

    private static final class Shard {
        private final SourceShard description;
        private final List<Record> records = new ArrayList<>();
        private boolean closed;

        private Shard(SourceShard description) {
            this.description = description;
        }
    }

    private final Map<String, Shard> shards = new LinkedHashMap<>();
    private final Clock clock;
    private final int pageSize;
    private long numbers;
    private int iteratorGeneration;
    private int emptyReads;
    private int failedReads;
    private Duration retention = Duration.ofHours(24);

    public InMemoryShards(Clock clock, int pageSize) {
        this.clock = clock;
        this.pageSize = pageSize;
    }

    public synchronized void addShard(String shardId, String... parents) {
        shards.put(shardId, new Shard(new SourceShard(shardId, List.of(parents))));
    }

    public synchronized void close(String shardId) {
        shard(shardId).closed = true;
    }

    public Record put(String shardId, String key) {
        return put(shardId, key, new byte[] {1, 2, 3});
    }

    public synchronized Record put(String shardId, String key, byte[] data) {
        numbers++;
        Record kinesisRecord = Record.builder()
                .partitionKey(key)
                .sequenceNumber(FIRST_NUMBER.add(BigInteger.valueOf(numbers)).toString())
                .data(SdkBytes.fromByteArray(data))
                .approximateArrivalTimestamp(clock.instant())
                .build();
        shard(shardId).records.add(kinesisRecord);
        return kinesisRecord;
    }

    /** The number of a record, counted from 1 over the whole stream. */
    public static int number(String sequenceNumber) {
        return new BigInteger(sequenceNumber).subtract(FIRST_NUMBER).intValueExact();
    }

    /** The next reads of records answer none, short of the tip. */
    public synchronized void makeReadsEmpty(int count) {
        emptyReads = count;
    }

    public synchronized void failReads(int count) {
        failedReads = count;
    }

    public synchronized void expireIterators() {
        iteratorGeneration++;
    }

    public synchronized void setRetention(Duration value) {
        retention = value;
    }

    @Override
    public synchronized List<SourceShard> listShards() {
        return shards.values().stream().map(shard -> shard.description).toList();
    }

    @Override
    public synchronized Duration retention() {
        return retention;
    }

    @Override
    public synchronized String openIterator(String shardId, ShardPosition position) {
        List<Record> records = shard(shardId).records;
        int index = 0;
        if (position instanceof ShardPosition.Newest) {
            index = records.size();
        } else if (position instanceof ShardPosition.After after) {
            index = (int) records.stream()
                    .filter(one -> SequenceNumbers.ORDER.compare(one.sequenceNumber(), after.sequenceNumber()) <= 0)
                    .count();
        } else if (position instanceof ShardPosition.AtTime at) {
            index = (int) records.stream()
                    .filter(one -> one.approximateArrivalTimestamp().isBefore(at.time()))
                    .count();
        }
        return iterator(shardId, index);
    }

    private String iterator(String shardId, int index) {
        return shardId + "|" + index + "|" + iteratorGeneration;
    }

    @Override
    public synchronized ReadOutcome read(String iterator, int limit) {
        List<String> parts = List.of(iterator.split("\\|", -1));
        Shard shard = shard(parts.get(0));
        int from = Integer.parseInt(parts.get(1));
        if (failedReads > 0) {
            failedReads--;
            return new ReadOutcome.Failed(new IllegalStateException("Rate exceeded"));
        }
        if (Integer.parseInt(parts.get(2)) < iteratorGeneration) {
            return new ReadOutcome.IteratorExpired();
        }
        if (emptyReads > 0 && from < shard.records.size()) {
            emptyReads--;
            return new ReadOutcome.Page(List.of(), iterator(parts.get(0), from), 5000);
        }
        int to = Math.min(shard.records.size(), from + Math.min(limit, pageSize));
        boolean atEnd = to == shard.records.size();
        @Nullable String next = atEnd && shard.closed ? null : iterator(parts.get(0), to);
        return new ReadOutcome.Page(List.copyOf(shard.records.subList(from, to)), next, atEnd ? 0 : 5000);
    }

    private Shard shard(String shardId) {
        Shard shard = shards.get(shardId);
        if (shard == null) {
            throw new IllegalArgumentException("There is no shard " + shardId);
        }
        return shard;
    }
}
