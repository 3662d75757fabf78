package io.millrace.aws.internal;

import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.SequenceNumber;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Kinesis record as the records of a lane that it holds: the user records of an aggregate, each at its index, or itself
 * at index 0. Never none, so that the cursor can pass it.
 */
final class UserRecords {
    private UserRecords() {}

    /** The records of a lane in a Kinesis record, in order. */
    static List<InputRecord> of(
            SequenceNumber sequenceNumber, byte[] data, Instant arrival, @Nullable String partitionKey) {
        Position position = new Position(sequenceNumber, 0);
        if (!KplDeaggregation.isAggregate(data)) {
            return List.of(new InputRecord(position, data, arrival, partitionKey));
        }
        List<KplDeaggregation.UserRecord> userRecords;
        try {
            userRecords = KplDeaggregation.userRecords(data);
        } catch (BrokenAggregateException e) {
            return List.of(new InputRecord(
                    position,
                    data,
                    arrival,
                    partitionKey,
                    new InputRecord.BrokenAggregate(String.valueOf(e.getMessage()))));
        }
        if (userRecords.isEmpty()) {
            return List.of(new InputRecord(position, data, arrival, partitionKey, new InputRecord.EmptyAggregate()));
        }
        List<InputRecord> records = new ArrayList<>(userRecords.size());
        for (KplDeaggregation.UserRecord userRecord : userRecords) {
            records.add(new InputRecord(
                    new Position(sequenceNumber, records.size()),
                    userRecord.data(),
                    arrival,
                    userRecord.partitionKey()));
        }
        return records;
    }
}
