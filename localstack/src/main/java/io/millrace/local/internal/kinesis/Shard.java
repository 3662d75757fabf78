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
    private volatile @Nullable Long closedMillis;

    final RecordLog log = new RecordLog();
    final ThroughputWindow writes = new ThroughputWindow(WRITTEN_RECORDS_PER_SECOND_MAX, WRITTEN_BYTES_PER_SECOND_MAX);
    final ThroughputWindow reads = new ThroughputWindow(READS_PER_SECOND_MAX, Long.MAX_VALUE);
    private List<Shard> children = List.of();

    /**
     * @param parents none, the shard that was split, or the two that were merged, the one named first at its head
     * @param createdSeconds the second that its sequence numbers begin with; it can run ahead of the clock
     */
    Shard(int index, HashKeyRange range, List<Shard> parents, long createdSeconds, long createdMillis) {
        this.index = index;
        this.id = idOf(index);
        this.range = range;
        this.parents = parents;
        this.createdSeconds = createdSeconds;
        this.createdMillis = createdMillis;
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
        closedMillis = nowMillis;
    }

    String sequenceNumberOf(StoredRecord stored) {
        return sequenceNumber(stored.number(), stored.arrivalMillis());
    }

    /** Whether a sequence number was given out by this shard: to a record, or as its start or end. */
    boolean issued(SequenceNumber number) {
        if (number.shardCreatedSeconds() != createdSeconds || number.shardIndex() != index) {
            return false;
        }
        boolean isEnd = number.recordNumber() == SequenceNumber.END_OF_SHARD;
        return isEnd ? !isOpen() : number.recordNumber() >= 0 && number.recordNumber() < log.nextNumber();
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
        ObjectNode numbers = document.putObject("SequenceNumberRange");
        numbers.put("StartingSequenceNumber", sequenceNumber(0, createdMillis));
        Long closed = closedMillis;
        if (closed != null) {
            numbers.put("EndingSequenceNumber", sequenceNumber(SequenceNumber.END_OF_SHARD, closed));
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

    private String sequenceNumber(long recordNumber, long millis) {
        return new SequenceNumber(createdSeconds, index, recordNumber, Math.floorDiv(millis, 1_000)).text();
    }
}
