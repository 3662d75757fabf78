package io.millrace.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.item.ItemJson;
import io.millrace.internal.item.ItemSize;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** When and how the states of a cell are compressed. */
class CompressedStatesTest {
    private static final long SEED = 20_250_404;
    private static final CellKey KEY = new CellKey("counts", "ORD", 4);
    private static final int EMPTY_STATES_BYTES =
            ItemJson.write(JsonNodeFactory.instance.objectNode().put("s", "")).length;

    private static Cell cell(Map<String, StoredState> states) {
        return new Cell(KEY, "v1", Fence.EMPTY.raisedTo(EngineHarness.LANE, Position.of("5")), states);
    }

    private static Cell cellOf(byte[] data) {
        return cell(Map.of("data", new StoredState.Value(data, false)));
    }

    private static StoredState.Value text(String text) {
        return new StoredState.Value(text.getBytes(UTF_8), true);
    }

    /** Random bytes that cannot be compressed, then zeros. */
    private static byte[] data(int randomBytes, int zeros) {
        byte[] random = new byte[randomBytes];
        new Random(SEED).nextBytes(random);
        return Arrays.copyOf(random, randomBytes + zeros);
    }

    /** The item of a cell in the form in which it is stored. */
    private static ObjectNode stored(Cell cell) {
        return CellItems.toItem(CellItems.compressedIfCheaper(cell, CellItems.toItem(cell)));
    }

    /** The item as it was before there was compression. */
    private static ObjectNode plain(Cell cell) {
        ObjectNode item = CellItems.toItem(cell(Map.of()));
        ObjectNode state = item.putObject("state");
        cell.states().forEach((name, stored) -> state.put(name, ((StoredState.Value) stored).data()));
        return item;
    }

    private static boolean isCompressed(ObjectNode item) {
        return item.path("state").isBinary();
    }

    private static byte[] gzip(byte[] data) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(data);
        }
        return bytes.toByteArray();
    }

    private static ObjectNode stored(byte[] state) {
        return CellItems.toItem(cell(Map.of())).put("state", state);
    }

    @Test
    void cellIsPlainUpToTwoWriteUnitsAndCompressedAbove() {
        int room = 2_048 - ItemSize.of(plain(cellOf(new byte[0])));

        ObjectNode largestPlain = stored(cellOf(new byte[room]));
        ObjectNode smallestCompressed = stored(cellOf(new byte[room + 1]));

        assertThat(ItemSize.of(largestPlain)).isEqualTo(2_048);
        assertThat(isCompressed(largestPlain)).isFalse();
        assertThat(isCompressed(smallestCompressed)).isTrue();
        assertThat(ItemSize.of(smallestCompressed)).isLessThan(1_024);
    }

    @Test
    void cellIsCompressedExactlyIfThatSavesAWriteUnit() throws IOException {
        int compressed = 0;
        int savedWithoutGain = 0;
        for (int zeros = 0; zeros < 1_400; zeros += 7) {
            Cell cell = cellOf(data(2_300, zeros));
            int plainBytes = ItemSize.of(plain(cell));
            ObjectNode packed =
                    stored(gzip(ItemJson.write((ObjectNode) plain(cell).path("state"))));
            int packedBytes = ItemSize.of(packed);
            boolean saves = (packedBytes + 1_023) / 1_024 < (plainBytes + 1_023) / 1_024;

            ObjectNode item = stored(cell);

            assertThat(isCompressed(item))
                    .as(zeros + " zeros: " + plainBytes + " or " + packedBytes + " bytes")
                    .isEqualTo(saves);
            assertThat(ItemSize.of(item)).isEqualTo(saves ? packedBytes : plainBytes);
            compressed += saves ? 1 : 0;
            savedWithoutGain += !saves && packedBytes < plainBytes ? 1 : 0;
        }
        assertThat(compressed).isPositive();
        assertThat(savedWithoutGain).isPositive();
    }

    @Test
    void compressedCellRoundTrips() {
        Map<String, StoredState> states = Map.of(
                "text", text("{\"é\":1}".repeat(1_000)),
                "data", new StoredState.Value(data(10, 3_000), false),
                "map",
                        new StoredState.Entries(new TreeMap<>(Map.of(
                                "b", text("2".repeat(500)), "a", new StoredState.Value(new byte[] {9}, false)))));

        Cell read = CellItems.fromItem(KEY, stored(cell(states)));

        assertThat(isCompressed(stored(cell(states)))).isTrue();
        assertThat(read.states()).usingRecursiveComparison().isEqualTo(states);
        assertThat(read.fence().positions()).hasSize(1);
        assertThat(read.version()).isEqualTo("v1");
    }

    /** The documented way to look at one: {@code base64 -d | gunzip}. */
    @Test
    void compressedFormIsGzipOfDynamoDbJson() throws IOException {
        String value = "{\"n\":1}".repeat(500);
        byte[] state = stored(cell(Map.of("totals", text(value), "a", text("x"))))
                .path("state")
                .binaryValue();

        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(state))) {
            assertThat(new String(in.readAllBytes(), UTF_8))
                    .isEqualTo("{\"a\":{\"S\":\"x\"},\"totals\":{\"S\":\"" + value.replace("\"", "\\\"") + "\"}}");
        }
    }

    @Test
    void sameStatesGiveTheSameBytes() {
        Map<String, StoredState> forward = new LinkedHashMap<>();
        Map<String, StoredState> backward = new LinkedHashMap<>();
        for (int i = 0; i < 100; i++) {
            forward.put("state" + i, text("value " + i + " ".repeat(50)));
            backward.put("state" + (99 - i), text("value " + (99 - i) + " ".repeat(50)));
        }

        ObjectNode item = stored(cell(forward));

        assertThat(isCompressed(item)).isTrue();
        assertThat(item).isEqualTo(stored(cell(backward))).isEqualTo(stored(cell(new HashMap<>(forward))));
    }

    @Test
    void cellsOfBeforeCompressionAreReadable() {
        Cell cell = cellOf(new byte[50_000]);

        Cell read = CellItems.fromItem(KEY, plain(cell));

        assertThat(read.states()).usingRecursiveComparison().isEqualTo(cell.states());
        assertThat(read.compressed()).isNull();
    }

    /** Such code asked for a map of states, and failed the batch without one. */
    @Test
    void codeOfBeforeCompressionTakesACompressedCellForNone() {
        assertThat(stored(cellOf(new byte[50_000])).path("state").isObject()).isFalse();
    }

    @Test
    void statesAreCompressedUpToTheMostThatIsInflated() throws IOException {
        ObjectNode largest = JsonNodeFactory.instance
                .objectNode()
                .put("s", "x".repeat(CompressedStates.INFLATED_BYTES_MAX - EMPTY_STATES_BYTES));
        ObjectNode tooLarge = JsonNodeFactory.instance
                .objectNode()
                .put("s", "x".repeat(CompressedStates.INFLATED_BYTES_MAX - EMPTY_STATES_BYTES + 1));

        byte[] deflated = Objects.requireNonNull(CompressedStates.deflate(largest));

        assertThat(CompressedStates.inflate(KEY, deflated)).isEqualTo(largest);
        assertThat(CompressedStates.deflate(tooLarge)).isNull();
    }

    @Test
    void statesTooLargeToBeInflatedStayPlain() {
        ObjectNode item = stored(cell(Map.of("s", text("x".repeat(CompressedStates.INFLATED_BYTES_MAX)))));

        assertThat(isCompressed(item)).isFalse();
        assertThat(ItemSize.of(item)).isGreaterThan(CompressedStates.INFLATED_BYTES_MAX);
    }

    @Test
    void cellThatClaimsMoreThanWasEverWrittenIsUnreadable() throws IOException {
        byte[] bomb = gzip(ItemJson.write(JsonNodeFactory.instance
                .objectNode()
                .put("s", "x".repeat(CompressedStates.INFLATED_BYTES_MAX - EMPTY_STATES_BYTES + 1))));

        assertThatThrownBy(() -> CellItems.fromItem(KEY, stored(bomb)))
                .isInstanceOf(UnreadableStateException.class)
                .hasMessage("The cell counts#ORD#4 cannot be read: its state, " + bomb.length
                        + " bytes compressed, takes more than 4096000 bytes, the most that Millrace writes."
                        + " Was its item written by something else?");
    }

    @Test
    void damagedCellIsUnreadable() throws IOException {
        byte[] good = stored(cellOf(new byte[5_000])).path("state").binaryValue();
        byte[] wrongSum = good.clone();
        wrongSum[good.length - 8]++;

        for (byte[] damaged : new byte[][] {
            {},
            {1, 2, 3},
            Arrays.copyOf(good, good.length / 2),
            Arrays.copyOf(good, good.length - 1),
            wrongSum,
            gzip("7".getBytes(UTF_8)),
            gzip("{\"s\":{\"N\":\"1\"}}".getBytes(UTF_8))
        }) {
            assertThatThrownBy(() -> CellItems.fromItem(KEY, stored(damaged)))
                    .as(Arrays.toString(damaged))
                    .isInstanceOf(MillraceException.class)
                    .hasMessageStartingWith("The cell counts#ORD#4 cannot be read");
        }
    }

    @Test
    void fenceTakesItsNameItsLanesAndItsPositions() {
        ObjectNode item = CellItems.toItem(cell(Map.of()));
        int withoutFence = ItemSize.of(item.deepCopy().without("fence"));

        assertThat(CellItems.fenceBytes(item))
                .isEqualTo(ItemSize.of(item) - withoutFence)
                .isGreaterThan("fence".length() + "0.0".length());
    }
}
