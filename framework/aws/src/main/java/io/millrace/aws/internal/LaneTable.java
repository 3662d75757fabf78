package io.millrace.aws.internal;

import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneLineage;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.LaneTime;
import io.millrace.internal.engine.Position;
import io.millrace.time.WatermarkStrategy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/** The lane records of stages. Thread-safe. */
public final class LaneTable {
    private final DynamoDbClient dynamoDb;
    private final String table;
    private final RetryingRequest read;
    private final ConditionalPut put;

    public LaneTable(DynamoDbClient dynamoDb, String table, RetryingRequest read) {
        this(dynamoDb, table, read, ShellRules.PROTOCOL);
    }

    LaneTable(DynamoDbClient dynamoDb, String table, RetryingRequest read, ShellRules rules) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.read = read;
        this.put = new ConditionalPut(dynamoDb, table, rules);
    }

    /** Reads a lane's record, consistently; an unknown lane has an empty one. */
    LaneRecord read(String stage, long generation, Lane lane) {
        var response = read.of(
                "Reading the record of lane " + lane + " in table " + table,
                () -> dynamoDb.getItem(GetItemRequest.builder()
                        .tableName(table)
                        .key(key(stage, generation, lane))
                        .consistentRead(true)
                        .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                        .build()));
        return response.hasItem() && !response.item().isEmpty() ? fromItem(response.item()) : LaneRecord.unknown();
    }

    /** The records of all lanes of a stage, by {@code STREAM/SHARD}, read consistently. */
    public Map<String, LaneRecord> readAll(String stage, long generation) {
        Map<String, LaneRecord> records = new LinkedHashMap<>();
        readItems(stage, generation)
                .forEach(item -> records.put(Items.required(item, "sk").s(), fromItem(item)));
        return records;
    }

    /** The items of all lanes of a stage, read consistently. */
    public List<Map<String, AttributeValue>> readItems(String stage, long generation) {
        List<Map<String, AttributeValue>> items = new ArrayList<>();
        Map<String, AttributeValue> from = Map.of();
        do {
            QueryRequest.Builder query = QueryRequest.builder()
                    .tableName(table)
                    .consistentRead(true)
                    .keyConditionExpression("pk = :pk")
                    .expressionAttributeValues(Map.of(":pk", Items.text(stage + "#" + generation)));
            if (!from.isEmpty()) {
                query.exclusiveStartKey(from);
            }
            QueryResponse page = read.of(
                    "Reading the records of the lanes of stage '" + stage + "' in table " + table,
                    () -> dynamoDb.query(query.build()));
            items.addAll(page.items());
            from = page.lastEvaluatedKey();
        } while (!from.isEmpty());
        return items;
    }

    /**
     * Writes a lane's record, if it still has the version that was read.
     *
     * @param beside what is put in the same transaction
     */
    CommitOutcome write(
            String stage,
            long generation,
            Lane lane,
            LaneRecord record,
            @Nullable String versionRead,
            List<Put> beside) {
        return put.put(
                toItem(stage, generation, lane, record),
                versionRead,
                beside,
                old -> old.containsKey("version") && old.get("version").s().equals(record.version()));
    }

    /** The item of a lane's record. */
    public static Map<String, AttributeValue> toItem(String stage, long generation, Lane lane, LaneRecord record) {
        Map<String, AttributeValue> item = new HashMap<>(key(stage, generation, lane));
        item.putAll(toAttributes(record));
        return item;
    }

    private static Map<String, AttributeValue> key(String stage, long generation, Lane lane) {
        return Map.of("pk", Items.text(stage + "#" + generation), "sk", Items.text(lane.toString()));
    }

    private static Map<String, AttributeValue> toAttributes(LaneRecord record) {
        Map<String, AttributeValue> attributes = new HashMap<>();
        if (record.version() != null) {
            attributes.put("version", Items.text(record.version()));
        }
        if (record.cursor() != null) {
            attributes.put("cursor", Items.text(record.cursor().toString()));
        }
        if (record.lastArrival() != null) {
            attributes.put("last_arrival", Items.text(record.lastArrival().toString()));
        }
        putTime(attributes, record);
        LaneRecord.BegunBatch batch = record.batch();
        if (batch != null) {
            attributes.put("batch_first", Items.text(batch.first().toString()));
            attributes.put("batch_last", Items.text(batch.last().toString()));
            attributes.put("batch_begun", Items.number(batch.begun()));
            attributes.put("batch_topology", Items.text(batch.topology()));
        }
        LaneRecord.AloneRecord alone = record.alone();
        if (alone != null) {
            attributes.put("alone_position", Items.text(alone.position().toString()));
            attributes.put("alone_attempts", Items.number(alone.attempts()));
            attributes.put("alone_open", AttributeValue.fromBool(alone.open()));
            attributes.put("alone_keyed", AttributeValue.fromBool(alone.keyed()));
            attributes.put("alone_giving_ups", Items.number(alone.givingUps()));
            attributes.put("alone_keyless", AttributeValue.fromBool(alone.keyless()));
        }
        return attributes;
    }

    private static void putTime(Map<String, AttributeValue> attributes, LaneRecord record) {
        LaneTime time = record.time();
        if (time.watermark() != WatermarkStrategy.NO_WATERMARK) {
            attributes.put("watermark", Items.number(time.watermark()));
        }
        if (time.ofData() != WatermarkStrategy.NO_WATERMARK) {
            attributes.put("watermark_of_data", Items.number(time.ofData()));
        }
        LaneLineage lineage = record.lineage();
        if (lineage.discovered() != null) {
            attributes.put("discovered", Items.text(lineage.discovered().toString()));
        }
        if (!lineage.openParents().isEmpty()) {
            attributes.put("open_parents", AttributeValue.fromSs(sorted(lineage.openParents())));
        }
        if (lineage.finished()) {
            attributes.put("finished", AttributeValue.fromBool(true));
        }
        if (!lineage.children().isEmpty()) {
            attributes.put("children", AttributeValue.fromSs(sorted(lineage.children())));
        }
    }

    private static List<String> sorted(Set<String> shardIds) {
        return shardIds.stream().sorted().toList();
    }

    private static LaneTime timeOf(Map<String, AttributeValue> item) {
        return new LaneTime(watermark(item, "watermark"), watermark(item, "watermark_of_data"));
    }

    private static long watermark(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null ? WatermarkStrategy.NO_WATERMARK : Long.parseLong(value.n());
    }

    private static LaneLineage lineageOf(Map<String, AttributeValue> item) {
        AttributeValue discovered = item.get("discovered");
        return new LaneLineage(
                discovered == null ? null : Instant.parse(discovered.s()),
                shardIds(item, "open_parents"),
                item.containsKey("finished"),
                shardIds(item, "children"));
    }

    private static Set<String> shardIds(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null ? Set.of() : Set.copyOf(value.ss());
    }

    /** The record of an item. */
    public static LaneRecord fromItem(Map<String, AttributeValue> item) {
        Position cursor = position(item, "cursor");
        AttributeValue arrival = item.get("last_arrival");
        Position first = position(item, "batch_first");
        Position last = position(item, "batch_last");
        LaneRecord.BegunBatch batch = first == null || last == null
                ? null
                : new LaneRecord.BegunBatch(
                        first,
                        last,
                        Integer.parseInt(Items.required(item, "batch_begun").n()),
                        Items.required(item, "batch_topology").s());
        Position alonePosition = position(item, "alone_position");
        LaneRecord.AloneRecord alone = alonePosition == null
                ? null
                : new LaneRecord.AloneRecord(
                        alonePosition,
                        Integer.parseInt(Items.required(item, "alone_attempts").n()),
                        Items.required(item, "alone_open").bool(),
                        Items.required(item, "alone_keyed").bool(),
                        Integer.parseInt(
                                Items.required(item, "alone_giving_ups").n()),
                        Items.required(item, "alone_keyless").bool());
        return new LaneRecord(
                Items.required(item, "version").s(),
                cursor,
                arrival == null ? null : Instant.parse(arrival.s()),
                batch,
                alone,
                timeOf(item),
                lineageOf(item));
    }

    private static @Nullable Position position(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null ? null : Position.parse(value.s());
    }
}
