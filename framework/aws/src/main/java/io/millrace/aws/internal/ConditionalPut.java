package io.millrace.aws.internal;

import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;

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
     * @param isOwn whether an old item shows that this very write was applied
     */
    CommitOutcome put(
            Map<String, AttributeValue> item,
            @Nullable String versionRead,
            Predicate<Map<String, AttributeValue>> isOwn) {
        PutItemRequest.Builder request = PutItemRequest.builder()
                .tableName(table)
                .item(item)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
        rules.compareAndSet(request, versionRead);
        try {
            dynamoDb.putItem(request.build());
            return new CommitOutcome.Committed();
        } catch (RuntimeException e) {
            return rules.outcomeOf(e, isOwn);
        }
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
