package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cli.Example.OutgoingRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonLinesTest {
    private static final PartitionKeys BY_K = PartitionKeys.OfField.named("k");

    @TempDir
    private Path folder = Path.of("");

    private final List<String> broken = new ArrayList<>();

    @Test
    void aLineIsPublishedAsItStands() throws IOException {
        assertThat(read("\uFEFF{ \"k\" : \"é\" }\r\n\n{\"k\":1.50}\n{\"k\":true}"))
                .containsExactly("é={ \"k\" : \"é\" }", "1.5={\"k\":1.50}", "true={\"k\":true}");
        assertThat(broken).isEmpty();
    }

    @Test
    void brokenLinesAreNamedAndPassedOver() throws IOException {
        assertThat(
                        read(
                                "{\"k\":\n{\"k\":1}{\"k\":2}\n   \n{\"k\":[1]}\n{\"k\":null}\n{\"k\":\"\"}\n{\"x\":1}\n{\"k\":2}\n"))
                .containsExactly("2={\"k\":2}");
        assertThat(broken).hasSize(7);
        assertThat(broken.get(0)).startsWith("line 1: no JSON document: Unexpected end-of-input");
        assertThat(broken.get(1)).startsWith("line 2: no JSON document: ");
        assertThat(broken.get(2)).isEqualTo("line 3: no JSON document: it is blank");
        assertThat(broken.get(3)).isEqualTo("line 4: no text or number at /k, which --partition-key names as the key");
        assertThat(broken.subList(4, 7)).allMatch(line -> line.contains("no text or number at /k"));
    }

    @Test
    void aLineAndAKeyHaveKinesissLimits() throws IOException {
        int padding = JsonLines.LINE_BYTES_MAX - "{\"k\":1,\"p\":\"\"}".length();
        String longest = "{\"k\":1,\"p\":\"" + "x".repeat(padding) + "\"}";
        String tooLong = "{\"k\":1,\"p\":\"" + "x".repeat(padding + 1) + "\"}";
        assertThat(read(longest + "\r\n" + tooLong + "\n")).hasSize(1);
        assertThat(broken)
                .containsExactly("line 2: " + (JsonLines.LINE_BYTES_MAX + 1)
                        + " bytes, Kinesis takes at most 1 MB a record and its key, so " + JsonLines.LINE_BYTES_MAX
                        + " here");
        broken.clear();
        assertThat(read("{\"k\":\"" + "k".repeat(256) + "\"}\n{\"k\":\"" + "k".repeat(257) + "\"}"))
                .hasSize(1);
        assertThat(broken).containsExactly("line 2: the key at /k has 257 characters, Kinesis takes at most 256");
    }

    @Test
    void anEmptyFileHasNoRecord() throws IOException {
        assertThat(read("")).isEmpty();
        assertThat(read("\n")).isEmpty();
        assertThat(broken).isEmpty();
    }

    @Test
    void aDamagedGzipFileIsNamed() throws IOException {
        Path file = Files.write(folder.resolve("cut.gz"), new byte[] {0x1f, (byte) 0x8b, 8, 0, 0});
        assertThatThrownBy(() -> JsonLines.open(file, BY_K, broken::add))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cut.gz cannot be read as a file of lines, gzipped or not");
    }

    private List<String> read(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("input.jsonl"), text);
        List<String> records = new ArrayList<>();
        try (JsonLines lines = JsonLines.open(file, BY_K, broken::add)) {
            OutgoingRecord record = lines.next();
            while (record != null) {
                records.add(record.partitionKey() + "=" + new String(record.data(), StandardCharsets.UTF_8));
                record = lines.next();
            }
            assertThat(lines.brokenLines()).isEqualTo(broken.size());
        }
        return records;
    }
}
