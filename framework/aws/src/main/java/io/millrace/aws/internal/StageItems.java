package io.millrace.aws.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/**
 * Items of which a stage has one each, apart from its lanes' records: which lanes there are, and the stage's watermark. Each
 * has a version. Thread-safe.
 */
public final class StageItems {
    /** Names the lanes whose records are there. */
    public static final String LANES = "lanes";

    /** The stage's watermark, as far as somebody has found it. */
    static final String WATERMARK = "watermark";

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final RetryingRequest read;
    private final ConditionalPut put;

    public StageItems(DynamoDbClient dynamoDb, String table, RetryingRequest read) {
        this(dynamoDb, table, read, ShellRules.PROTOCOL);
    }

    StageItems(DynamoDbClient dynamoDb, String table, RetryingRequest read, ShellRules rules) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.read = read;
        this.put = new ConditionalPut(dynamoDb, table, rules);
    }

    /** Reads an item, consistently; an empty map if it is not there. */
    public Map<String, AttributeValue> read(String stage, long generation, String name) {
        var response = read.of(
                "Reading the item " + name + " of stage '" + stage + "' in table " + table,
                () -> dynamoDb.getItem(GetItemRequest.builder()
                        .tableName(table)
                        .key(key(stage, generation, name))
                        .consistentRead(true)
                        .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                        .build()));
        return response.hasItem() ? response.item() : Map.of();
    }

    /** Tries once to write an item, if it still is as it was read. */
    CommitOutcome write(
            String stage,
            long generation,
            String name,
            String version,
            Map<String, AttributeValue> attributes,
            @Nullable String versionRead) {
        Map<String, AttributeValue> item = new HashMap<>(key(stage, generation, name));
        item.putAll(attributes);
        item.put("version", Items.text(version));
        return put.put(
                item,
                versionRead,
                List.of(),
                old -> old.containsKey("version") && old.get("version").s().equals(version));
    }

    static @Nullable String versionOf(Map<String, AttributeValue> item) {
        return item.isEmpty() ? null : Items.required(item, "version").s();
    }

    public static Map<String, AttributeValue> key(String stage, long generation, String name) {
        return Map.of("pk", Items.text(stage + "#" + generation + "#stage"), "sk", Items.text(name));
    }
}
