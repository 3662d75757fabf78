package io.millrace.aws.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.serialization.events.LambdaEventSerializers;
import io.millrace.MillraceException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Events as Lambda's Java runtime deserialises them; the numbers in brackets are those of the field cases. */
class LaneBatchTest {
    private static final String SEQUENCE = "49590338271490256608559692538361571095921575989136588898";

    private static String record(String shard, String sequence, String data) {
        return """
                {"kinesis": {"kinesisSchemaVersion": "1.0", "partitionKey": "p", "sequenceNumber": "%s", "data": "%s",
                  "approximateArrivalTimestamp": 1671562498.449},
                 "eventSource": "aws:kinesis", "eventVersion": "1.0", "eventID": "%s:%s",
                 "eventName": "aws:kinesis:record", "invokeIdentityArn": "arn:aws:iam::000000000000:role/r",
                 "awsRegion": "us-east-1",
                 "eventSourceARN": "arn:aws:kinesis:us-east-1:000000000000:stream/events"}
                """.formatted(sequence, data, shard, sequence);
    }

    private static LaneBatch batch(String... records) {
        String json = "{\"Records\": [" + String.join(",", records) + "]}";
        return LaneBatch.of(
                LambdaEventSerializers.serializerFor(KinesisEvent.class, KinesisEvent.class.getClassLoader())
                        .fromJson(json));
    }

    @Test
    void anArrivalInSecondsWithAFractionKeepsItsMilliseconds() { // [18]
        LaneBatch batch = batch(record("shardId-000000000006", SEQUENCE, "SGVsbG8="));

        assertThat(batch.stream()).isEqualTo("events");
        assertThat(batch.shardId()).isEqualTo("shardId-000000000006");
        assertThat(batch.records()).singleElement().satisfies(record -> {
            assertThat(record.arrival()).isEqualTo(Instant.parse("2022-12-20T18:54:58.449Z"));
            assertThat(record.position().sequenceNumber().digits()).isEqualTo(SEQUENCE);
            assertThat(new String(record.payload(), StandardCharsets.UTF_8)).isEqualTo("Hello");
        });
    }

    @Test
    void emptyDataIsAnEmptyArray() { // [19]
        assertThat(batch(record("shardId-000000000000", SEQUENCE, ""))
                        .records()
                        .get(0)
                        .payload())
                .isEmpty();
    }

    @Test
    void aReadOnlySliceWithAnOffsetGivesTheSameBytesTwice() { // [19]
        KinesisEvent event = new KinesisEvent();
        KinesisEvent.Record kinesis = new KinesisEvent.Record();
        ByteBuffer data = ByteBuffer.wrap("..Hello..".getBytes(StandardCharsets.UTF_8), 2, 5)
                .slice()
                .asReadOnlyBuffer();
        kinesis.setData(data);
        kinesis.setSequenceNumber(SEQUENCE);
        KinesisEvent.KinesisEventRecord record = new KinesisEvent.KinesisEventRecord();
        record.setKinesis(kinesis);
        record.setEventID("shardId-000000000000:" + SEQUENCE);
        record.setEventSourceARN("arn:aws:kinesis:us-east-1:000000000000:stream/events");
        event.setRecords(new ArrayList<>(List.of(record)));

        for (int reading = 0; reading < 2; reading++) {
            assertThat(new String(LaneBatch.of(event).records().get(0).payload(), StandardCharsets.UTF_8))
                    .isEqualTo("Hello");
        }
    }

    @Test
    void recordsOfTwoShardsOrOutOfOrderAreRefused() {
        assertThatThrownBy(
                        () -> batch(record("shardId-000000000000", "1", ""), record("shardId-000000000001", "2", "")))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("one shard at a time");
        assertThatThrownBy(
                        () -> batch(record("shardId-000000000000", "10", ""), record("shardId-000000000000", "9", "")))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("do not rise");
        assertThat(batch(record("shardId-000000000000", "9", ""), record("shardId-000000000000", "10", ""))
                        .records())
                .as("compared as numbers")
                .hasSize(2);
    }
}
