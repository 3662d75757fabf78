package io.millrace.aws;

import static io.millrace.aws.Remembering.word;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.TimeDomain;
import io.millrace.aws.internal.Items;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.Fence;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.StoredState;
import io.millrace.internal.item.ItemSize;
import io.millrace.serde.Json;
import io.millrace.serde.Keys;
import io.millrace.time.WatermarkStrategy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

class StateReaderTest {
    private static final String STATE_TABLE = Remembering.NAME + "-state";
    private static final String CONTROL_TABLE = Remembering.NAME + "-control";
    private static final long TIME = 1_700_000_000_000L;

    private final ShellFixture fixture = new ShellFixture(new Remembering(), 1);
    private final StateReader reader = StateReader.live(fixture.dynamoDb(), Remembering.NAME);

    @AfterEach
    void close() {
        fixture.close();
    }

    private void process(String... words) {
        int from = fixture.records(0).size();
        fixture.put(0, words);
        fixture.process(0, from, from + words.length);
    }

    private void store(ObjectNode item) {
        fixture.dynamoDb().putItem(put -> put.tableName(STATE_TABLE).item(Items.toAttributes(item)));
    }

    private static ObjectNode cellItem(String stage, String key, long generation, StoredState state) {
        return CellItems.toItem(new Cell(
                new CellKey(stage, key, generation),
                "version",
                Fence.of(Map.of("0.1", new Position(Position.of("12345").sequenceNumber(), 7))),
                Map.of("some", state)));
    }

    private static StoredState.Value text(String text) {
        return new StoredState.Value(text.getBytes(StandardCharsets.UTF_8), true);
    }

    private ObjectNode damaged(String key) {
        ObjectNode item = cellItem(Remembering.STAGE, key, 1, text("1"));
        item.put(CellItems.STATE, new byte[] {1, 2, 3});
        return item;
    }

    private static List<StoredCell> list(Iterable<StoredCell> cells) {
        return StreamSupport.stream(cells.spliterator(), false).toList();
    }

    private static StoredValue valueOf(StoredCell cell, String name) {
        return ((StoredStateView.OfValue) Objects.requireNonNull(cell.states().get(name))).value();
    }

    @Test
    void allKindsOfStateAreReadWithoutClassesAndWithThem() {
        process(word("k", "one", TIME), word("k", "three", TIME + 1), word("k", "one", TIME + 2));

        StoredCell cell = reader.cell(Remembering.STAGE, "k").orElseThrow();

        assertThat(cell.isReadable()).isTrue();
        assertThat(cell.damage()).isNull();
        assertThat(cell.isTombstone()).isFalse();
        assertThat(cell.isCompressed()).isFalse();
        assertThat(cell.itemKey()).isEqualTo("remember#k#1").hasToString(cell.toString());
        assertThat(cell.stage() + cell.key() + cell.generation()).isEqualTo("rememberk1");
        assertThat(cell.bytes())
                .isEqualTo(ItemSize.of(Objects.requireNonNull(fixture.cells().get("k"))));
        assertThat(cell.version())
                .isEqualTo(Objects.requireNonNull(fixture.cells().get("k"))
                        .path("version")
                        .asText());
        assertThat(cell.states()).containsOnlyKeys("all", "counts", "fleeting", "last", "lengths", "longest", "raw");
        assertThat(cell.states().values())
                .extracting(StoredStateView::kind)
                .containsExactly("list", "map", "value", "value", "value", "value", "value");
        assertThat(valueOf(cell, "last").text()).isEqualTo(word("k", "one", TIME + 2));
        assertThat(valueOf(cell, "last").time()).isNull();
        assertThat(valueOf(cell, "raw").isText()).isFalse();
        assertThat(valueOf(cell, "raw")).hasToString("AAM=");
        assertThat(valueOf(cell, "raw").bytes()).containsExactly(0, 3);
        assertThat(valueOf(cell, "fleeting").text()).isEqualTo("\"one\"");
        assertThat(valueOf(cell, "fleeting").time()).isAfter(Instant.parse("2025-01-01T00:00:00Z"));
        assertThat(cell.value("last", Remembering.Word.class)).contains(new Remembering.Word("k", "one", TIME + 2));
        assertThat(cell.value("raw", new Remembering.Raw()).orElseThrow()).containsExactly(0, 3);
        assertThat(cell.value("longest", String.class)).contains("three");
        assertThat(cell.value("lengths", Integer.class)).contains(11);
        assertThat(cell.list("all", Json.of(String.class))).containsExactly("one", "three", "one");
        assertThat(cell.map("counts", Keys.STRING, Json.of(Integer.class))).isEqualTo(Map.of("one", 2, "three", 1));
        assertThat(cell.value("none", String.class)).isEmpty();
        assertThat(cell.list("none", Json.of(String.class))).isEmpty();
        assertThat(cell.map("none", Keys.LONG, Json.of(String.class))).isEmpty();
    }

    @Test
    void timersFenceAndWatermarkAreRead() {
        process(word("k", "one", TIME), word("k", "two", TIME + 5));

        StoredCell cell = reader.cell(Remembering.STAGE, "k").orElseThrow();

        assertThat(cell.timers())
                .containsExactly(
                        new StoredTimer(TimeDomain.EVENT_TIME, Instant.ofEpochMilli(TIME + 60_000), "", 0),
                        new StoredTimer(TimeDomain.EVENT_TIME, Instant.ofEpochMilli(TIME + 60_005), "", 0),
                        new StoredTimer(TimeDomain.PROCESSING_TIME, Instant.parse("2079-07-08T00:00:00Z"), "", 0));
        assertThat(cell.fence()).isEqualTo(Map.of("0.0", new StoredPosition(fixture.sequenceNumber(0, 1), 0)));
        assertThat(cell.redrives()).isEmpty();
        assertThat(cell.expiry()).isNull();
        ObjectNode item = cellItem(Remembering.STAGE, "other", 1, text("1"));
        item.put("ttl", 1_800_000_000L);
        item.put("watermark", TIME);
        item.putObject("redrives").put("id", 1_900_000_000L);
        item.putObject("timers").put("processing:17:window", 2);
        store(item);
        StoredCell other = reader.cell(Remembering.STAGE, "other").orElseThrow();
        assertThat(other.fence()).isEqualTo(Map.of("0.1", new StoredPosition("12345", 7)));
        assertThat(other.expiry()).isEqualTo(Instant.ofEpochSecond(1_800_000_000L));
        assertThat(other.watermark()).isEqualTo(Instant.ofEpochMilli(TIME));
        assertThat(other.redrives()).isEqualTo(Map.of("id", Instant.ofEpochSecond(1_900_000_000L)));
        assertThat(other.timers())
                .containsExactly(new StoredTimer(TimeDomain.PROCESSING_TIME, Instant.ofEpochMilli(17), "window", 2));
        item.put("watermark", WatermarkStrategy.END_OF_INPUT);
        store(item);
        assertThat(reader.cell(Remembering.STAGE, "other").orElseThrow().watermark())
                .isEqualTo(Instant.ofEpochMilli(Long.MAX_VALUE));
    }

    @Test
    void aStateIsReadAsWhatItIsOnly() {
        process(word("k", "one", TIME));
        StoredCell cell = reader.cell(Remembering.STAGE, "k").orElseThrow();

        assertThatThrownBy(() -> cell.value("all", String.class))
                .isInstanceOf(MillraceException.class)
                .hasMessage("The state 'all' of the cell remember#k#1 is stored as a list, not as a value."
                        + " Read it as a list.");
        assertThatThrownBy(() -> cell.list("counts", Json.of(String.class))).hasMessageContaining("stored as a map");
        assertThatThrownBy(() -> cell.map("last", Keys.STRING, Json.of(String.class)))
                .hasMessageContaining("stored as a value, not as a map");
        assertThatThrownBy(() -> cell.value("last", Integer.class)).hasMessageContaining("cannot be read by");
        assertThatThrownBy(() -> cell.map("counts", Keys.LONG, Json.of(Integer.class)))
                .hasMessageContaining("The state 'counts' of the cell remember#k#1 cannot be read by long");
    }

    @Test
    void aCompressedCellAndALongKeyAreRead() {
        String key = "k".repeat(3_000);
        process(word("k", "x".repeat(5_000), TIME));
        store(cellItem(Remembering.STAGE, key, 1, text("1")));

        StoredCell compressed = reader.cell(Remembering.STAGE, "k").orElseThrow();
        assertThat(compressed.isCompressed()).isTrue();
        assertThat(compressed.bytes()).isLessThan(2_000);
        assertThat(compressed.value("longest", String.class)).contains("x".repeat(5_000));
        StoredCell hashed = reader.cell(Remembering.STAGE, key, Keys.STRING).orElseThrow();
        assertThat(hashed.itemKey()).startsWith("remember#sha256:").isEqualTo(reader.itemKey(Remembering.STAGE, key));
        assertThat(hashed.key()).isEqualTo(key);
        assertThat(list(reader.cells())).extracting(StoredCell::key).containsExactlyInAnyOrder("k", key);
        String hash = hashed.itemKey().split("#", 3)[1];
        assertThat(reader.cell(Remembering.STAGE, hash)).isEmpty();
    }

    @Test
    void onlyTheCurrentGenerationIsReadUnlessAnotherOneIsNamed() {
        process(word("k", "one", TIME));
        store(cellItem(Remembering.STAGE, "k", 2, text("2")));
        store(cellItem(Remembering.STAGE, "k#1", 2, text("2")));

        assertThat(reader.generation()).isEqualTo(1);
        assertThat(list(reader.cells())).hasSize(1);
        StateReader second = reader.generation(2);
        assertThat(second.generation()).isEqualTo(2);
        assertThat(list(second.cells())).extracting(StoredCell::key).containsExactlyInAnyOrder("k", "k#1");
        assertThat(second.cell(Remembering.STAGE, "k#1")).isPresent();
        assertThat(second.stages()).isEmpty();

        fixture.dynamoDb()
                .updateItem(update -> update.tableName(CONTROL_TABLE)
                        .key(Map.of(
                                "pk", AttributeValue.fromS("pipeline#" + Remembering.NAME),
                                "sk", AttributeValue.fromS("control")))
                        .updateExpression("SET generation = :g")
                        .expressionAttributeValues(Map.of(":g", AttributeValue.fromN("2"))));
        assertThat(reader.generation()).isEqualTo(2);
        assertThat(list(reader.cells())).hasSize(2);
        assertThat(reader.generation(1).cell(Remembering.STAGE, "k")).isPresent();
    }

    @Test
    void stagesAreKnownAndKeptApart() {
        process(word("k", "one", TIME));
        store(cellItem("remember-not", "k", 1, text("2")));

        assertThat(reader.stages()).containsExactly(Remembering.STAGE);
        assertThat(list(reader.cells(Remembering.STAGE)))
                .extracting(StoredCell::itemKey)
                .containsExactly("remember#k#1");
        assertThat(list(reader.cells("remember-not"))).hasSize(1);
        assertThat(list(reader.cells("other"))).isEmpty();
        assertThat(reader.cell("other", "k")).isEmpty();
    }

    @Test
    void aTombstoneIsACell() {
        process(word("k", "one", TIME));
        store(CellItems.toItem(new Cell(new CellKey(Remembering.STAGE, "gone", 1), "v", Fence.EMPTY, Map.of())));

        StoredCell gone = reader.cell(Remembering.STAGE, "gone").orElseThrow();
        assertThat(gone.isTombstone()).isTrue();
        assertThat(gone.watermark()).isNull();
        assertThat(gone.fence()).isEmpty();
    }

    @Test
    void whatCannotBeReadIsShownAndDoesNotStopTheRest() {
        process(word("k", "one", TIME));
        store(damaged("damaged"));
        ObjectNode otherKey = cellItem(Remembering.STAGE, "other", 1, text("1"));
        otherKey.put(CellItems.PARTITION_KEY, "remember#another#1");
        store(otherKey);
        ObjectNode numbers = cellItem(Remembering.STAGE, "numbers", 1, text("1"));
        numbers.putObject(CellItems.STATE).put("some", 1);
        store(numbers);
        fixture.dynamoDb().putItem(put -> put.tableName(STATE_TABLE).item(Map.of("pk", AttributeValue.fromS("alien"))));
        store(cellItem(Remembering.STAGE, "whole", 1, text("1")));

        Map<String, StoredCell> cells = new TreeMap<>();
        list(reader.cells()).forEach(cell -> cells.put(cell.itemKey(), cell));

        assertThat(cells.values()).filteredOn(StoredCell::isReadable).hasSize(2);
        assertThat(damageOf(cells, "remember#damaged#1"))
                .contains("The cell remember#damaged#1 cannot be read.", "GZIP");
        assertThat(damageOf(cells, "remember#another#1")).contains("'key' belongs to another partition key");
        assertThat(damageOf(cells, "remember#numbers#1")).contains("a NUMBER is stored where bytes are expected");
        assertThat(damageOf(cells, "alien")).contains("is not STAGE#KEY#GENERATION");
        StoredCell damaged = Objects.requireNonNull(cells.get("remember#damaged#1"));
        assertThat(damaged.stage() + damaged.key() + damaged.generation()).isEqualTo("rememberdamaged1");
        assertThat(damaged.bytes()).isPositive();
        assertThat(damaged.isCompressed()).isTrue();
        assertThatThrownBy(damaged::states)
                .isInstanceOf(MillraceException.class)
                .hasMessageStartingWith("The cell remember#damaged#1 cannot be read: ");
        assertThat(reader.cell(Remembering.STAGE, "damaged").orElseThrow().isReadable())
                .isFalse();
        assertThat(list(reader.cells(Remembering.STAGE))).hasSize(5);
    }

    private static String damageOf(Map<String, StoredCell> cells, String itemKey) {
        return String.valueOf(Objects.requireNonNull(cells.get(itemKey)).damage());
    }

    /** Each cell takes about a KB, so that there are several pages. */
    @Test
    void threeThousandCellsAreReadPageByPage() {
        process(word("k", "one", TIME));
        for (int i = 0; i < 3_000; i++) {
            store(cellItem(Remembering.STAGE, "key-" + i, 1, text(RandomText.of(i, 1_000))));
        }
        AtomicInteger scans = new AtomicInteger();
        DynamoDbClient counting = fixture.dynamoDbWith(new ExecutionInterceptor() {
            @Override
            public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
                if (context.request() instanceof ScanRequest scan) {
                    assertThat(scan.consistentRead()).isTrue();
                    scans.incrementAndGet();
                }
            }
        });

        var cells = StateReader.live(counting, Remembering.NAME).cells().iterator();
        assertThat(scans).hasValue(0);
        List<String> keys = new ArrayList<>();
        keys.add(cells.next().key());
        assertThat(scans).hasValue(1);
        cells.forEachRemaining(cell -> keys.add(cell.key()));

        assertThat(keys).hasSize(3_001);
        assertThat(Set.copyOf(keys)).hasSize(3_001).contains("k", "key-0", "key-2999");
        assertThat(scans).hasValueGreaterThan(3);
        assertThatThrownBy(cells::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void aPipelineThatNeverRanHereIsNamed() {
        assertThatThrownBy(() -> StateReader.live(fixture.dynamoDb(), "flights").cells())
                .isInstanceOf(MillraceException.class)
                .hasMessage("The pipeline 'flights' has never run here: there is no table flights-control."
                        + " Is its name another one, or is it another region, account or endpoint?");
        assertThatThrownBy(reader::stages).hasMessageContaining("the table remembering-control has no item of it");
        StateReader named = StateReader.live(fixture.dynamoDb(), "flights", CONTROL_TABLE, STATE_TABLE);
        assertThatThrownBy(named::generation).hasMessageContaining("'flights' has never run here");
        process(word("k", "one", TIME));
        Optional<StoredCell> cell = StateReader.live(fixture.dynamoDb(), Remembering.NAME, CONTROL_TABLE, STATE_TABLE)
                .cell(Remembering.STAGE, "k");
        assertThat(cell).isPresent();
    }

    @Test
    void aStateTableThatIsNotThereFailsWithItsName() {
        process(word("k", "one", TIME));
        StateReader wrong = StateReader.live(fixture.dynamoDb(), Remembering.NAME, CONTROL_TABLE, "nowhere");
        assertThatThrownBy(() -> list(wrong.cells()))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("Reading the cells in table nowhere failed");
        assertThat(wrong.place()).isEqualTo("in the table nowhere");
    }
}
