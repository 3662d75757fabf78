package io.millrace.aws.internal;

import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RowUnit;
import io.millrace.internal.engine.StoredRow;
import io.millrace.internal.item.Row;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * Commits rows of stages without state, each by one conditional write that moves its fence too: a put or a delete
 * replaces the item and takes the fence along, a set changes it in place. Thread-safe.
 */
final class FencedRowCommit {
    private final DynamoDbClient dynamoDb;
    private final RowWrites writes;
    private final ShellRules rules;

    FencedRowCommit(DynamoDbClient dynamoDb, RowWrites writes, ShellRules rules) {
        this.dynamoDb = dynamoDb;
        this.writes = writes;
        this.rules = rules;
    }

    /** Tries once to write a row. */
    CommitOutcome commit(RowUnit unit, long generation) {
        try {
            if (unit.row().action() == Row.Action.SET) {
                dynamoDb.updateItem(update(unit, generation));
            } else {
                dynamoDb.putItem(put(unit, generation));
            }
            return new CommitOutcome.Committed();
        } catch (RuntimeException e) {
            return rules.outcomeOf(e, old -> covers(old, unit, generation));
        }
    }

    private PutItemRequest put(RowUnit unit, long generation) {
        Row row = unit.row();
        Map<String, AttributeValue> item =
                new HashMap<>(rules.storedRow(writes, row, generation, unit.lane().stream()));
        item.putAll(Items.toAttributes(unit.memory()));
        RowExpression expression = rules.fencedRowCondition(new RowExpression(), unit, generation);
        return PutItemRequest.builder()
                .tableName(row.table())
                .item(item)
                .conditionExpression(expression.condition())
                .expressionAttributeNames(expression.names())
                .expressionAttributeValues(expression.values())
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build();
    }

    private UpdateItemRequest update(RowUnit unit, long generation) {
        Row row = unit.row();
        String entry = StoredRow.fenceAttribute(unit.lane().fenceName());
        RowExpression expression = rules.fencedRowCondition(new RowExpression(), unit, generation)
                .set(Row.GENERATION, Items.number(generation))
                .set(Row.VERSION, Items.toAttribute(unit.memory().path(Row.VERSION)))
                .set(entry, Items.toAttribute(unit.memory().path(entry)));
        writes.setAttributes(row, expression);
        unit.forgotten().forEach(expression::remove);
        return UpdateItemRequest.builder()
                .tableName(row.table())
                .key(RowWrites.key(row))
                .updateExpression(expression.update())
                .conditionExpression(expression.condition())
                .expressionAttributeNames(expression.names())
                .expressionAttributeValues(expression.values())
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build();
    }

    /** Whether a row as found holds the unit's last record: then this write, or a twin's of the same records, is in it. */
    private static boolean covers(Map<String, AttributeValue> old, RowUnit unit, long generation) {
        AttributeValue writtenBy = old.get(Row.GENERATION);
        AttributeValue entry = old.get(StoredRow.fenceAttribute(unit.lane().fenceName()));
        return writtenBy != null
                && entry != null
                && Long.parseLong(writtenBy.n()) == generation
                && Position.decode(entry.b().asByteArray()).compareTo(unit.last()) >= 0;
    }
}
