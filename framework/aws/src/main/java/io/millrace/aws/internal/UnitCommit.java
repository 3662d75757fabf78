package io.millrace.aws.internal;

import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.Unit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    final DynamoDbClient dynamoDb;
    final DeadLetterTable deadLetters;
    final RowWrites rows;
    private final String stateTable;
    private final StreamRetention retention;
    private final Surroundings surroundings;
    private final ShellRules rules;

    UnitCommit(
            DynamoDbClient dynamoDb,
            String stateTable,
            DeadLetterTable deadLetters,
            StreamRetention retention,
            Surroundings surroundings,
            ShellRules rules) {
        this.dynamoDb = dynamoDb;
        this.stateTable = stateTable;
        this.deadLetters = deadLetters;
        this.retention = retention;
        this.surroundings = surroundings;
        this.rules = rules;
        this.rows = new RowWrites(retention, surroundings, rules);
    }

    /** Tries once to commit a unit. */
    CommitOutcome commit(Unit unit) {
        try {
            rules.write(this, unit);
            return new CommitOutcome.Committed();
        } catch (RuntimeException e) {
            return rules.outcomeOf(e, old -> covers(old, unit));
        }
    }

    /** Writes a unit's cell alone. */
    void putCell(Unit unit) {
        CellCondition condition = rules.cellCondition(unit);
        PutItemRequest.Builder put = PutItemRequest.builder()
                .tableName(stateTable)
                .item(cellItem(unit))
                .conditionExpression(condition.expression())
                .expressionAttributeNames(condition.names())
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL);
        if (!condition.values().isEmpty()) {
            put.expressionAttributeValues(condition.values());
        }
        dynamoDb.putItem(put.build());
    }

    /** Writes a unit's cell, rows and dead letters in one transaction. */
    void transact(Unit unit) {
        deadLetters.putLargePayloads(unit.deadLetters(), unit.before().key());
        dynamoDb.transactWriteItems(transaction(unit));
    }

    /**
     * The cell first, since its cancellation reason is looked at first. Each attempt has a request token of its own, for the
     * SDK's retries: a later attempt may differ in the times that it writes, and its condition tells anyway.
     */
    private TransactWriteItemsRequest transaction(Unit unit) {
        CellCondition condition = rules.cellCondition(unit);
        List<TransactWriteItem> actions = new ArrayList<>();
        actions.add(cellAction(unit, condition));
        actions.addAll(rowActions(unit));
        unit.deadLetters()
                .forEach(letter -> actions.add(
                        put(deadLetters.transactionPut(letter, unit.before().key()))));
        return TransactWriteItemsRequest.builder()
                .transactItems(actions)
                .clientRequestToken(surroundings.nonce())
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build();
    }

    /** The write of a unit's cell in a transaction. */
    TransactWriteItem cellAction(Unit unit, CellCondition condition) {
        Put.Builder cell = Put.builder()
                .tableName(stateTable)
                .item(cellItem(unit))
                .conditionExpression(condition.expression())
                .expressionAttributeNames(condition.names())
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
        if (!condition.values().isEmpty()) {
            cell.expressionAttributeValues(condition.values());
        }
        return put(cell.build());
    }

    /** The writes of a unit's rows in a transaction. */
    List<TransactWriteItem> rowActions(Unit unit) {
        long generation = unit.before().key().generation();
        return unit.rows().stream()
                .map(row -> rows.ofKeyedStage(row, generation, unit.stream()))
                .toList();
    }

    private static TransactWriteItem put(Put put) {
        return TransactWriteItem.builder().put(put).build();
    }

    /** A cell whose state will be expired gets a tombstone's time to live, counted from when it is one. */
    private Map<String, AttributeValue> cellItem(Unit unit) {
        Map<String, AttributeValue> item = Items.toAttributes(unit.item());
        Instant expiry = unit.expiry();
        if (expiry != null) {
            Instant now = surroundings.clock().instant();
            Instant tombstoneFrom = expiry.isAfter(now) ? expiry : now;
            Instant tombstoneTo = rules.tombstoneExpiry(
                    tombstoneFrom,
                    retention.of(unit.stream()),
                    unit.after().redrives().lastExpiry());
            item.put(CellItems.TIME_TO_LIVE, Items.number(tombstoneTo.getEpochSecond()));
        }
        return item;
    }

    /**
     * Whether a cell as found holds the unit's last record: then this unit, or a twin's of the same records, is in it. A unit
     * without records is in it if it made that very version.
     */
    private static boolean covers(Map<String, AttributeValue> old, Unit unit) {
        Unit.Progress progress = unit.progress();
        if (progress == null) {
            AttributeValue version = old.get(CellItems.VERSION);
            return version != null && version.s().equals(unit.after().version());
        }
        AttributeValue fence = old.get(CellItems.FENCE);
        AttributeValue entry =
                fence == null ? null : fence.m().get(progress.lane().fenceName());
        return entry != null
                && Position.decode(Objects.requireNonNull(entry.b()).asByteArray())
                                .compareTo(progress.last())
                        >= 0;
    }
}
