package io.millrace.aws.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/**
 * A walk over a table of dead letters that holds one page at a time, of at most 1 MB as DynamoDB reads it. Not
 * thread-safe.
 */
final class DeadLetterPages implements Iterator<DeadLetterRow> {
    /** All but the payload. */
    private static final List<String> ATTRIBUTES = List.of(
            "pk",
            "sk",
            "stage",
            "generation",
            "status",
            "kind",
            "key",
            "error",
            "attempts",
            "arrival",
            "time",
            "tried",
            "closed",
            "after",
            "payload_parts",
            DeadLetterRows.WRITER,
            DeadLetterRows.TIME_TO_LIVE);

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final RetryingRequest request;
    private final ScanRequest scan;
    private final Deque<DeadLetterRow> page = new ArrayDeque<>();
    private Map<String, AttributeValue> from = Map.of();
    private boolean atEnd;

    DeadLetterPages(
            DynamoDbClient dynamoDb,
            String table,
            RetryingRequest request,
            long generation,
            Map<String, String> wanted) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.request = request;
        this.scan = scan(table, generation, wanted);
    }

    /** Parts of payloads have no generation, so the filter leaves them out. */
    private static ScanRequest scan(String table, long generation, Map<String, String> wanted) {
        Map<String, String> names = new HashMap<>();
        ATTRIBUTES.forEach(name -> names.put("#" + name, name));
        Map<String, AttributeValue> values = new HashMap<>();
        List<String> conditions = new ArrayList<>(List.of("#generation = :generation"));
        values.put(":generation", Items.number(generation));
        wanted.forEach((name, value) -> {
            conditions.add("#" + name + " = :" + name);
            values.put(":" + name, Items.text(value));
        });
        return ScanRequest.builder()
                .tableName(table)
                .consistentRead(true)
                .filterExpression(String.join(" AND ", conditions))
                .projectionExpression("#" + String.join(", #", ATTRIBUTES))
                .expressionAttributeNames(names)
                .expressionAttributeValues(values)
                .build();
    }

    @Override
    public boolean hasNext() {
        while (page.isEmpty() && !atEnd) {
            readPage();
        }
        return !page.isEmpty();
    }

    private void readPage() {
        ScanRequest next =
                from.isEmpty() ? scan : scan.toBuilder().exclusiveStartKey(from).build();
        ScanResponse response = request.of("Reading the dead letters in table " + table, () -> dynamoDb.scan(next));
        response.items().forEach(item -> page.add(new DeadLetterRow(item)));
        from = response.lastEvaluatedKey();
        atEnd = from.isEmpty();
    }

    @Override
    public DeadLetterRow next() {
        if (!hasNext()) {
            throw new NoSuchElementException("there are no more dead letters");
        }
        return page.remove();
    }
}
