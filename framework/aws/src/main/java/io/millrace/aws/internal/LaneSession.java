package io.millrace.aws.internal;

import io.millrace.internal.engine.DeadLetter;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.Put;

/**
 * A lane's record in one invocation: read once, changed by compare-and-set. When a twin (a retry beside a zombie)
 * changed it meanwhile, it is read again and the change applied to what is there now. Not thread-safe.
 */
final class LaneSession {
    private final LaneTable table;
    final DeadLetterTable deadLetters;
    final String stage;
    final long generation;
    private final Lane lane;
    private final Surroundings surroundings;
    private final Backoff backoff;
    private LaneRecord record;

    LaneSession(
            LaneTable table,
            DeadLetterTable deadLetters,
            String stage,
            long generation,
            Lane lane,
            Surroundings surroundings) {
        this.table = table;
        this.deadLetters = deadLetters;
        this.stage = stage;
        this.generation = generation;
        this.lane = lane;
        this.surroundings = surroundings;
        this.backoff = new Backoff(surroundings);
        this.record = table.read(stage, generation, lane);
    }

    LaneRecord record() {
        return record;
    }

    /** Takes what is stored now, which somebody else has changed. */
    void readAgain() {
        record = table.read(stage, generation, lane);
    }

    /**
     * Stores a change. It may be applied several times, to newer records, and must be right on each.
     *
     * @throws io.millrace.MillraceException if it could not be stored
     */
    void update(UnaryOperator<LaneRecord> change) {
        update(change, List.of());
    }

    /**
     * Stores a change, and in the same transaction the dead letters of those of its records that the cursor does not cover
     * yet: what became of the others is decided.
     *
     * @throws io.millrace.MillraceException if it could not be stored
     */
    void update(UnaryOperator<LaneRecord> change, List<DeadLetter> letters) {
        deadLetters.putLargePayloads(letters, stage, generation);
        Exception cause = null;
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            LaneRecord changed = change.apply(record);
            if (changed.equals(record)) {
                return;
            }
            LaneRecord written = changed.withVersion(surroundings.nonce());
            CommitOutcome outcome = writeUntilKnown(written, putsOf(letters));
            if (outcome instanceof CommitOutcome.Committed || outcome instanceof CommitOutcome.AlreadyCommitted) {
                record = written;
                return;
            }
            cause = causeOf(outcome);
            record = table.read(stage, generation, lane);
            backoff.await(attempt);
        }
        throw ShellErrors.tooManyRetries("Changing the record of lane " + lane, Backoff.ATTEMPTS_MAX, cause);
    }

    private List<Put> putsOf(List<DeadLetter> letters) {
        return letters.stream()
                .filter(letter -> !record.covers(letter.input().position()))
                .map(letter -> deadLetters.transactionPut(letter, stage, generation))
                .toList();
    }

    /** Writes until it is known whether it is there: a write whose answer was lost is repeated with the same version. */
    private CommitOutcome writeUntilKnown(LaneRecord written, List<Put> beside) {
        CommitOutcome outcome = CommitOutcomes.untilKnown(
                backoff, () -> table.write(stage, generation, lane, written, record.version(), beside));
        if (outcome instanceof CommitOutcome.Refused refused) {
            throw refused.cause();
        }
        return outcome;
    }

    private static @Nullable Exception causeOf(CommitOutcome outcome) {
        if (outcome instanceof CommitOutcome.Unknown unknown) {
            return unknown.cause();
        }
        if (outcome instanceof CommitOutcome.Throttled throttled) {
            return throttled.cause();
        }
        return outcome instanceof CommitOutcome.Permanent permanent ? permanent.cause() : null;
    }
}
