package io.millrace.aws.internal;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent.KinesisEventRecord;
import io.millrace.MillraceException;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.SequenceNumber;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch as Lambda delivers it: records of one shard, in rising order, aggregates taken apart.
 *
 * @param stream the stream's name, out of the event source's ARN
 */
public record LaneBatch(String stream, String shardId, List<InputRecord> records) {

    /**
     * The batch of an event.
     *
     * @throws MillraceException if it is no batch of one shard
     */
    public static LaneBatch of(KinesisEvent event) {
        List<KinesisEventRecord> delivered = event.getRecords();
        if (delivered == null || delivered.isEmpty()) {
            throw new MillraceException("The event has no records. It must be one of a Kinesis event source mapping.");
        }
        String stream = streamOf(delivered.get(0).getEventSourceARN());
        String shardId = shardOf(delivered.get(0).getEventID());
        List<InputRecord> records = new ArrayList<>(delivered.size());
        for (KinesisEventRecord record : delivered) {
            String itsShard = shardOf(record.getEventID());
            if (!itsShard.equals(shardId)) {
                throw new MillraceException("The event has records of the shards " + shardId + " and " + itsShard
                        + "; a Kinesis event source mapping delivers one shard at a time.");
            }
            List<InputRecord> userRecords = userRecords(record);
            Position first = userRecords.get(0).position();
            if (!records.isEmpty() && last(records).position().compareTo(first) >= 0) {
                throw new MillraceException("The event's records do not rise: " + first + " stands behind "
                        + last(records).position() + " of shard " + shardId + ".");
            }
            records.addAll(userRecords);
        }
        return new LaneBatch(stream, shardId, List.copyOf(records));
    }

    private static InputRecord last(List<InputRecord> records) {
        return records.get(records.size() - 1);
    }

    private static List<InputRecord> userRecords(KinesisEventRecord record) {
        KinesisEvent.Record kinesis = record.getKinesis();
        if (kinesis == null || kinesis.getSequenceNumber() == null) {
            throw new MillraceException("The event record " + record.getEventID() + " has no Kinesis sequence number.");
        }
        Instant arrival = kinesis.getApproximateArrivalTimestamp() == null
                ? Instant.EPOCH
                : kinesis.getApproximateArrivalTimestamp().toInstant();
        return UserRecords.of(
                new SequenceNumber(kinesis.getSequenceNumber()),
                bytesOf(kinesis.getData()),
                arrival,
                kinesis.getPartitionKey());
    }

    /** The bytes of a buffer of any kind (read-only, a slice), which stays as it is. */
    private static byte[] bytesOf(@Nullable ByteBuffer data) {
        if (data == null) {
            return new byte[0];
        }
        ByteBuffer view = data.duplicate();
        byte[] bytes = new byte[view.remaining()];
        view.get(bytes);
        return bytes;
    }

    private static String streamOf(@Nullable String arn) {
        int slash = arn == null ? -1 : arn.indexOf(":stream/");
        if (arn == null || slash < 0) {
            throw new MillraceException("The event source '" + arn
                    + "' is no Kinesis stream: arn:...:kinesis:...:stream/NAME is expected.");
        }
        return arn.substring(slash + ":stream/".length());
    }

    private static String shardOf(@Nullable String eventId) {
        int colon = eventId == null ? -1 : eventId.indexOf(':');
        if (eventId == null || colon < 1) {
            throw new MillraceException("The event id '" + eventId + "' names no shard: SHARD:SEQUENCE is expected.");
        }
        return eventId.substring(0, colon);
    }
}
