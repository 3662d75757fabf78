package io.millrace.serde;

import static io.millrace.serde.Compressed.gzip;
import static io.millrace.serde.Compressed.joined;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CloudWatchLogsTest {
    /** As in CloudWatch Logs's user guide, with a field more. */
    private static final String ENVELOPE = """
            {"owner": "111111111111", "logGroup": "CloudTrail/logs", "logStream": "111111111111_CloudTrail/logs_us-east-1",
             "subscriptionFilters": ["Destination"], "messageType": "DATA_MESSAGE", "policyLevel": "ACCOUNT",
             "logEvents": [
               {"id": "31953106606966983378809025079804211143289615424298221568", "timestamp": 1432826855000,
                "message": "{\\"n\\":1}"},
               {"id": "31953106606966983378809025079804211143289615424298221569", "timestamp": 1432826855001,
                "message": "{\\"n\\":2}", "extractedFields": {"n": "2"}}]}
            """;

    private static final String CONTROL = """
            {"owner": "CloudwatchLogs", "logGroup": "", "logStream": "", "subscriptionFilters": [],
             "messageType": "CONTROL_MESSAGE",
             "logEvents": [{"id": "", "timestamp": 1432826855000, "message": "CWL CONTROL MESSAGE: Checking health"}]}
            """;

    record Numbered(int n) {}

    private static <T> List<T> decode(RecordDecoder<T> decoder, byte[] payload) throws Exception {
        List<T> elements = new ArrayList<>();
        decoder.decode(StreamRecord.of(payload), elements::add);
        return elements;
    }

    private static List<CloudWatchLogEvent> events(String envelopes) throws Exception {
        return decode(CloudWatchLogs.events(), gzip(envelopes));
    }

    private static String one(int n) {
        return "{\"messageType\":\"DATA_MESSAGE\",\"owner\":\"o\",\"logGroup\":\"g\",\"logStream\":\"s\","
                + "\"logEvents\":[{\"id\":\"" + n + "\",\"timestamp\":" + n + ",\"message\":\"m\"}]}";
    }

    @Test
    void eachLogEventIsAnElement() throws Exception {
        assertThat(events(ENVELOPE))
                .containsExactly(
                        new CloudWatchLogEvent(
                                "111111111111",
                                "CloudTrail/logs",
                                "111111111111_CloudTrail/logs_us-east-1",
                                "31953106606966983378809025079804211143289615424298221568",
                                Instant.parse("2015-05-28T15:27:35Z"),
                                "{\"n\":1}"),
                        new CloudWatchLogEvent(
                                "111111111111",
                                "CloudTrail/logs",
                                "111111111111_CloudTrail/logs_us-east-1",
                                "31953106606966983378809025079804211143289615424298221569",
                                Instant.parse("2015-05-28T15:27:35.001Z"),
                                "{\"n\":2}"));
    }

    @Test
    void messagesAreDecodedEach() throws Exception {
        assertThat(decode(CloudWatchLogs.messages(Json.of(Numbered.class)), gzip(ENVELOPE)))
                .containsExactly(new Numbered(1), new Numbered(2));
    }

    @Test
    void oneMessageThatCannotBeDecodedMakesTheRecordUndecodable() {
        assertThatThrownBy(() ->
                        decode(CloudWatchLogs.messages(Json.of(Numbered.class)), gzip(ENVELOPE.replace("2}", "x}"))))
                .isInstanceOf(IOException.class);
    }

    @Test
    void controlMessagesGiveNoEvent() throws Exception {
        assertThat(events(CONTROL)).isEmpty();
        assertThat(events("{\"messageType\":\"CONTROL_MESSAGE\"}")).isEmpty();
    }

    @Test
    void severalEnvelopesGiveAllOfTheirs() throws Exception {
        assertThat(events(one(1) + one(2) + "\n" + CONTROL + one(3)))
                .extracting(CloudWatchLogEvent::id)
                .containsExactly("1", "2", "3");
        assertThat(decode(CloudWatchLogs.events(), joined(gzip(one(1)), gzip(one(2)))))
                .extracting(CloudWatchLogEvent::id)
                .containsExactly("1", "2");
    }

    @Test
    void anUnknownMessageTypeIsAnErrorThatNamesIt() {
        assertThatThrownBy(() -> events(one(1) + one(2).replace("DATA_MESSAGE", "NEW_MESSAGE")))
                .isInstanceOf(DecodingException.class)
                .hasMessage("The CloudWatch Logs envelope number 2 of the record has the messageType 'NEW_MESSAGE';"
                        + " known are DATA_MESSAGE and CONTROL_MESSAGE.");
        assertThatThrownBy(() -> events("{\"messageType\":\"" + "x".repeat(100_000) + "\"}"))
                .hasMessageContaining("(100000 characters)")
                .hasMessageNotContaining("x".repeat(61));
    }

    @ParameterizedTest
    @CsvSource({
        "'\"messageType\":\"DATA_MESSAGE\",', messageType",
        "'\"owner\":\"o\",', owner",
        "'\"logGroup\":\"g\",', logGroup",
        "'\"logStream\":\"s\",', logStream",
        "'\"id\":\"1\",', logEvents[].id",
        "'\"timestamp\":1,', logEvents[].timestamp",
        "',\"message\":\"m\"', logEvents[].message"
    })
    void aFieldThatIsMissingIsAnErrorThatNamesIt(String field, String name) {
        assertThat(one(1)).contains(field);
        assertThatThrownBy(() -> events(one(1).replace(field, "")))
                .isInstanceOf(DecodingException.class)
                .hasMessage("The CloudWatch Logs envelope number 1 of the record has no " + name + ".");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "[]",
                "7",
                "\"text\"",
                "{",
                "{}",
                "{\"messageType\":\"DATA_MESSAGE\"}",
                "[{\"messageType\":\"CONTROL_MESSAGE\"}]"
            })
    void whatIsNoEnvelopeIsAnError(String text) {
        assertThatThrownBy(() -> events(text)).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "x", "null", "{", "]"})
    void somethingBehindAnEnvelopeIsAnError(String behind) {
        assertThatThrownBy(() -> events(one(1) + behind)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> events(one(1) + behind + one(2))).isInstanceOf(IOException.class);
    }

    @Test
    void nullEventsAreAnError() {
        assertThatThrownBy(() -> events(one(1).replaceAll("\\[.*\\]", "[null]")))
                .hasMessageContaining("has no logEvents[].");
        assertThatThrownBy(() -> events(one(1).replaceAll("\\[.*\\]", "null")))
                .hasMessageContaining("has no logEvents.");
    }

    @Test
    void plainEnvelopesAndTheLimitAreGzips() throws Exception {
        byte[] plain = one(1).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        assertThatThrownBy(() -> decode(CloudWatchLogs.events(), plain)).hasMessageContaining("orPlain()");
        assertThat(decode(CloudWatchLogs.events().orPlain(), plain)).hasSize(1);
        assertThatThrownBy(() -> decode(CloudWatchLogs.events().withBytesMax(plain.length - 1), gzip(one(1))))
                .hasMessageContaining("more than " + (plain.length - 1) + " bytes");
    }

    @Test
    void itDescribesItself() {
        assertThat(CloudWatchLogs.events().description()).isEqualTo("gzip(cloudwatch-logs)");
        assertThat(CloudWatchLogs.messages(Json.of(String.class)).description())
                .isEqualTo("gzip(cloudwatch-logs(json:java.lang.String))");
        assertThat(CloudWatchLogs.events().elementSerde()).isPresent();
    }
}
