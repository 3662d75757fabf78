package io.millrace.local;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;

/** A batch that a mapping gave up: what Lambda tells the on-failure destination about it. */
public final class DiscardedBatch {
    /** Why a batch was given up; the names are those of the metadata document. */
    public enum Condition {
        /** The function failed more often than the maximum of retry attempts allows. */
        RETRY_ATTEMPTS_EXHAUSTED("RetryAttemptsExhausted"),
        /** The records became older than the maximum record age, or than the stream's retention. */
        RECORD_AGE_EXCEEDED("RecordAgeExceeded"),
        /** One record alone exceeds the payload limit of an invocation. */
        PAYLOAD_TOO_LARGE("PayloadTooLarge");

        private final String code;

        Condition(String code) {
            this.code = code;
        }

        public String code() {
            return code;
        }
    }

    private final String requestId;
    private final String functionArn;
    private final String streamArn;
    private final String shardId;
    private final Condition condition;
    private final List<Record> records;
    private final int invocations;
    private final boolean functionError;
    private final Instant time;
    private final Supplier<String> payload;

    /** For the mapping; {@code payload} is asked only when somebody wants it. */
    public DiscardedBatch(
            Origin origin,
            Condition condition,
            List<Record> records,
            int invocations,
            boolean functionError,
            Instant time,
            Supplier<String> payload) {
        this.requestId = origin.requestId();
        this.functionArn = origin.functionArn();
        this.streamArn = origin.streamArn();
        this.shardId = origin.shardId();
        this.condition = condition;
        this.records = List.copyOf(records);
        this.invocations = invocations;
        this.functionError = functionError;
        this.time = time;
        this.payload = payload;
    }

    /** Which function, shard and request a discarded batch belongs to. */
    public record Origin(String requestId, String functionArn, String streamArn, String shardId) {}

    public String shardId() {
        return shardId;
    }

    public Condition condition() {
        return condition;
    }

    public List<Record> records() {
        return records;
    }

    public int batchSize() {
        return records.size();
    }

    public String firstSequenceNumber() {
        return records.get(0).sequenceNumber();
    }

    public String lastSequenceNumber() {
        return records.get(records.size() - 1).sequenceNumber();
    }

    /** How often the function was invoked with these records as a batch, or with the batch that they were split from. */
    public int invocations() {
        return invocations;
    }

    /** The document that SQS and SNS destinations receive. */
    public ObjectNode metadata() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.putObject("requestContext")
                .put("requestId", requestId)
                .put("functionArn", functionArn)
                .put("condition", condition.code())
                .put("approximateInvokeCount", invocations);
        if (invocations > 0) {
            ObjectNode response = document.putObject("responseContext");
            response.put("statusCode", 200).put("executedVersion", "$LATEST");
            response.put("functionError", functionError ? "Unhandled" : null);
        }
        document.put("version", "1.0").put("timestamp", time.toString());
        document.putObject("KinesisBatchInfo")
                .put("shardId", shardId)
                .put("startSequenceNumber", firstSequenceNumber())
                .put("endSequenceNumber", lastSequenceNumber())
                .put("approximateArrivalOfFirstRecord", arrival(records.get(0)))
                .put("approximateArrivalOfLastRecord", arrival(records.get(records.size() - 1)))
                .put("batchSize", records.size())
                .put("streamArn", streamArn);
        return document;
    }

    /** The document that an S3 destination receives: the metadata and, as a string, the event that was not processed. */
    public ObjectNode metadataWithPayload() {
        return metadata().put("payload", payload.get());
    }

    private static @Nullable String arrival(Record kinesisRecord) {
        Instant arrival = kinesisRecord.approximateArrivalTimestamp();
        return arrival == null ? null : arrival.toString();
    }

    @Override
    public String toString() {
        return condition.code() + " " + shardId + " [" + firstSequenceNumber() + ".." + lastSequenceNumber() + "] "
                + records.size() + " records after " + invocations + " invocations";
    }
}
