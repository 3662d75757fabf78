package io.millrace.aws.internal;

import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;

/** The put of one item under the condition that it still has the version that was read. */
final class ConditionalPut {
    private static final String ABSENT = "attribute_not_exists(#k)";
    private static final String SAME_VERSION = "#v = :v";

    private ConditionalPut() {}

    /**
     * Puts an item if it is absent (no version was read) or has the version that was read.
     *
     * @param isOwn whether an old item shows that this very write was applied
     */
    static CommitOutcome put(
            DynamoDbClient dynamoDb,
            String table,
            Map<String, AttributeValue> item,
            @Nullable String versionRead,
            Predicate<Map<String, AttributeValue>> isOwn) {
        PutItemRequest.Builder request = PutItemRequest.builder()
                .tableName(table)
                .item(item)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
        if (versionRead == null) {
            request.conditionExpression(ABSENT).expressionAttributeNames(Map.of("#k", "pk"));
        } else {
            request.conditionExpression(SAME_VERSION)
                    .expressionAttributeNames(Map.of("#v", "version"))
                    .expressionAttributeValues(Map.of(":v", Items.text(versionRead)));
        }
        try {
            dynamoDb.putItem(request.build());
            return new CommitOutcome.Committed();
        } catch (RuntimeException e) {
            return CommitOutcomes.of(e, isOwn);
        }
    }
}
