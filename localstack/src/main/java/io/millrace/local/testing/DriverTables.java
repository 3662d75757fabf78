package io.millrace.local.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.aws.internal.ControlTable;
import io.millrace.aws.internal.Items;
import io.millrace.aws.internal.PipelineControl;
import io.millrace.aws.internal.TableNames;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.item.Row;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/** Reads what a pipeline has written: rows, cells, dead letters. Single-threaded. */
final class DriverTables {
    private static final String STATUS = "status";
    private static final String PART = "part";

    private final TestCloud cloud;
    private final String pipeline;
    private final TableNames own;

    DriverTables(TestCloud cloud, String pipeline) {
        this.cloud = cloud;
        this.pipeline = pipeline;
        this.own = cloud.tables();
    }

    /** The tables of rows. */
    Set<String> rowTables() {
        Set<String> tables = new TreeSet<>();
        cloud.dynamoDb().listTablesPaginator().tableNames().forEach(tables::add);
        tables.removeAll(Set.of(own.control(), own.state(), own.deadLetters()));
        return tables;
    }

    /** The rows of a table without Millrace's own attributes, in the order of their keys, by their keys as JSON. */
    Map<String, ObjectNode> rows(String table) {
        Set<String> known = rowTables();
        if (!known.contains(table)) {
            throw new IllegalArgumentException(
                    "The pipeline '" + pipeline + "' writes no table '" + table + "'; it writes " + known + ".");
        }
        DynamoDbClient dynamoDb = cloud.dynamoDb();
        List<String> keys = dynamoDb.describeTable(request -> request.tableName(table)).table().keySchema().stream()
                .map(KeySchemaElement::attributeName)
                .toList();
        List<ObjectNode> items = new ArrayList<>(scan(table));
        items.sort(Comparator.comparing((ObjectNode item) -> item.get(keys.get(0)), DriverTables::compareKeys)
                .thenComparing(item -> item.get(keys.get(keys.size() - 1)), DriverTables::compareKeys));
        Map<String, ObjectNode> rows = new java.util.LinkedHashMap<>();
        for (ObjectNode item : items) {
            if (!item.has(Row.DELETED)) {
                item.properties().removeIf(attribute -> Row.isReserved(attribute.getKey()));
                rows.put(item.deepCopy().retain(keys).toString(), item);
            }
        }
        return rows;
    }

    private static int compareKeys(JsonNode one, JsonNode other) {
        return one.isNumber() && other.isNumber()
                ? one.decimalValue().compareTo(other.decimalValue())
                : one.asText().compareTo(other.asText());
    }

    /** The cell of a key. */
    Cell cell(String stage, String key) {
        CellKey cellKey = new CellKey(stage, key, generation());
        Map<String, AttributeValue> item = cloud.dynamoDb()
                .getItem(request -> request.tableName(own.state())
                        .consistentRead(true)
                        .key(Map.of(CellItems.PARTITION_KEY, AttributeValue.fromS(CellItems.partitionKey(cellKey)))))
                .item();
        return item.isEmpty() ? Cell.absent(cellKey) : CellItems.fromItem(cellKey, Items.fromAttributes(item));
    }

    /** All cells of a stage that keep something, by key. */
    Map<String, Cell> cells(String stage) {
        long generation = generation();
        Map<String, Cell> cells = new TreeMap<>();
        for (ObjectNode item : scan(own.state())) {
            CellKey key = new CellKey(stage, item.path(CellItems.KEY).asText(), generation);
            if (CellItems.partitionKey(key)
                    .equals(item.path(CellItems.PARTITION_KEY).asText())) {
                Cell cell = CellItems.fromItem(key, item);
                if (!cell.isTombstone()) {
                    cells.put(key.key(), cell);
                }
            }
        }
        return cells;
    }

    private long generation() {
        PipelineControl control =
                new ControlTable(cloud.dynamoDb(), own.control(), cloud.surroundings()).read(pipeline);
        return control == null ? 1 : control.generation();
    }

    /** The dead letters by lane and position. */
    List<TestDeadLetter> deadLetters() {
        List<ObjectNode> items = new ArrayList<>(scan(own.deadLetters()));
        items.sort(Comparator.comparing((ObjectNode item) -> item.path("pk").asText())
                .thenComparing(item -> item.path("sk").asText()));
        List<TestDeadLetter> letters = new ArrayList<>();
        for (ObjectNode item : items) {
            if (!item.path(STATUS).asText().equals(PART)) {
                letters.add(new TestDeadLetter(item, payload(item, items)));
            }
        }
        return letters;
    }

    /** A large payload lies in parts beside its dead letter. */
    private static byte[] payload(ObjectNode letter, List<ObjectNode> items) {
        if (!letter.has("payload_parts")) {
            return TestDeadLetter.payload(letter);
        }
        String prefix = letter.path("sk").asText() + "#part";
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (ObjectNode item : items) {
            if (item.path("pk").equals(letter.path("pk"))
                    && item.path("sk").asText().startsWith(prefix)) {
                payload.writeBytes(TestDeadLetter.payload(item));
            }
        }
        return payload.toByteArray();
    }

    private List<ObjectNode> scan(String table) {
        try {
            return cloud
                    .dynamoDb()
                    .scanPaginator(ScanRequest.builder()
                            .tableName(table)
                            .consistentRead(true)
                            .build())
                    .items()
                    .stream()
                    .map(Items::fromAttributes)
                    .toList();
        } catch (RuntimeException e) {
            throw new MillraceException("The table " + table + " cannot be read: " + e.getMessage(), e);
        }
    }
}
