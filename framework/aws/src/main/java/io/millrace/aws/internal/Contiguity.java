package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.SequenceNumber;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.GetShardIteratorRequest;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/**
 * The proof that no record is missing between what is committed and a batch: the stream itself is read from the cursor
 * to the first record behind it, which can be a user record of the aggregate that the cursor lies in. An empty answer
 * short of the tip proves nothing, so reading goes on. Thread-safe.
 */
public final class Contiguity {
    /** How many answers without a record behind the cursor are read at most; each spans what one read covers. */
    private static final int READS_MAX = 1_000;

    /** The record at the cursor and the one behind it. */
    private static final int RECORDS = 2;

    private final KinesisClient kinesis;
    private final RetryingRequest read;
    private final ShellRules rules;

    Contiguity(KinesisClient kinesis, RetryingRequest read, ShellRules rules) {
        this.kinesis = kinesis;
        this.read = read;
        this.rules = rules;
    }

    /**
     * The first record of a lane behind the cursor, or the lane's first record if nothing is committed; null if there
     * is none up to the tip.
     */
    @Nullable
    Position firstBehind(Lane lane, @Nullable Position cursor) {
        return tail(lane, cursor).first();
    }

    /** What the stream holds of a lane behind the cursor, or at all if nothing is committed. */
    LaneTail tail(Lane lane, @Nullable Position cursor) {
        return read.of(
                "Reading stream " + lane.stream() + " at the cursor of lane " + lane
                        + ", to prove that no record is missing,",
                () -> read(lane, cursor));
    }

    private LaneTail read(Lane lane, @Nullable Position cursor) {
        GetShardIteratorRequest.Builder request =
                GetShardIteratorRequest.builder().streamName(lane.stream()).shardId(lane.shardId());
        if (cursor == null) {
            request.shardIteratorType(ShardIteratorType.TRIM_HORIZON);
        } else {
            request.shardIteratorType(ShardIteratorType.AT_SEQUENCE_NUMBER)
                    .startingSequenceNumber(cursor.sequenceNumber().digits());
        }
        String iterator = kinesis.getShardIterator(request.build()).shardIterator();
        for (int reads = 0; reads < READS_MAX; reads++) {
            String at = iterator;
            GetRecordsResponse response =
                    kinesis.getRecords(get -> get.shardIterator(at).limit(RECORDS));
            for (Record record : response.records()) {
                Optional<Position> behind = firstBehind(record, cursor);
                if (behind.isPresent()) {
                    return new LaneTail(LaneTail.Kind.RECORDS, behind.get());
                }
            }
            iterator = response.nextShardIterator();
            if (iterator == null || rules.isAtTip(response)) {
                return LaneTail.of(iterator == null ? LaneTail.Kind.CLOSED_END : LaneTail.Kind.TIP);
            }
        }
        throw new MillraceException("Lane " + lane + " gave " + READS_MAX
                + " answers without a record behind its cursor, and did not reach the tip of the stream.");
    }

    /** The first record of a lane in a Kinesis record that lies behind the cursor. */
    private Optional<Position> firstBehind(Record record, @Nullable Position cursor) {
        SequenceNumber found = new SequenceNumber(record.sequenceNumber());
        if (cursor != null && found.equals(cursor.sequenceNumber())) {
            return rules.firstBehindInside(
                    cursor, UserRecords.of(found, record.data().asByteArray(), Instant.EPOCH, record.partitionKey()));
        }
        return cursor == null || found.compareTo(cursor.sequenceNumber()) > 0
                ? Optional.of(new Position(found, 0))
                : Optional.empty();
    }
}
