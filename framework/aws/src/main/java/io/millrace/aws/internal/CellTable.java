package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/** Loads cells. Thread-safe. */
final class CellTable {
    /** The most keys of a BatchGetItem; source: DynamoDB's API reference. */
    private static final int KEYS_MAX = 100;

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final IoExecutor io;
    private final Backoff backoff;
    private final RetryingRequest read;

    CellTable(DynamoDbClient dynamoDb, String table, IoExecutor io, Backoff backoff) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.io = io;
        this.backoff = backoff;
        this.read = new RetryingRequest(backoff);
    }

    /** The cells of keys, read consistently, by key. A cell that is not there is absent in the engine's sense. */
    Map<String, Cell> load(String stage, long generation, Collection<String> keys) {
        Map<String, CellKey> wanted = new HashMap<>();
        for (String key : keys) {
            CellKey cellKey = new CellKey(stage, key, generation);
            CellKey other = wanted.putIfAbsent(CellItems.partitionKey(cellKey), cellKey);
            if (other != null && !other.equals(cellKey)) {
                throw new MillraceException("Two keys of stage '" + stage + "' take the same item "
                        + CellItems.partitionKey(cellKey) + ". Change one.");
            }
        }
        List<Callable<Map<String, ? extends Map<String, AttributeValue>>>> tasks = new ArrayList<>();
        List<String> partitionKeys = new ArrayList<>(wanted.keySet());
        for (int from = 0; from < partitionKeys.size(); from += KEYS_MAX) {
            List<String> part = partitionKeys.subList(from, Math.min(partitionKeys.size(), from + KEYS_MAX));
            tasks.add(() -> fetch(part));
        }
        Map<String, Cell> cells = new HashMap<>();
        wanted.values().forEach(key -> cells.put(key.key(), Cell.absent(key)));
        for (Map<String, ? extends Map<String, AttributeValue>> found : io.runAll(tasks)) {
            found.forEach((partitionKey, item) -> {
                CellKey key = wanted.get(partitionKey);
                if (key != null) {
                    cells.put(key.key(), CellItems.fromItem(key, Items.fromAttributes(item)));
                }
            });
        }
        return cells;
    }

    private Map<String, Map<String, AttributeValue>> fetch(List<String> partitionKeys) {
        Map<String, Map<String, AttributeValue>> found = new HashMap<>();
        List<Map<String, AttributeValue>> open = partitionKeys.stream()
                .map(key -> Map.of(CellItems.PARTITION_KEY, Items.text(key)))
                .toList();
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            BatchGetItemResponse response = get(open);
            for (Map<String, AttributeValue> item : response.responses().getOrDefault(table, List.of())) {
                found.put(Items.required(item, CellItems.PARTITION_KEY).s(), item);
            }
            KeysAndAttributes unprocessed = response.unprocessedKeys().get(table);
            if (unprocessed == null || unprocessed.keys().isEmpty()) {
                return found;
            }
            open = unprocessed.keys();
            backoff.await(attempt);
        }
        throw ShellErrors.tooManyRetries(
                "Loading " + open.size() + " cells of table " + table, Backoff.ATTEMPTS_MAX, null);
    }

    private BatchGetItemResponse get(List<Map<String, AttributeValue>> keys) {
        BatchGetItemRequest request = BatchGetItemRequest.builder()
                .requestItems(Map.of(
                        table,
                        KeysAndAttributes.builder()
                                .keys(keys)
                                .consistentRead(true)
                                .build()))
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build();
        return read.of("Loading cells from table " + table, () -> dynamoDb.batchGetItem(request));
    }
}
