package io.millrace.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

class JsonLineTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Test
    void aLineIsOneJsonDocumentWithTypedFields() throws Exception {
        String line = JsonLine.of(
                Instant.parse("2026-01-02T03:04:05Z"),
                Level.WARN,
                "io.millrace.x",
                "a \"quoted\"\nmessage",
                List.of(new KeyValuePair("records", 5), new KeyValuePair("lane", "s/shardId-000000000000")),
                new IllegalStateException("boom"));

        assertThat(line).doesNotContain("\n");
        JsonNode json = MAPPER.readTree(line);
        assertThat(json.path("message").asText()).isEqualTo("a \"quoted\"\nmessage");
        assertThat(json.path("records").isInt()).isTrue();
        assertThat(json.path("lane").asText()).isEqualTo("s/shardId-000000000000");
        assertThat(json.path("errorType").asText()).isEqualTo("java.lang.IllegalStateException");
        assertThat(json.path("stackTrace").asText()).contains("JsonLineTest");
    }

    @Test
    void slf4jFindsTheProviderAndKeepsKeyValuePairs() throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            Logger log = LoggerFactory.getLogger("io.millrace.test");
            log.atInfo().addKeyValue("stage", "on-time").log("done {}", 7);
            log.debug("not logged by default");
            LoggerFactory.getLogger("com.example").info("not ours, not logged by default");
        } finally {
            System.setErr(before);
        }

        List<String> lines = captured.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSize(1);
        JsonNode json = MAPPER.readTree(lines.get(0));
        assertThat(json.path("stage").asText()).isEqualTo("on-time");
        assertThat(json.path("message").asText()).isEqualTo("done 7");
    }
}
