package io.millrace.aws.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;

/** The put of one item under the condition that it still has the version that was read. Thread-safe. */
final class ConditionalPut {
    private static final String ABSENT = "attribute_not_exists(#k)";
    private static final String SAME_VERSION = "#v = :v";

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final ShellRules rules;

    ConditionalPut(DynamoDbClient dynamoDb, String table, ShellRules rules) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.rules = rules;
    }

    /**
     * Puts an item if it is absent (no version was read) or has the version that was read.
     *
     * @param beside what is put in the same transaction; an empty list makes it a write of its own
     * @param isOwn whether an old item shows that this very write was applied
     */
    CommitOutcome put(
            Map<String, AttributeValue> item,
            @Nullable String versionRead,
            List<Put> beside,
            Predicate<Map<String, AttributeValue>> isOwn) {
        PutItemRequest.Builder request = PutItemRequest.builder()
                .tableName(table)
                .item(item)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
        rules.compareAndSet(request, versionRead);
        try {
            if (beside.isEmpty()) {
                dynamoDb.putItem(request.build());
            } else {
                transact(request.build(), beside);
            }
            return new CommitOutcome.Committed();
        } catch (RuntimeException e) {
            return rules.outcomeOf(e, isOwn);
        }
    }

    /** The guarded put first, since its cancellation reason is looked at first. */
    private void transact(PutItemRequest guarded, List<Put> beside) {
        Put.Builder first = Put.builder()
                .tableName(guarded.tableName())
                .item(guarded.item())
                .conditionExpression(guarded.conditionExpression())
                .expressionAttributeNames(guarded.expressionAttributeNames())
                .returnValuesOnConditionCheckFailure(guarded.returnValuesOnConditionCheckFailure());
        if (guarded.hasExpressionAttributeValues()) {
            first.expressionAttributeValues(guarded.expressionAttributeValues());
        }
        List<TransactWriteItem> actions = new ArrayList<>();
        actions.add(TransactWriteItem.builder().put(first.build()).build());
        beside.forEach(put -> actions.add(TransactWriteItem.builder().put(put).build()));
        dynamoDb.transactWriteItems(TransactWriteItemsRequest.builder()
                .transactItems(actions)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build());
    }

    /** Adds the condition that the item has the version that was read, or is still absent if none was. */
    static void compareAndSet(PutItemRequest.Builder put, @Nullable String versionRead) {
        if (versionRead == null) {
            put.conditionExpression(ABSENT).expressionAttributeNames(Map.of("#k", "pk"));
        } else {
            put.conditionExpression(SAME_VERSION)
                    .expressionAttributeNames(Map.of("#v", "version"))
                    .expressionAttributeValues(Map.of(":v", Items.text(versionRead)));
        }
    }
}
