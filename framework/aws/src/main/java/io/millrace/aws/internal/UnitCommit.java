package io.millrace.aws.internal;

import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.Unit;
import io.millrace.internal.item.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;

/**
 * Commits units: one without rows as a conditional put, one with rows as a transaction. The condition is that the cell
 * has the version that was read, and that its fence is below the unit's last record. Thread-safe.
 */
final class UnitCommit {
    /** How long after the stream's retention a tombstone stays: nothing can deliver its records by then. */
    private static final Duration TOMBSTONE_MARGIN = Duration.ofDays(1);

    private static final String FENCE_LOWER = "(attribute_not_exists(#f.#l) OR #f.#l < :p)";

    private final DynamoDbClient dynamoDb;
    private final String stateTable;
    private final DeadLetterTable deadLetters;
    private final StreamRetention retention;
    private final Surroundings surroundings;

    UnitCommit(
            DynamoDbClient dynamoDb,
            String stateTable,
            DeadLetterTable deadLetters,
            StreamRetention retention,
            Surroundings surroundings) {
        this.dynamoDb = dynamoDb;
        this.stateTable = stateTable;
        this.deadLetters = deadLetters;
        this.retention = retention;
        this.surroundings = surroundings;
    }

    /** Tries once to commit a unit. */
    CommitOutcome commit(Unit unit) {
        try {
            if (unit.rows().isEmpty() && unit.deadLetters().isEmpty()) {
                dynamoDb.putItem(cellPut(unit));
            } else {
                deadLetters.putLargePayloads(unit.deadLetters(), unit.before().key());
                dynamoDb.transactWriteItems(transaction(unit));
            }
            return new CommitOutcome.Committed();
        } catch (RuntimeException e) {
            return CommitOutcomes.of(e, old -> covers(old, unit));
        }
    }

    private PutItemRequest cellPut(Unit unit) {
        Condition condition = condition(unit);
        return PutItemRequest.builder()
                .tableName(stateTable)
                .item(cellItem(unit))
                .conditionExpression(condition.expression())
                .expressionAttributeNames(condition.names())
                .expressionAttributeValues(condition.values())
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build();
    }

    /**
     * The cell first, since its cancellation reason is looked at first. Each attempt has a request token of its own, for the
     * SDK's retries: a later attempt may differ in the times that it writes, and its condition tells anyway.
     */
    private TransactWriteItemsRequest transaction(Unit unit) {
        Condition condition = condition(unit);
        List<TransactWriteItem> actions = new ArrayList<>();
        actions.add(put(Put.builder()
                .tableName(stateTable)
                .item(cellItem(unit))
                .conditionExpression(condition.expression())
                .expressionAttributeNames(condition.names())
                .expressionAttributeValues(condition.values())
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .build()));
        long generation = unit.before().key().generation();
        unit.rows().forEach(row -> actions.add(put(rowPut(row, generation))));
        unit.deadLetters()
                .forEach(letter -> actions.add(
                        put(deadLetters.transactionPut(letter, unit.before().key()))));
        return TransactWriteItemsRequest.builder()
                .transactItems(actions)
                .clientRequestToken(surroundings.nonce())
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build();
    }

    private static TransactWriteItem put(Put put) {
        return TransactWriteItem.builder().put(put).build();
    }

    private static Put rowPut(Row row, long generation) {
        Map<String, AttributeValue> item = new HashMap<>(Items.toAttributes(row.attributes()));
        item.put(Row.GENERATION, Items.number(generation));
        return Put.builder()
                .tableName(row.table())
                .item(item)
                .conditionExpression("attribute_not_exists(#g) OR #g <= :g")
                .expressionAttributeNames(Map.of("#g", Row.GENERATION))
                .expressionAttributeValues(Map.of(":g", Items.number(generation)))
                .build();
    }

    private Map<String, AttributeValue> cellItem(Unit unit) {
        Map<String, AttributeValue> item = Items.toAttributes(unit.item());
        if (unit.after().isTombstone()) {
            long expires = surroundings
                    .clock()
                    .instant()
                    .plus(retention.of(unit.lane().stream()))
                    .plus(TOMBSTONE_MARGIN)
                    .getEpochSecond();
            item.put(CellItems.TIME_TO_LIVE, Items.number(expires));
        }
        return item;
    }

    private record Condition(String expression, Map<String, String> names, Map<String, AttributeValue> values) {}

    private static Condition condition(Unit unit) {
        Map<String, String> names =
                new HashMap<>(Map.of("#f", CellItems.FENCE, "#l", unit.lane().fenceName()));
        Map<String, AttributeValue> values = new HashMap<>(Map.of(
                ":p", AttributeValue.fromB(SdkBytes.fromByteArray(unit.last().encode()))));
        String versionRead = unit.before().version();
        if (versionRead == null) {
            names.put("#k", CellItems.PARTITION_KEY);
            return new Condition("attribute_not_exists(#k) AND " + FENCE_LOWER, names, values);
        }
        names.put("#v", CellItems.VERSION);
        values.put(":v", Items.text(versionRead));
        return new Condition("#v = :v AND " + FENCE_LOWER, names, values);
    }

    /** Whether a cell as found holds the unit's last record: then this unit, or a twin's of the same records, is in it. */
    private static boolean covers(Map<String, AttributeValue> old, Unit unit) {
        AttributeValue fence = old.get(CellItems.FENCE);
        AttributeValue entry = fence == null ? null : fence.m().get(unit.lane().fenceName());
        return entry != null
                && Position.decode(Objects.requireNonNull(entry.b()).asByteArray())
                                .compareTo(unit.last())
                        >= 0;
    }
}
