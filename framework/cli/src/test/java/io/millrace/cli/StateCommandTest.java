package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.TimeDomain;
import io.millrace.aws.internal.Items;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.CellTime;
import io.millrace.internal.engine.DoneRedrives;
import io.millrace.internal.engine.Fence;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.StoredState;
import io.millrace.internal.engine.Timer;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.EmbeddedAwsServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** State as people read it, of a pipeline whose code nobody has. */
class StateCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant TIME = Instant.parse("2025-11-02T08:00:00Z");
    private static final String CSV_HEAD = "stage,key,state,kind,map_key,element,value,encoding,time\r\n";

    @TempDir
    private Path folder = Path.of("");

    private final EmbeddedAws aws = EmbeddedAws.create();
    private final DynamoDbClient dynamoDb = AwsEndpoint.of(aws).dynamoDb();
    private String endpoint = "";

    @BeforeEach
    void createTables() throws IOException {
        EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
        endpoint = server.endpoint().toString();
        create("shop-control", "pk", "sk");
        create("shop-state", "pk");
        control("pipeline#shop", "control", Map.of("generation", AttributeValue.fromN("2")));
        control("carts#2#stage", "lanes", Map.of());
        control("idle#2", "clicks/shardId-000000000000", Map.of());
    }

    private void create(String table, String... keys) {
        CreateTableRequest.Builder creation =
                CreateTableRequest.builder().tableName(table).billingMode(BillingMode.PAY_PER_REQUEST);
        creation.attributeDefinitions(Stream.of(keys)
                .map(key -> AttributeDefinition.builder()
                        .attributeName(key)
                        .attributeType(ScalarAttributeType.S)
                        .build())
                .toList());
        creation.keySchema(Stream.of(keys)
                .map(key -> KeySchemaElement.builder()
                        .attributeName(key)
                        .keyType(key.equals("pk") ? KeyType.HASH : KeyType.RANGE)
                        .build())
                .toList());
        dynamoDb.createTable(creation.build());
    }

    private void control(String partitionKey, String sortKey, Map<String, AttributeValue> more) {
        Map<String, AttributeValue> item = new TreeMap<>(more);
        item.put("pk", AttributeValue.fromS(partitionKey));
        item.put("sk", AttributeValue.fromS(sortKey));
        item.put("version", AttributeValue.fromS("v"));
        item.put("sources", AttributeValue.fromL(List.of(AttributeValue.fromS("clicks"))));
        dynamoDb.putItem(put -> put.tableName("shop-control").item(item));
    }

    @AfterEach
    void closeAws() {
        dynamoDb.close();
        aws.close();
    }

    private static StoredState.Value text(String text) {
        return new StoredState.Value(text.getBytes(StandardCharsets.UTF_8), true);
    }

    private void store(ObjectNode item) {
        dynamoDb.putItem(put -> put.tableName("shop-state").item(Items.toAttributes(item)));
    }

    private static ObjectNode cell(String key, long generation, Map<String, StoredState> states) {
        return CellItems.toItem(new Cell(new CellKey("carts", key, generation), "v1", Fence.EMPTY, states));
    }

    private void storeUnreadable(String key) {
        ObjectNode item = cell(key, 2, Map.of());
        item.put("state", new byte[] {1});
        store(item);
    }

    /** One with state of all kinds, a tombstone, and one of another generation. */
    private void storeCells() {
        TreeMap<String, StoredState.Value> entries = new TreeMap<>();
        entries.put("", text("\"none\""));
        entries.put(
                "a,b", new StoredState.Value("line\nline".getBytes(StandardCharsets.UTF_8), true, TIME.toEpochMilli()));
        TreeMap<Timer, Integer> timers = new TreeMap<>();
        timers.put(new Timer(TimeDomain.EVENT_TIME, TIME.toEpochMilli(), ""), 2);
        timers.put(new Timer(TimeDomain.PROCESSING_TIME, TIME.toEpochMilli() + 1, "window"), 0);
        store(CellItems.toItem(new Cell(
                new CellKey("carts", "ada", 2),
                "v1",
                Fence.of(Map.of("0.3", new Position(Position.of("4967").sequenceNumber(), 5))),
                Map.of(
                        "total", text("=1+2"),
                        "photo", new StoredState.Value(new byte[] {0, 1}, false),
                        "items", new StoredState.Elements(List.of(text("{\"id\":\"x\"}"), text("2"))),
                        "prices", new StoredState.Entries(entries)),
                DoneRedrives.of(Map.of("r1", TIME)),
                new CellTime(timers, TIME.toEpochMilli() - 1),
                null)));
        store(cell("gone", 2, Map.of()));
        store(cell("old", 1, Map.of("total", text("1"))));
    }

    private Commands state(String command, String... more) {
        return Commands.run(Stream.concat(Stream.of("state", command, "shop", "--endpoint", endpoint), Stream.of(more))
                .toArray(String[]::new));
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new AssertionError(line, e);
        }
    }

    @Test
    void theListHasARowForEachCellAndCountsThem() {
        storeCells();

        Commands list = state("ls");

        assertThat(list.exitCode()).as(list.toString()).isZero();
        List<String> lines = list.out().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).startsWith("STAGE  ").endsWith("KEY");
        assertThat(list.out())
                .containsPattern("carts +[0-9]+ +2  2025-11-02T07:59:59.999Z +items, photo, prices, total +ada\n")
                .containsPattern("carts +[0-9]+ +0  - +\\(tombstone\\) +gone\n");
        assertThat(lines.get(3))
                .startsWith("2 cells in stage carts: ")
                .endsWith(" bytes, 2 timers, 1 tombstone, 0 unreadable.");
        Commands limited = state("ls", "--limit", "1");
        assertThat(limited.out()).contains("1 cell in stage carts").contains("There are more; --limit is 1.");
        assertThat(limited.exitCode()).isZero();
        assertThat(state("ls", "--generation", "1").out()).contains("  old\n").doesNotContain("  ada\n");
        assertThat(state("ls", "--generation", "3").out()).isEqualToIgnoringNewLines("There are none in generation 3.");
        assertThat(state("ls", "--stage", "idle").out()).isEqualToIgnoringNewLines("There are none in generation 2.");
    }

    @Test
    void theListAsJsonHasASummaryAtTheEnd() {
        storeCells();
        storeUnreadable("bad");

        Commands list = state("ls", "--json", "--stage", "carts");

        assertThat(list.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        List<JsonNode> lines = list.out().lines().map(StateCommandTest::parse).toList();
        assertThat(lines).hasSize(4);
        assertThat(lines)
                .filteredOn(line -> line.path("key").asText().equals("ada"))
                .singleElement()
                .satisfies(ada -> {
                    assertThat(ada.path("states").toString()).isEqualTo("[\"items\",\"photo\",\"prices\",\"total\"]");
                    assertThat(ada.path("timers").asInt()).isEqualTo(2);
                    assertThat(ada.path("tombstone").asBoolean()).isFalse();
                });
        JsonNode summary = lines.get(3).path("summary");
        assertThat(summary.path("cells").asInt()).isEqualTo(3);
        assertThat(summary.path("stages").path("carts").asInt()).isEqualTo(3);
        assertThat(summary.path("tombstones").asInt()).isEqualTo(1);
        assertThat(summary.path("unreadable").asInt()).isEqualTo(1);
    }

    @Test
    void oneCellIsShownWithAllThatItHas() {
        storeCells();

        Commands get = state("get", "carts", "ada");

        assertThat(get.exitCode()).as(get.toString()).isZero();
        assertThat(get.out().lines().map(line -> line.replaceFirst("[0-9]+ bytes", "N bytes")))
                .containsExactly(
                        "carts#ada#2",
                        "  stage          carts",
                        "  key            ada",
                        "  generation     2",
                        "  size           N bytes",
                        "  version        v1",
                        "  watermark      2025-11-02T07:59:59.999Z",
                        "  state          items (list), 2 elements",
                        "                 {\"id\":\"x\"}",
                        "                 2",
                        "  state          photo (value) = base64: AAE=",
                        "  state          prices (map), 2 entries",
                        "                  = \"none\"",
                        "                 a,b = line line  (since 2025-11-02T08:00:00Z)",
                        "  state          total (value) = =1+2",
                        "  timer          event 2025-11-02T08:00:00Z, failed 2 times",
                        "  timer          processing 2025-11-02T08:00:00.001Z of window",
                        "  fence          0.3 -> 4967, sub-sequence 5",
                        "  redriven       r1, may be forgotten after 2025-11-02T08:00:00Z");
        JsonNode json = parse(state("get", "carts", "ada", "--json").out());
        assertThat(json.path("states").path("prices").toString())
                .isEqualTo("{\"kind\":\"map\",\"entries\":{\"\":{\"text\":\"\\\"none\\\"\"},"
                        + "\"a,b\":{\"text\":\"line\\nline\",\"time\":\"2025-11-02T08:00:00Z\"}}}");
        assertThat(json.path("states").path("photo").path("value").toString()).isEqualTo("{\"base64\":\"AAE=\"}");
        assertThat(json.path("fence").toString())
                .isEqualTo("{\"0.3\":{\"sequence_number\":\"4967\",\"sub_sequence\":5}}");
        assertThat(json.path("timers").path(0).toString())
                .isEqualTo("{\"domain\":\"event\",\"time\":\"2025-11-02T08:00:00Z\",\"name\":\"\",\"attempts\":2}");
        assertThat(state("get", "carts", "old", "--generation", "1").out()).contains("total (value) = 1");
    }

    @Test
    void aKeyThatIsNotThereIsNamedWithWhatToDo() {
        storeCells();

        Commands get = state("get", "carts", "ADA");

        assertThat(get.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(get.err())
                .contains(
                        "There is no cell of the key 'ADA' in stage 'carts' of 'shop', generation 2: no item carts#ADA#2"
                                + " in the table shop-state.")
                .contains("a composite key as its parts, each behind its length (3:ZRH2:LX)")
                .contains("./millrace state ls shop --endpoint " + endpoint + " --stage carts");
        Commands stage = state("get", "baskets", "ada");
        assertThat(stage.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(stage.err())
                .contains("There is no stage 'baskets' in generation 2 of 'shop'; its stages are carts, idle.");
        Commands list = state("ls", "--stage", "baskets");
        assertThat(list.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(list.err()).contains("its stages are carts, idle.");
        assertThat(state("get", "carts", "ada", "--generation", "7").err())
                .contains("generation 7 of 'shop'; no stage has processed anything in it.");
        assertThat(state("get", "carts", "@ada").err()).contains("'@ada'");
    }

    @Test
    void whatCannotBeReadIsShownAndCounted() {
        storeCells();
        storeUnreadable("bad");

        Commands list = state("ls");
        assertThat(list.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(list.out())
                .containsPattern("\\(unreadable\\) +bad  The cell carts#bad#2 cannot be read")
                .contains("  ada")
                .contains("3 cells", "1 unreadable.");
        Commands get = state("get", "carts", "bad");
        assertThat(get.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(get.out()).contains("unreadable     The cell carts#bad#2 cannot be read");
        Commands export = state("export", "--output", "-", "--format", "csv");
        assertThat(export.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(export.out()).contains("carts,bad,,unreadable,,,").contains("carts,ada,total,value,,,=1+2,text,");
    }

    @Test
    void anExportAsCsvQuotesByTheRuleAndChangesNothing() throws IOException {
        storeCells();
        Path file = folder.resolve("state.csv");

        Commands export = state("export", "--output", file.toString());

        assertThat(export.exitCode()).as(export.toString()).isZero();
        assertThat(export.out()).isEmpty();
        assertThat(export.err()).contains("exporting  2 cells, ", " bytes\n", "2 cells in stage carts");
        assertThat(Files.readString(file))
                .isEqualTo(CSV_HEAD
                        + "carts,ada,items,list,,0,\"{\"\"id\"\":\"\"x\"\"}\",text,\r\n"
                        + "carts,ada,items,list,,1,2,text,\r\n"
                        + "carts,ada,photo,value,,,AAE=,base64,\r\n"
                        + "carts,ada,prices,map,,,\"\"\"none\"\"\",text,\r\n"
                        + "carts,ada,prices,map,\"a,b\",,\"line\nline\",text,2025-11-02T08:00:00Z\r\n"
                        + "carts,ada,total,value,,,=1+2,text,\r\n");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void threeThousandCellsAreExportedEachOnce() throws IOException {
        for (int i = 0; i < 3_000; i++) {
            store(cell("key-" + i, 2, Map.of("text", text("x".repeat(900)))));
        }
        Path file = folder.resolve("state.jsonl");

        Commands export = state("export", "--output", file.toString(), "--stage", "carts");

        assertThat(export.exitCode()).as(export.toString()).isZero();
        assertThat(export.err()).contains("3,000 cells in stage carts");
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3_000);
        assertThat(lines.stream().map(line -> parse(line).path("key").asText()).distinct())
                .hasSize(3_000);
        assertThat(state("export", "--output", "-").out().lines()).hasSize(3_000);
        assertThat(state("ls").out().lines()).hasSize(3_002);
    }

    @Test
    void anExportThatFailsLeavesTheFileAsItWas() throws IOException {
        Path file = folder.resolve("state.json");
        Files.writeString(file, "before");

        Commands export = state("export", "--output", file.toString(), "--stage", "baskets");

        assertThat(export.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(export.err()).contains("There is no stage 'baskets'");
        assertThat(file).hasContent("before");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void whatCannotWorkIsRefused() {
        assertUsage("--format is 'xml'", "export", "--output", "-", "--format", "xml");
        assertUsage("is a folder", "export", "--output", folder.toString());
        assertUsage("--generation is 0", "ls", "--generation", "0");
        assertUsage("--limit is 0", "ls", "--limit", "0");
        assertUsage("--output", "export");
        Commands none = Commands.run("state");
        assertThat(none.exitCode()).isEqualTo(Millrace.EXIT_USAGE);
        assertThat(none.err()).contains("there are ls, get and export");
        Commands unknown = Commands.run("state", "ls", "flights", "--endpoint", endpoint);
        assertThat(unknown.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(unknown.err())
                .contains("The pipeline 'flights' has never run here: there is no table flights-control");
    }

    private void assertUsage(String message, String command, String... more) {
        Commands refused = state(command, more);
        assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(Millrace.EXIT_USAGE);
        assertThat(refused.err()).contains(message);
    }
}
