package io.millrace.local.internal.kinesis;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A shard of a stream. Its records, throughput and children belong to the stream, which guards them; the rest can be read
 * at any time.
 */
final class Shard {
    private static final Pattern ID = Pattern.compile("shardId-(\\d{12})");
    private static final int WRITTEN_RECORDS_PER_SECOND_MAX = 1_000;
    private static final long WRITTEN_BYTES_PER_SECOND_MAX = 1_048_576;
    private static final int READS_PER_SECOND_MAX = 5;

    private final int index;
    private final String id;
    private final HashKeyRange range;
    private final List<Shard> parents;
    private final long createdSeconds;
    private final long createdMillis;
    private final ShardNumbers numbers;
    private volatile @Nullable Long closedMillis;
    /** Written before {@link #closedMillis}, and of meaning from then on. */
    private volatile long endPlace;

    final RecordLog log = new RecordLog();
    final ThroughputWindow writes = new ThroughputWindow(WRITTEN_RECORDS_PER_SECOND_MAX, WRITTEN_BYTES_PER_SECOND_MAX);
    final ThroughputWindow reads = new ThroughputWindow(READS_PER_SECOND_MAX, Long.MAX_VALUE);
    private List<Shard> children = List.of();

    /**
     * @param parents none, the shard that was split, or the two that were merged, the one named first at its head
     * @param createdSeconds the second that AWS's sequence numbers begin with; it can run ahead of the clock
     */
    Shard(
            int index,
            HashKeyRange range,
            List<Shard> parents,
            long createdSeconds,
            long createdMillis,
            ShardNumbers numbers) {
        this.index = index;
        this.id = idOf(index);
        this.range = range;
        this.parents = parents;
        this.createdSeconds = createdSeconds;
        this.createdMillis = createdMillis;
        this.numbers = numbers;
    }

    /** The index in a shard id, or -1 if the text is none. */
    static int indexOf(String shardId) {
        Matcher matcher = ID.matcher(shardId);
        if (!matcher.matches()) {
            return -1;
        }
        long index = Long.parseLong(matcher.group(1));
        return index > Integer.MAX_VALUE ? -1 : (int) index;
    }

    static String idOf(int index) {
        return String.format(Locale.ROOT, "shardId-%012d", index);
    }

    String id() {
        return id;
    }

    int index() {
        return index;
    }

    HashKeyRange range() {
        return range;
    }

    long createdSeconds() {
        return createdSeconds;
    }

    long createdMillis() {
        return createdMillis;
    }

    /** When it was split or merged, or null while it is open. */
    @Nullable
    Long closedMillis() {
        return closedMillis;
    }

    boolean isOpen() {
        return closedMillis == null;
    }

    List<Shard> children() {
        return children;
    }

    void close(List<Shard> newChildren, long nowMillis) {
        children = newChildren;
        endPlace = log.nextNumber();
        closedMillis = nowMillis;
    }

    String sequenceNumberOf(StoredRecord stored) {
        return numbers.numberOf(stored.number(), stored.arrivalMillis());
    }

    /**
     * The place of a sequence number that this shard gave out, to a record, trimmed or not, or as its start or end; {@link
     * ShardNumbers#NO_PLACE} for any other number.
     */
    long placeOf(String sequenceNumber) {
        long place = numbers.placeOf(sequenceNumber);
        long end = log.nextNumber();
        if (place < end) {
            return place;
        }
        boolean isEnd = !isOpen() && (place == end || place == ShardNumbers.END_OF_SHARD);
        return isEnd ? end : ShardNumbers.NO_PLACE;
    }

    /** The index of the shard that a sequence number names, or {@link ShardNumbers#NO_SHARD} if it does not name any. */
    int shardIndexIn(String sequenceNumber) {
        return numbers.shardIndexIn(sequenceNumber);
    }

    /** As {@code ListShards} and {@code DescribeStream} show it. */
    ObjectNode toDocument() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("ShardId", id());
        if (!parents.isEmpty()) {
            document.put("ParentShardId", parents.get(0).id());
        }
        if (parents.size() > 1) {
            document.put("AdjacentParentShardId", parents.get(1).id());
        }
        putRange(document);
        ObjectNode numberRange = document.putObject("SequenceNumberRange");
        numberRange.put("StartingSequenceNumber", numbers.numberOf(0, createdMillis));
        Long closed = closedMillis;
        if (closed != null) {
            numberRange.put("EndingSequenceNumber", numbers.endNumber(endPlace, closed));
        }
        return document;
    }

    /** As {@code GetRecords} shows it at the end of a parent. */
    ObjectNode toChildDocument() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("ShardId", id());
        document.putArray("ParentShards")
                .addAll(parents.stream()
                        .map(parent -> JsonNodeFactory.instance.textNode(parent.id()))
                        .toList());
        putRange(document);
        return document;
    }

    private void putRange(ObjectNode document) {
        document.putObject("HashKeyRange")
                .put("StartingHashKey", range.start().toString())
                .put("EndingHashKey", range.end().toString());
    }
}
