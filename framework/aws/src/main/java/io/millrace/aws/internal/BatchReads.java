package io.millrace.aws.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/** Consistent reads of items by their keys, many at once; keys that stay unprocessed are asked for again. Thread-safe. */
final class BatchReads {
    /** The most keys of a BatchGetItem; source: DynamoDB's API reference. */
    static final int KEYS_MAX = 100;

    private final DynamoDbClient dynamoDb;
    private final Backoff backoff;
    private final RetryingRequest read;

    BatchReads(DynamoDbClient dynamoDb, Backoff backoff) {
        this.dynamoDb = dynamoDb;
        this.backoff = backoff;
        this.read = new RetryingRequest(backoff);
    }

    /**
     * Reads items of a table; those that are not there are left out.
     *
     * @param what the items in words, such as "cells"
     * @param keys at most {@value #KEYS_MAX}, none twice
     */
    List<Map<String, AttributeValue>> read(String what, String table, List<Map<String, AttributeValue>> keys) {
        List<Map<String, AttributeValue>> found = new ArrayList<>();
        List<Map<String, AttributeValue>> open = keys;
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            BatchGetItemResponse response = get(what, table, open);
            found.addAll(response.responses().getOrDefault(table, List.of()));
            KeysAndAttributes unprocessed = response.unprocessedKeys().get(table);
            if (unprocessed == null || unprocessed.keys().isEmpty()) {
                return found;
            }
            open = unprocessed.keys();
            backoff.await(attempt);
        }
        throw ShellErrors.tooManyRetries(
                "Loading " + open.size() + " " + what + " of table " + table, Backoff.ATTEMPTS_MAX, null);
    }

    private BatchGetItemResponse get(String what, String table, List<Map<String, AttributeValue>> keys) {
        BatchGetItemRequest request = BatchGetItemRequest.builder()
                .requestItems(Map.of(
                        table,
                        KeysAndAttributes.builder()
                                .keys(keys)
                                .consistentRead(true)
                                .build()))
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build();
        return read.of("Loading " + what + " from table " + table, () -> dynamoDb.batchGetItem(request));
    }
}
