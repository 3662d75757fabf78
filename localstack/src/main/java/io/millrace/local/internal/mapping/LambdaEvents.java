package io.millrace.local.internal.mapping;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent.KinesisEventRecord;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;

/** The event that Lambda builds from a batch of Kinesis records: as an object, as JSON, and its size. */
public final class LambdaEvents {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String ROLE_NAME = "millrace-local";
    /** Names, quotes, commas, constant values and a time stamp of one record, rounded up; a test holds it to the JSON. */
    private static final int FIXED_RECORD_BYTES = 330;
    /** The braces around the records. */
    static final int FIXED_EVENT_BYTES = 16;

    private LambdaEvents() {}

    /** The event of a batch. */
    public static KinesisEvent event(String streamArn, String shardId, List<Record> records) {
        List<KinesisEventRecord> eventRecords = new ArrayList<>(records.size());
        for (Record kinesisRecord : records) {
            eventRecords.add(eventRecord(streamArn, shardId, kinesisRecord));
        }
        KinesisEvent event = new KinesisEvent();
        event.setRecords(eventRecords);
        return event;
    }

    /** The event with other records: each a record of an event of the same shard. */
    public static KinesisEvent event(List<KinesisEventRecord> eventRecords) {
        KinesisEvent event = new KinesisEvent();
        event.setRecords(List.copyOf(eventRecords));
        return event;
    }

    private static KinesisEventRecord eventRecord(String streamArn, String shardId, Record source) {
        KinesisEvent.Record kinesis = new KinesisEvent.Record();
        kinesis.setKinesisSchemaVersion("1.0");
        kinesis.setPartitionKey(source.partitionKey());
        kinesis.setSequenceNumber(source.sequenceNumber());
        kinesis.setData(source.data().asByteBuffer());
        if (source.approximateArrivalTimestamp() != null) {
            kinesis.setApproximateArrivalTimestamp(Date.from(source.approximateArrivalTimestamp()));
        }
        KinesisEventRecord eventRecord = new KinesisEventRecord();
        eventRecord.setKinesis(kinesis);
        eventRecord.setEventSource("aws:kinesis");
        eventRecord.setEventVersion("1.0");
        eventRecord.setEventID(shardId + ":" + source.sequenceNumber());
        eventRecord.setEventName("aws:kinesis:record");
        eventRecord.setInvokeIdentityArn(
                "arn:aws:iam::" + arnPart(streamArn, 4, "000000000000") + ":role/" + ROLE_NAME);
        eventRecord.setAwsRegion(arnPart(streamArn, 3, "us-east-1"));
        eventRecord.setEventSourceARN(streamArn);
        return eventRecord;
    }

    private static String arnPart(String arn, int index, String otherwise) {
        String[] parts = arn.split(":", -1);
        return parts.length > index && !parts[index].isEmpty() ? parts[index] : otherwise;
    }

    /** An upper bound, tight to some twenty bytes, of a record's share in the payload. */
    static int payloadBytes(String streamArn, String shardId, Record source) {
        int data = (source.data().asByteArrayUnsafe().length + 2) / 3 * 4;
        @Nullable String key = source.partitionKey();
        int keyBytes = key == null ? 4 : JsonStringEncoder.getInstance().quoteAsUTF8(key).length;
        int account = arnPart(streamArn, 4, "000000000000").length();
        int region = arnPart(streamArn, 3, "us-east-1").length();
        return FIXED_RECORD_BYTES
                + data
                + keyBytes
                + 2 * source.sequenceNumber().length()
                + shardId.length()
                + streamArn.length()
                + account
                + region
                + ROLE_NAME.length();
    }

    /** The JSON that Lambda hands to a runtime. */
    public static String json(KinesisEvent event) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeArrayFieldStart("Records");
            for (KinesisEventRecord eventRecord : event.getRecords()) {
                write(json, eventRecord);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException failure) {
            throw new UncheckedIOException("Writing a Kinesis event as JSON failed", failure);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, KinesisEventRecord eventRecord) throws IOException {
        KinesisEvent.Record kinesis = eventRecord.getKinesis();
        json.writeStartObject();
        json.writeObjectFieldStart("kinesis");
        json.writeStringField("kinesisSchemaVersion", kinesis.getKinesisSchemaVersion());
        json.writeStringField("partitionKey", kinesis.getPartitionKey());
        json.writeStringField("sequenceNumber", kinesis.getSequenceNumber());
        json.writeBinaryField("data", bytes(kinesis.getData()));
        @Nullable Date arrival = kinesis.getApproximateArrivalTimestamp();
        if (arrival != null) {
            json.writeFieldName("approximateArrivalTimestamp");
            json.writeNumber(BigDecimal.valueOf(arrival.toInstant().toEpochMilli(), 3));
        }
        json.writeEndObject();
        json.writeStringField("eventSource", eventRecord.getEventSource());
        json.writeStringField("eventVersion", eventRecord.getEventVersion());
        json.writeStringField("eventID", eventRecord.getEventID());
        json.writeStringField("eventName", eventRecord.getEventName());
        json.writeStringField("invokeIdentityArn", eventRecord.getInvokeIdentityArn());
        json.writeStringField("awsRegion", eventRecord.getAwsRegion());
        json.writeStringField("eventSourceARN", eventRecord.getEventSourceARN());
        json.writeEndObject();
    }

    private static byte[] bytes(ByteBuffer data) {
        byte[] bytes = new byte[data.remaining()];
        data.duplicate().get(bytes);
        return bytes;
    }
}
