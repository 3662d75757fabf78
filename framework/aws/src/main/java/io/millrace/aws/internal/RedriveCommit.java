package io.millrace.aws.internal;

import io.millrace.internal.engine.Unit;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.Update;

/**
 * Commits redrives: the dead letter from open to done, the cells that absorb its record and their rows, in one
 * transaction. Thread-safe.
 */
final class RedriveCommit {
    private final DynamoDbClient dynamoDb;
    private final UnitCommit units;
    private final Surroundings surroundings;
    private final ShellRules rules;

    RedriveCommit(DynamoDbClient dynamoDb, UnitCommit units, Surroundings surroundings, ShellRules rules) {
        this.dynamoDb = dynamoDb;
        this.units = units;
        this.surroundings = surroundings;
        this.rules = rules;
    }

    /**
     * Tries once to commit a redrive.
     *
     * @param closing the change of the dead letter from open to done
     * @param nonce what the dead letter then shows who closed it by
     */
    CommitOutcome commit(Update closing, String nonce, List<Unit> absorbed) {
        try {
            rules.writeRedrive(this, closing, absorbed);
            return new CommitOutcome.Committed();
        } catch (RuntimeException e) {
            return CommitOutcomes.of(e, 1 + absorbed.size(), old -> DeadLetterRow.isWrittenBy(old, nonce));
        }
    }

    /** Writes all of it. What other writers can come before stands first, since these reasons are looked at first. */
    void transact(Update closing, List<Unit> absorbed) {
        List<TransactWriteItem> actions = new ArrayList<>();
        actions.add(TransactWriteItem.builder().update(closing).build());
        actions.addAll(cellActions(absorbed));
        absorbed.forEach(unit -> actions.addAll(units.rowActions(unit)));
        transact(actions);
    }

    /** Writes some actions together. */
    void transact(List<TransactWriteItem> actions) {
        dynamoDb.transactWriteItems(TransactWriteItemsRequest.builder()
                .transactItems(actions)
                .clientRequestToken(surroundings.nonce())
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build());
    }

    /** The writes of the cells. */
    List<TransactWriteItem> cellActions(List<Unit> absorbed) {
        return absorbed.stream()
                .map(unit -> units.cellAction(unit, rules.redriveCondition(unit)))
                .toList();
    }
}
