package io.millrace.aws.internal;

import io.millrace.TimeDomain;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.TimerItems;
import io.millrace.internal.item.Row;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/**
 * The indexes of the state table that order cells by when their first timer is due, one for each time domain: sparse, spread
 * over {@link TimerItems#BUCKETS} buckets a stage, with the keys only. They are eventually consistent: what they show must
 * be read from the table, and what they do not show yet is shown later. Thread-safe.
 */
public final class DueIndex {
    /** The index by event time. */
    public static final String EVENT = "event-due";

    /** The index by processing time. */
    public static final String PROCESSING = "processing-due";

    /** How many cells of a bucket one request asks for. */
    static final int PAGE_MAX = 50;

    /** What an index is made of. */
    public record Definition(String name, Row.Key partitionKey, Row.Key sortKey) {}

    /**
     * A part of a bucket's due cells, by when they are due.
     *
     * @param partitionKeys the cells' keys in the state table
     * @param last from where the next page goes on; empty at the end
     */
    record Page(List<String> partitionKeys, Map<String, AttributeValue> last) {}

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final RetryingRequest read;

    DueIndex(DynamoDbClient dynamoDb, String table, RetryingRequest read) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.read = read;
    }

    /** The indexes that the state table has. */
    public static List<Definition> indexes() {
        return Arrays.stream(TimeDomain.values())
                .map(domain -> new Definition(
                        nameOf(domain),
                        new Row.Key(TimerItems.bucketAttribute(domain), Row.KeyType.STRING),
                        new Row.Key(TimerItems.dueAttribute(domain), Row.KeyType.NUMBER)))
                .toList();
    }

    private static String nameOf(TimeDomain domain) {
        return domain == TimeDomain.EVENT_TIME ? EVENT : PROCESSING;
    }

    /** The cells of a bucket that are due up to a time, from the beginning of time or behind a page. */
    Page due(TimeDomain domain, String bucket, long upTo, Map<String, AttributeValue> from) {
        QueryRequest.Builder query = query(domain, bucket, "<=", upTo).limit(PAGE_MAX);
        if (!from.isEmpty()) {
            query.exclusiveStartKey(from);
        }
        QueryResponse response = send(query.build());
        return new Page(
                response.items().stream()
                        .map(item ->
                                Items.required(item, CellItems.PARTITION_KEY).s())
                        .toList(),
                response.lastEvaluatedKey());
    }

    /** When the first cell of a bucket is due; null if it has none. */
    @Nullable
    Long first(TimeDomain domain, String bucket) {
        return firstOf(domain, query(domain, bucket, ">=", Long.MIN_VALUE));
    }

    /** When the first cell of a bucket behind a time is due; null if it has none. */
    @Nullable
    Long firstBehind(TimeDomain domain, String bucket, long time) {
        return firstOf(domain, query(domain, bucket, ">", time));
    }

    private @Nullable Long firstOf(TimeDomain domain, QueryRequest.Builder query) {
        List<Map<String, AttributeValue>> items = send(query.limit(1).build()).items();
        return items.isEmpty()
                ? null
                : Long.valueOf(Items.required(items.get(0), TimerItems.dueAttribute(domain))
                        .n());
    }

    private QueryRequest.Builder query(TimeDomain domain, String bucket, String relation, long time) {
        return QueryRequest.builder()
                .tableName(table)
                .indexName(nameOf(domain))
                .keyConditionExpression("#b = :b AND #d " + relation + " :d")
                .expressionAttributeNames(
                        Map.of("#b", TimerItems.bucketAttribute(domain), "#d", TimerItems.dueAttribute(domain)))
                .expressionAttributeValues(Map.of(":b", Items.text(bucket), ":d", Items.number(time)))
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL);
    }

    private QueryResponse send(QueryRequest query) {
        return read.of(
                "Reading the due cells in the index " + query.indexName() + " of table " + table,
                () -> dynamoDb.query(query));
    }
}
