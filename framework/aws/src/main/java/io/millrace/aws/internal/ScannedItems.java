package io.millrace.aws.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/** A walk over a table that holds one page at a time, of at most 1 MB as DynamoDB reads it. Not thread-safe. */
final class ScannedItems implements Iterator<Map<String, AttributeValue>> {
    private final DynamoDbClient dynamoDb;
    private final RetryingRequest request;
    private final String what;
    private final ScanRequest scan;
    private final Deque<Map<String, AttributeValue>> page = new ArrayDeque<>();
    private Map<String, AttributeValue> from = Map.of();
    private boolean atEnd;

    /** @param what the walk in words that begin a sentence */
    ScannedItems(DynamoDbClient dynamoDb, RetryingRequest request, String what, ScanRequest scan) {
        this.dynamoDb = dynamoDb;
        this.request = request;
        this.what = what;
        this.scan = scan;
    }

    /** A page can be empty and not be the last: a filter works on what was read. */
    @Override
    public boolean hasNext() {
        while (page.isEmpty() && !atEnd) {
            ScanRequest next = from.isEmpty()
                    ? scan
                    : scan.toBuilder().exclusiveStartKey(from).build();
            ScanResponse response = request.of(what, () -> dynamoDb.scan(next));
            page.addAll(response.items());
            from = response.lastEvaluatedKey();
            atEnd = from.isEmpty();
        }
        return !page.isEmpty();
    }

    @Override
    public Map<String, AttributeValue> next() {
        if (!hasNext()) {
            throw new NoSuchElementException("there are no more items");
        }
        return page.remove();
    }
}
