package io.millrace.local.testing;

import io.millrace.internal.engine.CellItems;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;

/**
 * Another writer that comes first: before an invocation writes a cell for the first time, the cell gets another version,
 * and nothing else of it changes. So the write's condition fails, the cell is read again, and the function is run again
 * in the same invocation. Single-threaded.
 */
final class CommitConflicts implements ExecutionInterceptor {
    private final RequestTap tap;
    private final Set<AttributeValue> met = new HashSet<>();
    private String stateTable = "";
    private @Nullable DynamoDbClient dynamoDb;
    private boolean armed;
    private int versions;

    CommitConflicts(RequestTap tap) {
        this.tap = tap;
    }

    /** The client that the other writer uses, which may be the one that is intercepted. */
    void setDynamoDb(DynamoDbClient client) {
        dynamoDb = client;
    }

    /** The table that holds the cells from now on. */
    void setStateTable(String newStateTable) {
        stateTable = newStateTable;
    }

    /** An invocation begins, all of whose cells meet a conflict, or none. */
    void begin(boolean withConflicts) {
        armed = withConflicts;
        met.clear();
    }

    @Override
    public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
        if (!armed) {
            return;
        }
        SdkRequest request = context.request();
        if (request instanceof PutItemRequest put && put.tableName().equals(stateTable)) {
            comeFirst(put.item());
        } else if (request instanceof TransactWriteItemsRequest transaction) {
            for (TransactWriteItem action : transaction.transactItems()) {
                if (action.put() != null && action.put().tableName().equals(stateTable)) {
                    comeFirst(action.put().item());
                }
            }
        }
    }

    /** A cell that is not there yet is made without state and fence, which is as good as none. */
    private void comeFirst(Map<String, AttributeValue> cell) {
        AttributeValue partitionKey = cell.get(CellItems.PARTITION_KEY);
        AttributeValue key = cell.get(CellItems.KEY);
        DynamoDbClient client = dynamoDb;
        if (client == null || partitionKey == null || key == null || !met.add(partitionKey)) {
            return;
        }
        versions++;
        Map<String, AttributeValue> values = new HashMap<>();
        values.put(":version", AttributeValue.fromS("another-writer-" + versions));
        values.put(":key", key);
        values.put(":nothing", AttributeValue.fromM(Map.of()));
        tap.pass(() -> client.updateItem(update -> update.tableName(stateTable)
                .key(Map.of(CellItems.PARTITION_KEY, partitionKey))
                .updateExpression("SET #version = :version, #key = if_not_exists(#key, :key),"
                        + " #fence = if_not_exists(#fence, :nothing), #state = if_not_exists(#state, :nothing)")
                .expressionAttributeNames(Map.of(
                        "#version", CellItems.VERSION,
                        "#key", CellItems.KEY,
                        "#fence", CellItems.FENCE,
                        "#state", CellItems.STATE))
                .expressionAttributeValues(values)));
    }
}
