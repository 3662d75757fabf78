package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.aws.RedriveOutcome;
import io.millrace.aws.StoredDeadLetter;
import io.millrace.internal.engine.DeadLetter;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.internal.engine.Redrive;
import io.millrace.internal.engine.RoutedRecord;
import io.millrace.internal.engine.TimerItems;
import io.millrace.internal.engine.Unit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.model.Update;

/**
 * The redrive of one dead letter, by the protocol page ("Redrive"). It reads the row and the cells, runs the record, and
 * commits; when another writer came first, it does all of that again. The row tells at each round whether it is still to
 * be done, so a round may be repeated after anything. For one use by one thread.
 */
public final class DeadLetterRedrive {
    /** How often the cells are read again because other writers came first. */
    static final int ROUNDS_MAX = 60;

    private final StageRuntime runtime;
    private final KeyedWork work;
    private final DeadLetterRows rows;
    private final PipelineControl control;
    private final DeadLetterId id;
    private final boolean evenIfPartlyAbsorbed;
    private final String nonce;
    private final Backoff backoff;

    private DeadLetterRedrive(
            StageRuntime runtime,
            KeyedWork work,
            DeadLetterRows rows,
            PipelineControl control,
            DeadLetterId id,
            boolean evenIfPartlyAbsorbed) {
        this.runtime = runtime;
        this.work = work;
        this.rows = rows;
        this.control = control;
        this.id = id;
        this.evenIfPartlyAbsorbed = evenIfPartlyAbsorbed;
        this.nonce = runtime.surroundings.nonce();
        this.backoff = new Backoff(runtime.surroundings);
    }

    /** Redrives a dead letter of the stage that the runtime runs. */
    public static RedriveOutcome run(
            StageRuntime runtime,
            DeadLetterRows rows,
            PipelineControl control,
            DeadLetterId id,
            boolean evenIfPartlyAbsorbed) {
        return runtime.stage instanceof KeyedWork work
                ? new DeadLetterRedrive(runtime, work, rows, control, id, evenIfPartlyAbsorbed).run()
                : RedriveErrors.withoutState(id);
    }

    private RedriveOutcome run() {
        List<Unit> tried = List.of();
        for (int round = 1; round <= ROUNDS_MAX; round++) {
            Optional<DeadLetterRow> found = rows.read(id, control.generation());
            if (found.isEmpty()) {
                return RedriveErrors.unknown(id, control.generation());
            }
            DeadLetterRow row = found.get();
            if (!row.isOpen()) {
                rows.expireParts(row, row.expiry());
                return row.isWrittenBy(nonce) ? redriven(tried) : closedBefore(row);
            }
            Optional<RedriveOutcome.Refused> refused = refusal(row);
            if (refused.isPresent()) {
                return refused.get();
            }
            Instant expiry = closedExpiry();
            Redrive redrive = redrive(row, expiry);
            try {
                if (row.isTimer()) {
                    tried = registerAgain(row, redrive);
                } else {
                    RoutedRecord record = work.route(redrive);
                    Set<String> keys = keys(row, record);
                    if (row.key() != null && keys.isEmpty()) {
                        return RedriveErrors.otherKeys(row, record.elements().keySet());
                    }
                    tried = absorb(redrive, record, keys);
                }
            } catch (RecordFailure failure) {
                return failedAgain(row, redrive, failure);
            }
            CommitOutcome outcome = commitUntilKnown(rows.closing(row, DeadLetterRows.DONE, nonce, expiry), tried);
            if (outcome instanceof CommitOutcome.Committed || outcome instanceof CommitOutcome.AlreadyCommitted) {
                rows.expireParts(row, expiry);
                return redriven(tried);
            }
            if (outcome instanceof CommitOutcome.Permanent permanent) {
                return failedAgain(row, redrive, refusedWrite(row, permanent));
            }
            if (outcome instanceof CommitOutcome.Refused failed) {
                throw failed.cause();
            }
            backoff.await(round);
        }
        return RedriveErrors.contended(ROUNDS_MAX);
    }

    private RecordFailure refusedWrite(DeadLetterRow row, CommitOutcome.Permanent permanent) {
        return new RecordFailure(RecordFailure.Kind.UNACCEPTABLE, row.id().position(), row.key(), permanent.cause());
    }

    private Lane lane() {
        return runtime.rules.lane(control, id.stream(), id.shardId());
    }

    private Optional<RedriveOutcome.Refused> refusal(DeadLetterRow row) {
        if (row.isGap()) {
            return Optional.of(RedriveErrors.gap(row));
        }
        if (row.isPerhapsPartlyAbsorbed() && !evenIfPartlyAbsorbed) {
            return Optional.of(RedriveErrors.perhapsPartlyAbsorbed());
        }
        if (!control.sources().contains(id.stream())) {
            return Optional.of(RedriveErrors.unknownStream(id.stream(), control.sources()));
        }
        return Optional.empty();
    }

    private Instant closedExpiry() {
        return runtime.rules.closedExpiry(runtime.surroundings.clock().instant(), runtime.retention.of(id.stream()));
    }

    private Redrive redrive(DeadLetterRow row, Instant expiry) {
        return new Redrive(lane(), row.input(rows.payload(row)), row.key(), runtime.rules.redriveExpiry(expiry));
    }

    /** The keys whose parts are redriven: the dead letter's own, or all that are no dead letters of their own. */
    private Set<String> keys(DeadLetterRow row, RoutedRecord record) {
        Set<String> keys = new LinkedHashSet<>(record.elements().keySet());
        if (row.key() == null) {
            keys.removeAll(rows.keysOfRecord(row));
        } else {
            keys.retainAll(Set.of(row.key()));
        }
        return keys;
    }

    /** A timer does not fire now: it is registered again, and fires when its time has come, like any other. */
    private List<Unit> registerAgain(DeadLetterRow row, Redrive redrive) {
        String text = new String(redrive.input().payload(), StandardCharsets.UTF_8);
        try {
            return work.registerAgain(
                    TimerItems.parse(text), Objects.requireNonNull(row.key(), "its key"), control.generation());
        } catch (IOException e) {
            throw new MillraceException(
                    "The dead letter " + id
                            + " is of a timer, but its payload is none. Was it written by something other"
                            + " than Millrace?",
                    e);
        }
    }

    private List<Unit> absorb(Redrive redrive, RoutedRecord record, Set<String> keys) throws RecordFailure {
        return work.redrive(redrive, new StageLanes(runtime, control).time(), record, control.generation(), keys);
    }

    /** A lost answer is followed by the same write, whose condition then tells; so is a throttle, after a wait. */
    private CommitOutcome commitUntilKnown(Update closing, List<Unit> units) {
        return CommitOutcomes.untilKnown(backoff, () -> work.commit(closing, nonce, units));
    }

    /** Notes one attempt more and its error, unless the dead letter was closed meanwhile. */
    private RedriveOutcome failedAgain(DeadLetterRow first, Redrive redrive, RecordFailure failure) {
        DeadLetterRow row = first;
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            int attempts = row.attempts() + 1;
            String error = DeadLetter.of(redrive.lane(), redrive.input(), row.key(), failure, attempts)
                    .error();
            CommitOutcome outcome = rows.change(rows.failure(row, error, nonce), nonce);
            if (outcome instanceof CommitOutcome.Committed || outcome instanceof CommitOutcome.AlreadyCommitted) {
                return new RedriveOutcome.FailedAgain(error, attempts);
            }
            if (outcome instanceof CommitOutcome.Refused refused) {
                throw refused.cause();
            }
            backoff.await(attempt);
            Optional<DeadLetterRow> now = rows.read(id, control.generation());
            if (now.isEmpty()) {
                return RedriveErrors.unknown(id, control.generation());
            }
            if (!now.get().isOpen()) {
                return closedBefore(now.get());
            }
            if (now.get().isWrittenBy(nonce)) {
                return new RedriveOutcome.FailedAgain(error, attempts);
            }
            row = now.get();
        }
        throw RedriveErrors.tooManyRetries("Noting the failure of", id, Backoff.ATTEMPTS_MAX, failure);
    }

    private static RedriveOutcome closedBefore(DeadLetterRow row) {
        return new RedriveOutcome.ClosedBefore(StoredDeadLetter.State.ofStatus(row.status()));
    }

    private static RedriveOutcome redriven(List<Unit> units) {
        return new RedriveOutcome.Redriven(
                units.size(),
                units.stream().mapToInt(unit -> unit.rows().size()).sum());
    }
}
