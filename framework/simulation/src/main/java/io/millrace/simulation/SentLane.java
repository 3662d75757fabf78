package io.millrace.simulation;

import io.millrace.internal.engine.Position;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A shard, all that was sent to it, and how far it is acknowledged and committed. */
final class SentLane {
    private final String stream;
    private final String shardId;
    private final List<SentRecord> records = new ArrayList<>();
    private int acknowledged;
    private int committed;
    private int expired;
    private @Nullable SentRecord lostUpTo;

    SentLane(String stream, String shardId) {
        this.stream = stream;
        this.shardId = shardId;
    }

    String stream() {
        return stream;
    }

    String shardId() {
        return shardId;
    }

    List<SentRecord> records() {
        return records;
    }

    @Nullable
    SentRecord at(Position position) {
        return records.stream()
                .filter(record -> record.position().equals(position))
                .findFirst()
                .orElse(null);
    }

    /** The first record of a sequence number, or -1. */
    int indexOf(String sequenceNumber) {
        int end = endOf(sequenceNumber);
        return end < 0 ? -1 : startAt(end - 1);
    }

    /** How many records there are up to the last one of a sequence number, or -1. */
    int endOf(String sequenceNumber) {
        for (int i = records.size() - 1; i >= 0; i--) {
            if (records.get(i).record().sequenceNumber().equals(sequenceNumber)) {
                return i + 1;
            }
        }
        return -1;
    }

    /** The first record of the aggregate that a record lies in. */
    int startAt(int index) {
        return index - records.get(index).position().subSequence();
    }

    /** How many records there are up to the last one of the aggregate that a record lies in. */
    int endAt(int index) {
        int end = index + 1;
        while (end < records.size() && records.get(end).position().subSequence() > 0) {
            end++;
        }
        return end;
    }

    /** How many records Lambda has taken for done: it delivers those behind them. */
    int acknowledged() {
        return acknowledged;
    }

    void acknowledge(int count) {
        acknowledged = Math.max(acknowledged, count);
    }

    /** A new mapping delivers what is still in the stream once more. */
    void deliverFromTheBeginning() {
        acknowledged = expired;
    }

    /** How many records the lane's stored cursor covers. */
    int committed() {
        return committed;
    }

    void commit(int count) {
        committed = Math.max(committed, count);
        if (lostUpTo != null && committed > lostUpTo.index()) {
            lostUpTo = null;
        }
    }

    /** The first record that the stream still holds. */
    int expired() {
        return expired;
    }

    void expire() {
        expired = records.size();
    }

    /** Lambda has given up all records up to this one without a word. */
    void lose(SentRecord upTo) {
        lostUpTo = upTo;
    }

    /** Whether records are missing that nobody has delivered again or gone on without. */
    boolean hasLost() {
        return lostUpTo != null;
    }

    /** Whether nothing of it is left to be committed. */
    boolean isCommitted() {
        return Math.max(committed, expired) == records.size();
    }

    boolean isDone() {
        return acknowledged == records.size() && committed == records.size();
    }

    /** The name of the record at a position. */
    String describe(Position position) {
        SentRecord record = at(position);
        return record == null ? "nothing at " + position : record.name();
    }

    /** Stream and shard id, as the tables name it. */
    String name() {
        return stream + "/" + shardId;
    }

    /** Stream and the shard's number. */
    @Override
    public String toString() {
        return stream + "/" + shardId.replaceFirst("shardId-0*(?=[0-9])", "");
    }
}
