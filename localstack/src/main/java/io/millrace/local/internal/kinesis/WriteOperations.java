package io.millrace.local.internal.kinesis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import java.math.BigInteger;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** The operations that put records into a stream. */
final class WriteOperations {
    private static final int PARTITION_KEY_CHARACTERS_MAX = 256;
    private static final int PUT_RECORDS_MAX = 500;
    private static final long PUT_BYTES_MAX = 5 * 1_048_576L;

    private final Streams streams;
    private final Clock clock;

    WriteOperations(Streams streams, Clock clock) {
        this.streams = streams;
        this.clock = clock;
    }

    void putRecord(RequestMembers request, ObjectNode response) {
        PutEntry entry = entryOf(request);
        // Numbers increase in the order of the puts, which is all that a well-formed lower bound can ask for.
        request.text("SequenceNumberForOrdering", SequenceNumber.DECIMAL);
        Stream stream = streams.get(request);
        requireSize(entry, stream, request);
        putPlacement(response, stream.append(entry, clock.millis()));
    }

    /** Puts each record on its own: one that a shard refuses is reported in its place, and the others are stored. */
    void putRecords(RequestMembers request, ObjectNode response) {
        JsonNode list = request.requiredList("Records", 1, PUT_RECORDS_MAX);
        List<PutEntry> entries = new ArrayList<>(list.size());
        List<RequestMembers> members = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            RequestMembers member = new RequestMembers(list.get(i), "records." + (i + 1) + ".member.");
            members.add(member);
            entries.add(entryOf(member));
        }
        Stream stream = streams.get(request);
        long bytes = 0;
        for (int i = 0; i < entries.size(); i++) {
            requireSize(entries.get(i), stream, members.get(i));
            bytes += entries.get(i).sizeBytes();
        }
        // A stream that opts into larger records takes at least one of them in a request.
        long bytesMax = Math.max(PUT_BYTES_MAX, stream.recordBytesMax());
        if (bytes > bytesMax) {
            throw KinesisErrors.invalidArgument("Records size exceeds " + bytesMax / 1_048_576 + " MB limit");
        }
        ArrayNode results = response.putArray("Records");
        int failed = 0;
        for (PutEntry entry : entries) {
            ObjectNode result = results.addObject();
            try {
                putPlacement(result, stream.append(entry, clock.millis()));
            } catch (AwsServiceException e) {
                failed++;
                result.put("ErrorCode", e.code());
                result.put("ErrorMessage", e.getMessage());
            }
        }
        response.put("FailedRecordCount", failed);
    }

    private static PutEntry entryOf(RequestMembers members) {
        String partitionKey = members.requiredText("PartitionKey", 1, PARTITION_KEY_CHARACTERS_MAX);
        byte[] data = members.requiredBinary("Data");
        String explicitHashKey = members.text("ExplicitHashKey", HashKeyRange.HASH_KEY);
        if (explicitHashKey == null) {
            return new PutEntry(partitionKey, HashKeyRange.hashKeyOf(partitionKey), data);
        }
        BigInteger hashKey = new BigInteger(explicitHashKey);
        if (hashKey.compareTo(HashKeyRange.HASH_KEY_MAX) > 0) {
            throw KinesisErrors.invalidArgument("Invalid ExplicitHashKey. ExplicitHashKey must be in the range: "
                    + "[0, 2^128-1]. Specified value was " + explicitHashKey);
        }
        return new PutEntry(partitionKey, hashKey, data);
    }

    private static void requireSize(PutEntry entry, Stream stream, RequestMembers members) {
        int max = stream.recordBytesMax();
        int dataBytes = entry.data().length;
        if (dataBytes > max) {
            throw KinesisErrors.validation(
                    "'java.nio.HeapByteBuffer[pos=0 lim=" + dataBytes + " cap=" + dataBytes + "]'",
                    members.pathOf("Data"),
                    "Member must have length less than or equal to " + max);
        }
        if (entry.sizeBytes() > max) {
            throw KinesisErrors.invalidArgument("Record size exceeds the limit: data of " + dataBytes
                    + " bytes and a partition key of " + (entry.sizeBytes() - dataBytes) + " bytes are "
                    + entry.sizeBytes() + " bytes, more than " + max);
        }
    }

    private static void putPlacement(ObjectNode document, Stream.Placement placement) {
        document.put("ShardId", placement.shardId());
        document.put("SequenceNumber", placement.sequenceNumber());
    }
}
