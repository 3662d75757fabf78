package io.millrace.aws.internal;

import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.DeadLetter;
import io.millrace.internal.engine.Unit;
import io.millrace.internal.item.Row;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.Update;

/**
 * Shells that break one rule each of the writes of cells, rows and dead letters, and of what their answers mean. A
 * comment says which interleaving makes the result wrong.
 */
public final class WriteMutants {
    private WriteMutants() {}

    /** A cell is written whatever its version is. Wrong when two lanes read it at the same time: one's write is lost. */
    public static ShellRules versionNotCompared() {
        return new ShellRules() {
            @Override
            CellCondition cellCondition(Unit unit) {
                return unit.progress() == null ? super.cellCondition(unit) : CellCondition.fenceBelowLastOf(unit);
            }
        };
    }

    /** The rows are put behind their cell, one by one. Wrong when the process dies, or one is throttled, between. */
    public static ShellRules rowsOutsideTheTransaction() {
        return new ShellRules() {
            @Override
            void write(UnitCommit commit, Unit unit) {
                super.write(commit, withOutputs(unit, List.of(), unit.deadLetters()));
                long generation = unit.before().key().generation();
                unit.rows()
                        .forEach(row -> commit.dynamoDb.putItem(toRequest(commit.rows
                                .ofKeyedStage(row, generation, unit.stream())
                                .put())));
            }
        };
    }

    private static PutItemRequest toRequest(Put put) {
        return PutItemRequest.builder()
                .tableName(put.tableName())
                .item(put.item())
                .conditionExpression(put.conditionExpression())
                .expressionAttributeNames(put.expressionAttributeNames())
                .expressionAttributeValues(put.expressionAttributeValues())
                .build();
    }

    /** Dead letters are put behind the cell that covers them. Wrong when the process dies between: they are nowhere. */
    public static ShellRules deadLettersOutsideTheTransaction() {
        return new ShellRules() {
            @Override
            void write(UnitCommit commit, Unit unit) {
                super.write(commit, withOutputs(unit, unit.rows(), List.of()));
                putDeadLetters(commit, unit);
            }
        };
    }

    /**
     * A dead letter is put, and the fence stays below it. Wrong when the process dies before the cursor, or a zombie is
     * about to commit the record, and it succeeds this time: it is a dead letter, and absorbed.
     */
    public static ShellRules deadLettersWithoutFence() {
        return new ShellRules() {
            @Override
            void write(UnitCommit commit, Unit unit) {
                if (unit.deadLetters().size() == unit.records()) {
                    putDeadLetters(commit, unit);
                } else {
                    super.write(commit, unit);
                }
            }
        };
    }

    /** A redrive closes its dead letter first. Wrong when it dies then, or another writer comes first: the record is lost. */
    public static ShellRules redriveOutsideTheTransaction() {
        return new ShellRules() {
            @Override
            void writeRedrive(RedriveCommit commit, Update closing, List<Unit> absorbed) {
                commit.transact(
                        List.of(TransactWriteItem.builder().update(closing).build()));
                commit.transact(commit.cellActions(absorbed));
            }
        };
    }

    private static void putDeadLetters(UnitCommit commit, Unit unit) {
        CellKey key = unit.before().key();
        unit.deadLetters().forEach(letter -> commit.deadLetters.put(letter, key.stage(), key.generation()));
    }

    private static Unit withOutputs(Unit unit, List<Row> rows, List<DeadLetter> deadLetters) {
        return new Unit(
                unit.stream(),
                unit.progress(),
                unit.before(),
                unit.after(),
                unit.item(),
                unit.expiry(),
                unit.records(),
                unit.timers(),
                unit.late(),
                unit.repetitions(),
                rows,
                deadLetters);
    }

    /** A failed condition counts as success. Wrong when another lane wrote the cell in between: this unit is lost. */
    public static ShellRules failedConditionTakenAsCommitted() {
        return new ShellRules() {
            @Override
            CommitOutcome outcomeOf(RuntimeException thrown, Predicate<Map<String, AttributeValue>> isOwn) {
                return super.outcomeOf(thrown, old -> true);
            }
        };
    }

    /**
     * A failed condition is always another's write. For cells that is only slow, since they are read again; wrong when the
     * answer to a write of the lane's record is lost: its change is applied twice, and one attempt counts as two.
     */
    public static ShellRules failedConditionTakenAsConflict() {
        return new ShellRules() {
            @Override
            CommitOutcome outcomeOf(RuntimeException thrown, Predicate<Map<String, AttributeValue>> isOwn) {
                return super.outcomeOf(thrown, old -> false);
            }
        };
    }

    /** A conflict of transactions counts as a twin's success. Wrong whenever there is one: nothing was written. */
    public static ShellRules transactionConflictTakenAsCommitted() {
        return new ShellRules() {
            @Override
            CommitOutcome outcomeOf(RuntimeException thrown, Predicate<Map<String, AttributeValue>> isOwn) {
                CommitOutcome outcome = super.outcomeOf(thrown, isOwn);
                return outcome instanceof CommitOutcome.Throttled && isConflict(thrown)
                        ? new CommitOutcome.AlreadyCommitted()
                        : outcome;
            }
        };
    }

    /** Throttling counts as the unit's own fault. Wrong where the policy has dead letters: sound records become some. */
    public static ShellRules throttleTakenAsOwnFault() {
        return new ShellRules() {
            @Override
            CommitOutcome outcomeOf(RuntimeException thrown, Predicate<Map<String, AttributeValue>> isOwn) {
                CommitOutcome outcome = super.outcomeOf(thrown, isOwn);
                return outcome instanceof CommitOutcome.Throttled throttled && !isConflict(thrown)
                        ? new CommitOutcome.Permanent(throttled.cause())
                        : outcome;
            }
        };
    }

    /** A write without an answer counts as applied. Wrong when the request was lost, and not the answer. */
    public static ShellRules unknownOutcomeTakenAsCommitted() {
        return new ShellRules() {
            @Override
            CommitOutcome outcomeOf(RuntimeException thrown, Predicate<Map<String, AttributeValue>> isOwn) {
                CommitOutcome outcome = super.outcomeOf(thrown, isOwn);
                return outcome instanceof CommitOutcome.Unknown ? new CommitOutcome.AlreadyCommitted() : outcome;
            }
        };
    }

    private static boolean isConflict(RuntimeException thrown) {
        Stream<String> codes = thrown instanceof TransactionCanceledException cancelled
                ? cancelled.cancellationReasons().stream().map(CancellationReason::code)
                : thrown instanceof AwsServiceException answered && answered.awsErrorDetails() != null
                        ? Stream.of(answered.awsErrorDetails().errorCode())
                        : Stream.of();
        return codes.anyMatch(code -> code != null && code.startsWith("TransactionConflict"));
    }
}
