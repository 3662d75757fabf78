package io.millrace.local.internal.kinesis;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Instant;

/** The operations that read records. */
final class ReadOperations {
    private enum IteratorType {
        AFTER_SEQUENCE_NUMBER,
        LATEST,
        AT_TIMESTAMP,
        AT_SEQUENCE_NUMBER,
        TRIM_HORIZON
    }

    private static final int ITERATOR_CHARACTERS_MAX = 512;
    private static final int READ_RECORDS_MAX = 10_000;

    private final Streams streams;
    private final Clock clock;

    ReadOperations(Streams streams, Clock clock) {
        this.streams = streams;
        this.clock = clock;
    }

    void getShardIterator(RequestMembers request, ObjectNode response) {
        String shardId = request.requiredText("ShardId");
        IteratorType type = request.requiredEnum("ShardIteratorType", IteratorType.class);
        String sequenceNumber = request.text("StartingSequenceNumber", SequenceNumber.DECIMAL);
        Stream stream = streams.get(request);
        long nowMillis = clock.millis();
        long position = switch (type) {
            case TRIM_HORIZON -> stream.positionAtHorizon(shardId, nowMillis);
            case LATEST -> stream.positionAtTip(shardId, nowMillis);
            case AT_TIMESTAMP -> stream.positionAtTime(shardId, startMillis(request, nowMillis), nowMillis);
            case AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER -> {
                if (sequenceNumber == null) {
                    throw KinesisErrors.invalidArgument(
                            "Must specify StartingSequenceNumber parameter for shard iterator type " + type + ".");
                }
                boolean after = type == IteratorType.AFTER_SEQUENCE_NUMBER;
                yield stream.positionOf(shardId, sequenceNumber, after, nowMillis);
            }
        };
        ShardIterator iterator =
                new ShardIterator(stream.name(), stream.createdSeconds(), Shard.indexOf(shardId), position, nowMillis);
        response.put("ShardIterator", iterator.encode());
    }

    void getRecords(RequestMembers request, ObjectNode response) {
        int limit = request.integer("Limit", 1, READ_RECORDS_MAX, READ_RECORDS_MAX);
        ShardIterator iterator =
                ShardIterator.decode(request.requiredText("ShardIterator", 1, ITERATOR_CHARACTERS_MAX));
        long nowMillis = clock.millis();
        iterator.requireAlive(nowMillis);
        Stream stream = streams.get(iterator.stream());
        if (stream.createdSeconds() != iterator.streamCreatedSeconds()) {
            throw KinesisErrors.invalidArgument(
                    "Invalid ShardIterator. It is of an earlier stream named " + stream.name() + ".");
        }
        Stream.ReadResult read =
                stream.read(Shard.idOf(iterator.shardIndex()), iterator.recordNumber(), limit, nowMillis);
        ArrayNode records = response.putArray("Records");
        for (StoredRecord stored : read.records()) {
            ObjectNode document = records.addObject();
            document.put("SequenceNumber", read.shard().sequenceNumberOf(stored));
            document.putPOJO("ApproximateArrivalTimestamp", Instant.ofEpochMilli(stored.arrivalMillis()));
            document.put("Data", stored.data());
            document.put("PartitionKey", stored.partitionKey());
        }
        response.put("MillisBehindLatest", read.behindMillis());
        if (read.childrenAtEnd().isEmpty()) {
            ShardIterator next = new ShardIterator(
                    iterator.stream(),
                    iterator.streamCreatedSeconds(),
                    iterator.shardIndex(),
                    read.nextNumber(),
                    nowMillis);
            response.put("NextShardIterator", next.encode());
        } else {
            ArrayNode children = response.putArray("ChildShards");
            read.childrenAtEnd().forEach(child -> children.add(child.toChildDocument()));
        }
    }

    private static long startMillis(RequestMembers request, long nowMillis) {
        Long millis = request.millis("Timestamp");
        if (millis == null) {
            throw KinesisErrors.invalidArgument(
                    "Must specify timestamp parameter for shard iterator type AT_TIMESTAMP.");
        }
        if (millis > nowMillis) {
            throw KinesisErrors.invalidArgument(
                    "The timestampInMillis parameter cannot be greater than the currentTimestampInMillis. "
                            + "timestampInMillis: " + millis + ", currentTimestampInMillis: " + nowMillis);
        }
        return millis;
    }
}
