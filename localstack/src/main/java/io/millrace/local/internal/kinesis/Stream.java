package io.millrace.local.internal.kinesis;

import io.millrace.local.internal.AwsServiceException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A stream: its shards, and the monitor that guards them and their records. Every method that takes the time first drops
 * what the retention no longer covers: records by their arrival, and closed shards once all they held is gone.
 */
final class Stream {
    static final int RETENTION_HOURS_MIN = 24;
    private static final int READ_BYTES_MAX = 10 * 1024 * 1024;

    /** What was read, where to go on, and how far the tip is. */
    record ReadResult(
            Shard shard, List<StoredRecord> records, long nextNumber, long behindMillis, List<Shard> childrenAtEnd) {}

    private final StreamRules rules;
    private final KinesisErrors errors;
    private final String name;
    private final String arn;
    private final boolean onDemand;
    private final int recordBytesMax;
    private final long createdSeconds;
    private final long createdMillis;

    private final NavigableMap<Integer, Shard> shards = new TreeMap<>();
    private final NavigableMap<BigInteger, Shard> openShardsByStart = new TreeMap<>();
    private final Deque<Shard> closedShards = new ArrayDeque<>();
    private int retentionHours = RETENTION_HOURS_MIN;
    private int nextShardIndex;

    Stream(StreamRules rules, String arn, NewStream options, long createdSeconds, long createdMillis) {
        this.rules = rules;
        this.errors = rules.errors();
        this.name = options.name();
        this.arn = arn;
        this.onDemand = options.onDemand();
        this.recordBytesMax = options.recordBytesMax();
        this.createdSeconds = createdSeconds;
        this.createdMillis = createdMillis;
        HashKeyRange.divide(options.shardCount())
                .forEach(range -> open(range, List.of(), createdSeconds, createdMillis));
    }

    String name() {
        return name;
    }

    String arn() {
        return arn;
    }

    boolean isOnDemand() {
        return onDemand;
    }

    int recordBytesMax() {
        return recordBytesMax;
    }

    long createdSeconds() {
        return createdSeconds;
    }

    long createdMillis() {
        return createdMillis;
    }

    synchronized int retentionHours() {
        return retentionHours;
    }

    synchronized void retainHours(int hours) {
        retentionHours = hours;
    }

    synchronized int openShardCount() {
        return openShardsByStart.size();
    }

    /** The highest second that sequence numbers of this stream begin with. */
    synchronized long lastCreatedSeconds() {
        return shards.values().stream().mapToLong(Shard::createdSeconds).max().orElse(createdSeconds);
    }

    /** The oldest time that the stream still covers. */
    synchronized long horizonMillis(long nowMillis) {
        return Math.max(
                createdMillis, nowMillis - Duration.ofHours(retentionHours).toMillis());
    }

    /** The shards after that index, open or within the retention, in the order of their ids. */
    synchronized List<Shard> shardsAfter(int index, long nowMillis) {
        expireShards(nowMillis);
        return new ArrayList<>(shards.tailMap(index, false).values());
    }

    /**
     * Appends a record to the open shard of its hash key.
     *
     * @throws AwsServiceException if throughput limits are enforced and the shard has taken enough in this second
     */
    synchronized Placement append(PutEntry entry, long nowMillis) {
        Map.Entry<BigInteger, Shard> owner = openShardsByStart.floorEntry(entry.hashKey());
        if (owner == null) {
            throw new IllegalStateException("no open shard of stream " + name + " takes hash key " + entry.hashKey());
        }
        Shard shard = owner.getValue();
        if (rules.throughputLimited() && !shard.writes.tryAcquire(nowMillis, entry.sizeBytes())) {
            throw errors.throughputExceeded(shard.id(), name);
        }
        trim(shard, nowMillis);
        StoredRecord stored = shard.log.append(entry, nowMillis);
        return new Placement(shard.id(), shard.sequenceNumberOf(stored));
    }

    /**
     * The place of the first record to read for a sequence number of the shard. Its record can be trimmed: reading then
     * begins with the oldest record that is not.
     */
    synchronized long positionOf(String shardId, String sequenceNumber, boolean after, long nowMillis) {
        Shard shard = shardToRead(shardId, nowMillis);
        int named = shard.shardIndexIn(sequenceNumber);
        if (named != shard.index() && shards.containsKey(named)) {
            throw KinesisErrors.sequenceNumberOfOtherShard(Shard.idOf(named), shard.id());
        }
        long place = shard.placeOf(sequenceNumber);
        if (place == ShardNumbers.NO_PLACE) {
            throw errors.foreignSequenceNumber(sequenceNumber, shard.id(), name);
        }
        return Math.min(place + (after ? 1 : 0), shard.log.nextNumber());
    }

    synchronized long positionAtTip(String shardId, long nowMillis) {
        return shardToRead(shardId, nowMillis).log.nextNumber();
    }

    synchronized long positionAtHorizon(String shardId, long nowMillis) {
        Shard shard = shardToRead(shardId, nowMillis);
        trim(shard, nowMillis);
        return shard.log.firstNumber();
    }

    synchronized long positionAtTime(String shardId, long millis, long nowMillis) {
        Shard shard = shardToRead(shardId, nowMillis);
        trim(shard, nowMillis);
        return shard.log.firstNumberSince(millis);
    }

    /** Reads up to that many records from a position on; at least one if there is any. */
    synchronized ReadResult read(String shardId, long position, int recordsMax, long nowMillis) {
        Shard shard = shardToRead(shardId, nowMillis);
        if (rules.throughputLimited() && !shard.reads.tryAcquire(nowMillis, 0)) {
            throw errors.throughputExceeded(shard.id(), name);
        }
        trim(shard, nowMillis);
        List<StoredRecord> records = new ArrayList<>();
        long next = Math.max(position, shard.log.firstNumber());
        long tip = shard.log.nextNumber();
        int bytes = 0;
        while (next < tip && records.size() < recordsMax) {
            StoredRecord stored = shard.log.get(next);
            if (!records.isEmpty() && bytes + stored.sizeBytes() > READ_BYTES_MAX) {
                break;
            }
            records.add(stored);
            bytes += stored.sizeBytes();
            next++;
        }
        boolean atTip = next >= tip;
        // Short of the tip it is never 0, even if the clock stands still.
        long behindMillis =
                atTip ? 0 : Math.max(1, nowMillis - shard.log.get(next).arrivalMillis());
        return new ReadResult(shard, records, next, behindMillis, atTip ? shard.children() : List.of());
    }

    synchronized void split(String shardId, BigInteger newStart, long nowMillis) {
        Shard shard = shardToReshape(shardId, nowMillis);
        if (!shard.range().canSplitAt(newStart)) {
            throw errors.cannotSplitAt(newStart.toString(), shard, name);
        }
        HashKeyRange lower = new HashKeyRange(shard.range().start(), newStart.subtract(BigInteger.ONE));
        HashKeyRange upper = new HashKeyRange(newStart, shard.range().end());
        replace(List.of(shard), List.of(lower, upper), nowMillis);
    }

    synchronized void merge(String shardId, String adjacentShardId, long nowMillis) {
        Shard shard = shardToReshape(shardId, nowMillis);
        Shard adjacent = shardToReshape(adjacentShardId, nowMillis);
        HashKeyRange range = shard.range();
        HashKeyRange other = adjacent.range();
        HashKeyRange merged;
        if (range.endsBefore(other)) {
            merged = new HashKeyRange(range.start(), other.end());
        } else if (other.endsBefore(range)) {
            merged = new HashKeyRange(other.start(), range.end());
        } else {
            throw errors.notAdjacent(shard.id(), adjacent.id(), name);
        }
        replace(List.of(shard, adjacent), List.of(merged), nowMillis);
    }

    private void replace(List<Shard> parents, List<HashKeyRange> ranges, long nowMillis) {
        // A later second than the parents' puts the children's sequence numbers, as AWS makes them, above theirs.
        long seconds = Math.floorDiv(nowMillis, 1_000);
        for (Shard parent : parents) {
            seconds = Math.max(seconds, parent.createdSeconds() + 1);
            openShardsByStart.remove(parent.range().start());
            closedShards.addLast(parent);
        }
        List<Shard> children = new ArrayList<>();
        for (HashKeyRange range : ranges) {
            children.add(open(range, parents, seconds, nowMillis));
        }
        parents.forEach(parent -> parent.close(List.copyOf(children), nowMillis));
    }

    private Shard open(HashKeyRange range, List<Shard> parents, long seconds, long nowMillis) {
        int index = nextShardIndex++;
        ShardNumbers numbers = rules.numbers().of(name, index, seconds);
        Shard shard = new Shard(index, range, parents, seconds, nowMillis, numbers);
        shards.put(index, shard);
        openShardsByStart.put(range.start(), shard);
        return shard;
    }

    private Shard shardToRead(String shardId, long nowMillis) {
        expireShards(nowMillis);
        Shard shard = shards.get(Shard.indexOf(shardId));
        if (shard == null) {
            throw errors.shardNotFound(shardId, name);
        }
        return shard;
    }

    private Shard shardToReshape(String shardId, long nowMillis) {
        expireShards(nowMillis);
        Shard shard = shards.get(Shard.indexOf(shardId));
        if (shard == null) {
            throw errors.couldNotFindShard(shardId, name);
        }
        if (!shard.isOpen()) {
            throw errors.shardClosed(shardId, name);
        }
        return shard;
    }

    private void trim(Shard shard, long nowMillis) {
        shard.log.trim(horizonMillis(nowMillis));
    }

    private void expireShards(long nowMillis) {
        long horizon = horizonMillis(nowMillis);
        Shard oldest = closedShards.peekFirst();
        while (oldest != null) {
            Long closed = oldest.closedMillis();
            if (closed == null || closed >= horizon) {
                return;
            }
            shards.remove(oldest.index());
            closedShards.removeFirst();
            oldest = closedShards.peekFirst();
        }
    }

    /** Where a record was put. */
    record Placement(String shardId, String sequenceNumber) {}

    /** What a stream is created with. */
    record NewStream(String name, boolean onDemand, int shardCount, int recordBytesMax) {}
}
