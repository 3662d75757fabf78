package io.millrace.local.internal.kinesis;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Instant;
import java.util.List;

/** The operations on streams as a whole. */
final class StreamOperations {
    private enum StreamMode {
        PROVISIONED,
        ON_DEMAND
    }

    private static final int ON_DEMAND_SHARDS = 4;
    private static final int RECORD_KIBIBYTES_MIN = 1_024;
    private static final int RECORD_KIBIBYTES_MAX = 10_240;
    private static final int KIBIBYTE = 1_024;
    private static final int RETENTION_HOURS_MAX = 8_760;
    private static final int LISTED_STREAMS_DEFAULT = 100;
    private static final int LISTED_STREAMS_MAX = 10_000;
    private static final int DESCRIBED_SHARDS_MAX = 100;
    private static final int DESCRIBED_SHARDS_LIMIT_MAX = 10_000;

    private final Streams streams;
    private final Clock clock;

    StreamOperations(Streams streams, Clock clock) {
        this.streams = streams;
        this.clock = clock;
    }

    void create(RequestMembers request) {
        request.requiredText("StreamName", 1, Streams.NAME_LENGTH_MAX);
        String name = request.requiredText("StreamName", Streams.NAME);
        RequestMembers modeDetails = request.structure("StreamModeDetails");
        boolean onDemand =
                modeDetails != null && modeDetails.requiredEnum("StreamMode", StreamMode.class) == StreamMode.ON_DEMAND;
        Integer shardCount = request.integer("ShardCount", 1, Integer.MAX_VALUE);
        if (onDemand && shardCount != null) {
            throw KinesisErrors.invalidArgument("ShardCount must not be provided for a stream in ON_DEMAND mode.");
        }
        if (!onDemand && shardCount == null) {
            throw KinesisErrors.invalidArgument("ShardCount must be provided for a stream in PROVISIONED mode.");
        }
        int recordKibibytes =
                request.integer("MaxRecordSizeInKiB", RECORD_KIBIBYTES_MIN, RECORD_KIBIBYTES_MAX, RECORD_KIBIBYTES_MIN);
        int shards = shardCount == null ? ON_DEMAND_SHARDS : shardCount;
        streams.create(new Stream.NewStream(name, onDemand, shards, recordKibibytes * KIBIBYTE), clock.millis());
    }

    void delete(RequestMembers request) {
        streams.delete(request);
    }

    void list(RequestMembers request, ObjectNode response) {
        int limit = request.integer("Limit", 1, LISTED_STREAMS_MAX, LISTED_STREAMS_DEFAULT);
        String start = request.text("ExclusiveStartStreamName", Streams.NAME);
        String token = request.text("NextToken");
        String after = token != null ? PageToken.decode(token, clock.millis()).stream() : start == null ? "" : start;
        List<Stream> found = streams.after(after);
        List<Stream> page = found.subList(0, Math.min(limit, found.size()));
        ArrayNode names = response.putArray("StreamNames");
        ArrayNode summaries = response.putArray("StreamSummaries");
        for (Stream stream : page) {
            names.add(stream.name());
            putHead(summaries.addObject(), stream);
        }
        boolean more = page.size() < found.size();
        response.put("HasMoreStreams", more);
        if (more) {
            String last = page.get(page.size() - 1).name();
            response.put("NextToken", new PageToken(last, -1, ShardFilter.ALL, clock.millis()).encode());
        }
    }

    void describe(RequestMembers request, ObjectNode response) {
        int limit = request.integer("Limit", 1, DESCRIBED_SHARDS_LIMIT_MAX, DESCRIBED_SHARDS_MAX);
        String start = request.text("ExclusiveStartShardId");
        Stream stream = streams.get(request);
        List<Shard> found = stream.shardsAfter(start == null ? -1 : Shard.indexOf(start), clock.millis());
        int size = Math.min(Math.min(limit, DESCRIBED_SHARDS_MAX), found.size());
        ObjectNode description = response.putObject("StreamDescription");
        putHead(description, stream);
        putState(description, stream);
        ArrayNode shards = description.putArray("Shards");
        found.subList(0, size).forEach(shard -> shards.add(shard.toDocument()));
        description.put("HasMoreShards", size < found.size());
    }

    void describeSummary(RequestMembers request, ObjectNode response) {
        Stream stream = streams.get(request);
        ObjectNode summary = response.putObject("StreamDescriptionSummary");
        putHead(summary, stream);
        putState(summary, stream);
        summary.put("OpenShardCount", stream.openShardCount());
        summary.put("ConsumerCount", 0);
        summary.put("MaxRecordSizeInKiB", stream.recordBytesMax() / KIBIBYTE);
    }

    void increaseRetention(RequestMembers request) {
        int hours = requestedHours(request);
        Stream stream = streams.get(request);
        if (hours < stream.retentionHours()) {
            throw KinesisErrors.invalidArgument("Requested retention period (" + hours + " hours) for stream "
                    + stream.name() + " can not be shorter than existing retention period (" + stream.retentionHours()
                    + " hours). Use DecreaseRetentionPeriod API.");
        }
        stream.retainHours(hours);
    }

    void decreaseRetention(RequestMembers request) {
        int hours = requestedHours(request);
        Stream stream = streams.get(request);
        if (hours > stream.retentionHours()) {
            throw KinesisErrors.invalidArgument("Requested retention period (" + hours + " hours) for stream "
                    + stream.name() + " can not be longer than existing retention period (" + stream.retentionHours()
                    + " hours). Use IncreaseRetentionPeriod API.");
        }
        stream.retainHours(hours);
    }

    private static int requestedHours(RequestMembers request) {
        Integer hours = request.integer("RetentionPeriodHours", Integer.MIN_VALUE, Integer.MAX_VALUE);
        if (hours == null) {
            throw KinesisErrors.validation("null", "retentionPeriodHours", "Member must not be null");
        }
        if (hours < Stream.RETENTION_HOURS_MIN) {
            throw KinesisErrors.invalidArgument("Minimum allowed retention period is " + Stream.RETENTION_HOURS_MIN
                    + " hours. Requested retention period (" + hours + " hours) is too short.");
        }
        if (hours > RETENTION_HOURS_MAX) {
            throw KinesisErrors.invalidArgument("Maximum allowed retention period is " + RETENTION_HOURS_MAX
                    + " hours. Requested retention period (" + hours + " hours) is too long.");
        }
        return hours;
    }

    private static void putHead(ObjectNode document, Stream stream) {
        document.put("StreamName", stream.name());
        document.put("StreamARN", stream.arn());
        document.put("StreamStatus", "ACTIVE");
        StreamMode mode = stream.isOnDemand() ? StreamMode.ON_DEMAND : StreamMode.PROVISIONED;
        document.putObject("StreamModeDetails").put("StreamMode", mode.name());
        document.putPOJO("StreamCreationTimestamp", Instant.ofEpochMilli(stream.createdMillis()));
    }

    private static void putState(ObjectNode document, Stream stream) {
        document.put("RetentionPeriodHours", stream.retentionHours());
        document.putArray("EnhancedMonitoring").addObject().putArray("ShardLevelMetrics");
        document.put("EncryptionType", "NONE");
    }
}
