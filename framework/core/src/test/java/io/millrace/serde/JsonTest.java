package io.millrace.serde;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.MillraceException;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static final Json<Reading> READINGS = Json.of(Reading.class);

    record Reading(String id, Instant at, LocalDate day, Duration length, BigDecimal value) {}

    record Loop(String id) {
        public Loop getSelf() {
            return this;
        }
    }

    private static Reading read(String json) throws IOException {
        return READINGS.deserialize(json.getBytes(UTF_8));
    }

    @Test
    void timesAreWrittenAsTextAndReadBack() throws IOException {
        Reading reading = new Reading(
                "é",
                Instant.parse("2001-01-31T23:59:59.123456789Z"),
                LocalDate.of(2001, 1, 31),
                Duration.ofMinutes(90),
                new BigDecimal("0.1000000000000000000000000001"));

        byte[] json = READINGS.serialize(reading);

        assertThat(new String(json, UTF_8))
                .isEqualTo("{\"id\":\"é\",\"at\":\"2001-01-31T23:59:59.123456789Z\",\"day\":\"2001-01-31\","
                        + "\"length\":\"PT1H30M\",\"value\":0.1000000000000000000000000001}");
        assertThat(READINGS.deserialize(json)).isEqualTo(reading);
    }

    @Test
    void unknownPropertiesAreIgnored() throws IOException {
        assertThat(read("{\"id\":\"a\",\"added\":{\"later\":[1]}}").id()).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"id\":\"a\"} x", "{\"id\":\"a\"}{\"id\":\"b\"}", "{\"id\":\"a\"},", "", " ", "{", "7", "[]"})
    void whatIsNotOneDocumentIsRefused(String json) {
        assertThatThrownBy(() -> read(json)).isInstanceOf(IOException.class);
    }

    @Test
    void nullDocumentIsRefused() {
        assertThatThrownBy(() -> read("null"))
                .isInstanceOf(IOException.class)
                .hasMessage("The document is JSON null, where a Reading is expected.");
    }

    @Test
    void fieldCase20BytesThatAreNoTextAreRefused() {
        assertThatThrownBy(() -> READINGS.deserialize(new byte[] {(byte) 0xff, (byte) 0xfe}))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> READINGS.deserialize(
                        new byte[] {'{', '"', 'i', 'd', '"', ':', '"', (byte) 0xff, (byte) 0xfe, '"', '}'}))
                .isInstanceOf(IOException.class);
    }

    @Test
    void whatCannotBeWrittenIsAnErrorThatNamesTheClass() {
        assertThatThrownBy(() -> Json.of(Loop.class).serialize(new Loop("a")))
                .isInstanceOf(MillraceException.class)
                .hasMessageStartingWith("A value of " + Loop.class.getName() + " cannot be written as JSON: ")
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void isTextAndDescribesItselfByItsClass() {
        assertThat(READINGS.isText()).isTrue();
        assertThat(READINGS.description()).isEqualTo("json:" + Reading.class.getName());
    }
}
