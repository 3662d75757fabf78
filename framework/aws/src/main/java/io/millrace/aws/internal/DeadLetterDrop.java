package io.millrace.aws.internal;

import io.millrace.aws.DropOutcome;
import java.time.Instant;
import java.util.Optional;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The dropping of dead letters: a change of the row alone, while it is open. Thread-safe. */
public final class DeadLetterDrop {
    private final DeadLetterRows rows;
    private final StreamRetention retention;
    private final Surroundings surroundings;
    private final ShellRules rules;

    public DeadLetterDrop(DeadLetterRows rows, KinesisClient kinesis, Surroundings surroundings, ShellRules rules) {
        this.rows = rows;
        this.retention = new StreamRetention(kinesis, surroundings.clock());
        this.surroundings = surroundings;
        this.rules = rules;
    }

    /** Drops a dead letter of a generation. */
    public DropOutcome drop(DeadLetterId id, long generation) {
        String nonce = surroundings.nonce();
        Backoff backoff = new Backoff(surroundings);
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            Optional<DeadLetterRow> found = rows.read(id, generation);
            if (found.isEmpty()) {
                return DropOutcome.UNKNOWN;
            }
            DeadLetterRow row = found.get();
            if (!row.isOpen()) {
                rows.expireParts(row, row.expiry());
                return outcome(row, nonce);
            }
            Instant expiry = rules.closedExpiry(surroundings.clock().instant(), retention.ofStreamOrNone(id.stream()));
            CommitOutcome outcome = rows.change(rows.closing(row, DeadLetterRows.DROPPED, nonce, expiry), nonce);
            if (outcome instanceof CommitOutcome.Committed || outcome instanceof CommitOutcome.AlreadyCommitted) {
                rows.expireParts(row, expiry);
                return DropOutcome.DROPPED;
            }
            if (outcome instanceof CommitOutcome.Refused refused) {
                throw refused.cause();
            }
            backoff.await(attempt);
        }
        throw RedriveErrors.tooManyRetries("Dropping", id, Backoff.ATTEMPTS_MAX, null);
    }

    private static DropOutcome outcome(DeadLetterRow row, String nonce) {
        if (row.status().equals(DeadLetterRows.DONE)) {
            return DropOutcome.REDRIVEN_BEFORE;
        }
        return row.isWrittenBy(nonce) ? DropOutcome.DROPPED : DropOutcome.DROPPED_BEFORE;
    }
}
