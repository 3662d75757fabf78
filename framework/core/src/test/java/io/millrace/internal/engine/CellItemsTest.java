package io.millrace.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.item.ItemSize;
import io.millrace.serde.Key2;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Keys;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CellItemsTest {
    private static final Lane LANE = new Lane(0, "events", "shardId-000000000001");
    private static final Lane ODD_LANE = new Lane(2, "others", "odd");

    private static Cell cell(String key) {
        Fence fence = Fence.EMPTY
                .raisedTo(LANE, Position.of("49590338271490256608559692538361571095921575989136588898"))
                .raisedTo(ODD_LANE, Position.parse("7:3"));
        return new Cell(
                new CellKey("counts", key, 4),
                "v1",
                fence,
                Map.of(
                        "text", text("{\"é\":1}"),
                        "data", new StoredState.Value(new byte[] {0, -1, 7}, false),
                        "map",
                                new StoredState.Entries(
                                        new TreeMap<>(Map.of("b", text("2"), "a", text("1"), "c", text(""))))));
    }

    private static StoredState.Value text(String text) {
        return new StoredState.Value(text.getBytes(UTF_8), true);
    }

    private static void assertSame(Cell actual, Cell expected) {
        assertThat(actual.key()).isEqualTo(expected.key());
        assertThat(actual.version()).isEqualTo(expected.version());
        assertThat(actual.fence().positions()).isEqualTo(expected.fence().positions());
        assertThat(actual.states()).usingRecursiveComparison().isEqualTo(expected.states());
    }

    @Test
    void cellRoundTrips() {
        Cell cell = cell("ORD");

        ObjectNode item = CellItems.toItem(cell);

        assertThat(item.get("pk").textValue()).isEqualTo("counts#ORD#4");
        assertThat(item.get("key").textValue()).isEqualTo("ORD");
        assertThat(item.get("version").textValue()).isEqualTo("v1");
        assertThat(item.get("fence").fieldNames()).toIterable().containsExactly("0.1", "2:odd");
        assertThat(item.get("state").get("text").textValue()).isEqualTo("{\"é\":1}");
        assertThat(item.get("state").get("data").isBinary()).isTrue();
        assertThat(item.get("state").get("map").fieldNames()).toIterable().containsExactly("a", "b", "c");
        assertSame(CellItems.fromItem(cell.key(), item), cell);
    }

    @Test
    void sizeCountsTheTimeToLiveThatATombstoneGets() {
        ObjectNode item = CellItems.toItem(cell("ORD"));

        assertThat(CellItems.size(item)).isEqualTo(ItemSize.of(item) + "ttl".length() + 21);
    }

    @Test
    void tombstoneRoundTrips() {
        Cell tombstone =
                new Cell(new CellKey("counts", "", 1), "v9", Fence.EMPTY.raisedTo(LANE, Position.of("5")), Map.of());

        Cell read = CellItems.fromItem(tombstone.key(), CellItems.toItem(tombstone));

        assertSame(read, tombstone);
        assertThat(read.isTombstone()).isTrue();
        assertThat(cell("ORD").isTombstone()).isFalse();
    }

    @Test
    void fieldCase22LongKeyIsHashedAndCompared() {
        Cell cell = cell("k".repeat(3_000));

        ObjectNode item = CellItems.toItem(cell);

        assertThat(item.get("pk").textValue())
                .matches("counts#sha256:[0-9a-f]{64}#4")
                .isEqualTo("counts#sha256:" + CellItems.sha256("k".repeat(3_000)) + "#4");
        assertThat(item.get("key").textValue()).hasSize(3_000);
        assertSame(CellItems.fromItem(cell.key(), item), cell);
        assertThatThrownBy(() -> CellItems.fromItem(new CellKey("counts", "k".repeat(3_001), 4), item))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("belongs to another key (3000 characters instead of 3001)");
    }

    @Test
    void keyIsHashedFromDynamoDbsLimitOn() {
        int room = 2_048 - "counts##4".length();

        assertThat(CellItems.partitionKey(new CellKey("counts", "k".repeat(room), 4)))
                .hasSize(2_048);
        assertThat(CellItems.partitionKey(new CellKey("counts", "k".repeat(room + 1), 4)))
                .startsWith("counts#sha256:");
        assertThat(CellItems.partitionKey(new CellKey("counts", "é".repeat(room / 2 + 1), 4)))
                .startsWith("counts#sha256:");
    }

    @Test
    void keyThatLooksLikeAHashIsNotTakenForTheLongOne() {
        String longKey = "k".repeat(3_000);
        CellKey alike = new CellKey("counts", "sha256:" + CellItems.sha256(longKey), 4);

        assertThat(CellItems.partitionKey(alike)).isEqualTo(CellItems.partitionKey(new CellKey("counts", longKey, 4)));
        assertThatThrownBy(() -> CellItems.fromItem(alike, CellItems.toItem(cell(longKey))))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("two keys take the same item");
    }

    @Test
    void fieldCase32CompositeKeysAreTwoCells() {
        KeyCodec<Key2<String, String>> codec = Keys.composite(Keys.STRING, Keys.STRING);
        CellKey one = new CellKey("counts", codec.encode(new Key2<>("a#b", "c")), 1);
        CellKey other = new CellKey("counts", codec.encode(new Key2<>("a", "b#c")), 1);

        assertThat(CellItems.partitionKey(one)).isNotEqualTo(CellItems.partitionKey(other));
    }

    @Test
    void stageKeyAndGenerationAreToldApart() {
        assertThat(CellItems.partitionKey(new CellKey("s", "k#1", 2)))
                .isNotEqualTo(CellItems.partitionKey(new CellKey("s", "k", 12)))
                .isNotEqualTo(CellItems.partitionKey(new CellKey("s", "k", 2)));
        assertThat(CellItems.partitionKey(new CellKey("s", "a#b", 1)))
                .isNotEqualTo(CellItems.partitionKey(new CellKey("s.a", "b", 1)));
    }

    @Test
    void itemThatIsNoCellIsRefused() {
        CellKey key = new CellKey("counts", "", 4);
        ObjectNode whole = CellItems.toItem(cell(""));

        for (String attribute : new String[] {"key", "version", "fence", "state"}) {
            assertThatThrownBy(() -> CellItems.fromItem(key, whole.deepCopy().without(attribute)))
                    .as("without " + attribute)
                    .isInstanceOf(MillraceException.class);
        }
        ObjectNode textFence = whole.deepCopy();
        textFence.withObject("/fence").put("0.1", "7");
        ObjectNode numberFence = whole.deepCopy();
        numberFence.withObject("/fence").put("0.1", 7);
        ObjectNode numberState = whole.deepCopy();
        numberState.withObject("/state").put("text", 7);
        for (ObjectNode broken : new ObjectNode[] {textFence, numberFence, numberState}) {
            assertThatThrownBy(() -> CellItems.fromItem(key, broken))
                    .as(broken.toString())
                    .isInstanceOf(MillraceException.class)
                    .hasMessageStartingWith("The cell counts##4 cannot be read");
        }
    }

    @Test
    void listsAndTimesRoundTripInEachOfTheirShapes() {
        StoredState.Value plain = text("x");
        StoredState.Value timed = text("y").at(1_700_000_000_000L);
        StoredState.Value timedBytes = new StoredState.Value(new byte[] {1}, false, 0);
        Cell cell = new Cell(
                new CellKey("counts", "a", 1),
                "v",
                Fence.EMPTY,
                Map.of(
                        "value", timed,
                        "bytes", timedBytes,
                        "one", new StoredState.Elements(List.of(plain)),
                        "two", new StoredState.Elements(List.of(plain, plain)),
                        "timed", new StoredState.Elements(List.of(timed)),
                        "mixed", new StoredState.Elements(List.of(timed, timedBytes, plain)),
                        "map", new StoredState.Entries(new TreeMap<>(Map.of("a", timed, "b", plain)))));

        ObjectNode item = CellItems.toItem(cell);

        assertThat(item.path("state").path("value")).hasToString("[\"y\",1700000000000]");
        assertThat(item.path("state").path("two")).hasToString("[\"x\",\"x\"]");
        assertThat(item.path("state").path("timed")).hasToString("[[\"y\",1700000000000]]");
        assertThat(item.path("state").path("map")).hasToString("{\"a\":[\"y\",1700000000000],\"b\":\"x\"}");
        assertSame(CellItems.fromItem(cell.key(), item), cell);
    }

    @Test
    void listOfWhatIsNoValueIsRefused() {
        CellKey key = new CellKey("counts", "", 4);
        for (String strange : new String[] {
            "[7]", "[\"a\",\"b\",7]", "[\"a\",7,\"b\"]", "[[7,8]]", "[[[\"a\",1],2]]", "[true]", "[[\"a\"]]"
        }) {
            ObjectNode item = CellItems.toItem(cell(""));
            try {
                item.withObject("/state")
                        .set("text", io.millrace.serde.Json.mapper().readTree(strange));
            } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
                throw new AssertionError(e);
            }
            assertThatThrownBy(() -> CellItems.fromItem(key, item))
                    .as(strange)
                    .isInstanceOf(MillraceException.class)
                    .hasMessageStartingWith("The cell counts##4 cannot be read");
        }
    }
}
