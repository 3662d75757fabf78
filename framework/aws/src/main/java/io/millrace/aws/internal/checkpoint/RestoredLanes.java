package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.MillraceException;
import io.millrace.aws.internal.Items;
import io.millrace.aws.internal.LaneTable;
import io.millrace.aws.internal.RetryingRequest;
import io.millrace.aws.internal.Surroundings;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.Position;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.GetShardIteratorRequest;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** The proof that the streams still hold what comes behind a checkpoint's cut. Thread-safe. */
final class RestoredLanes {
    /** An empty answer proves nothing short of the tip; each spans what one read covers. */
    private static final int READS_MAX = 1_000;

    private final KinesisClient kinesis;
    private final RetryingRequest request;
    private final Surroundings surroundings;

    RestoredLanes(KinesisClient kinesis, RetryingRequest request, Surroundings surroundings) {
        this.kinesis = kinesis;
        this.request = request;
        this.surroundings = surroundings;
    }

    /** The lanes of a stage as they were cut, by stream and shard. */
    static Map<String, LaneRecord> of(Cut.StageCut stage) {
        Map<String, LaneRecord> lanes = new TreeMap<>();
        for (JsonNode json : stage.lanes()) {
            Map<String, AttributeValue> item = item(json);
            lanes.put(Items.required(item, "sk").s(), LaneTable.fromItem(item));
        }
        return lanes;
    }

    static Map<String, AttributeValue> item(JsonNode json) {
        try {
            return ItemJson.read(json);
        } catch (IOException e) {
            throw new MillraceException("A lane of the checkpoint cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Checks one lane.
     *
     * @param now the lane as it is now; null if it is not there any more
     * @return why its records cannot be replayed; empty if they can
     */
    Optional<String> loss(String name, LaneRecord cut, @Nullable LaneRecord now, Instant cutAt) {
        Position cursor = cut.cursor();
        boolean nothingCame = now != null && cursor != null && cursor.equals(now.cursor());
        if (cut.lineage().finished() || nothingCame) {
            return Optional.empty();
        }
        String stream = name.substring(0, name.indexOf('/'));
        String shardId = name.substring(name.indexOf('/') + 1);
        if (cursor == null) {
            Duration retention = request.of(
                    "Reading the retention of stream " + stream,
                    () -> Duration.ofHours(kinesis.describeStreamSummary(summary -> summary.streamName(stream))
                            .streamDescriptionSummary()
                            .retentionPeriodHours()));
            boolean isHeld = surroundings.clock().instant().isBefore(cutAt.plus(retention));
            return isHeld
                    ? Optional.empty()
                    : Optional.of("lane " + name
                            + " had processed nothing, and its first records are older than the retention" + " of "
                            + retention.toHours() + " hours");
        }
        return request.of("Reading stream " + stream + " at the cut of lane " + name, () -> at(stream, shardId, cursor))
                ? Optional.empty()
                : Optional.of("lane " + name + " was at " + cursor + ", which the stream does not hold any more");
    }

    /** Whether the record at a cursor is still there; then all behind it are, too. */
    private boolean at(String stream, String shardId, Position cursor) {
        String digits = cursor.sequenceNumber().digits();
        try {
            String iterator = kinesis.getShardIterator(GetShardIteratorRequest.builder()
                            .streamName(stream)
                            .shardId(shardId)
                            .shardIteratorType(ShardIteratorType.AT_SEQUENCE_NUMBER)
                            .startingSequenceNumber(digits)
                            .build())
                    .shardIterator();
            for (int reads = 0; reads < READS_MAX && iterator != null; reads++) {
                String from = iterator;
                GetRecordsResponse response =
                        kinesis.getRecords(get -> get.shardIterator(from).limit(1));
                if (!response.records().isEmpty()) {
                    return response.records().get(0).sequenceNumber().equals(digits);
                }
                if (Long.valueOf(0).equals(response.millisBehindLatest())) {
                    return false;
                }
                iterator = response.nextShardIterator();
            }
            return false;
        } catch (ResourceNotFoundException e) {
            return false;
        }
    }
}
