package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The commit of one key's writes, one after the other, each built on the one before. It waits out throttling, and stops
 * at the first one that another writer came before. For one thread, and read by others when it has run.
 */
final class KeyCommit {
    private final StageRuntime runtime;
    private final String key;
    private final List<PendingWrite> writes;
    private final Deadline deadline;
    private final Runnable onDelay;
    private final List<PendingWrite> committed = new ArrayList<>();
    private @Nullable Position lastCommitted;
    private @Nullable RecordFailure refused;
    private int refusedWorks;
    private int conflicts;
    private int retries;

    KeyCommit(StageRuntime runtime, String key, List<PendingWrite> writes, Deadline deadline, Runnable onDelay) {
        this.runtime = runtime;
        this.key = key;
        this.writes = writes;
        this.deadline = deadline;
        this.onDelay = onDelay;
    }

    KeyCommit run() {
        for (PendingWrite write : writes) {
            CommitOutcome outcome = commitUntilKnown(write);
            Position last = write.last();
            if (outcome instanceof CommitOutcome.Committed) {
                lastCommitted = last == null ? lastCommitted : last;
                committed.add(write);
                continue;
            }
            if (outcome instanceof CommitOutcome.AlreadyCommitted) {
                if (last == null) {
                    // Without records it was this very write, so the next one still builds on it.
                    committed.add(write);
                    continue;
                }
                lastCommitted = last;
            } else if (outcome instanceof CommitOutcome.Conflict) {
                conflicts++;
            } else if (outcome instanceof CommitOutcome.Permanent permanent) {
                refused = write.refused(permanent.cause());
                refusedWorks = write.works();
            } else if (outcome instanceof CommitOutcome.Refused failed) {
                throw failed.cause();
            }
            break;
        }
        return this;
    }

    /** A lost answer is followed by the same write, whose condition then tells; so is a throttle, after a wait. */
    private CommitOutcome commitUntilKnown(PendingWrite write) {
        Backoff backoff = new Backoff(runtime.surroundings);
        CommitOutcome outcome = write.commit();
        for (int attempt = 1; attempt < Backoff.ATTEMPTS_MAX && outcome.isToBeRepeated(); attempt++) {
            if (deadline.isNear()) {
                break;
            }
            retries++;
            onDelay.run();
            backoff.await(attempt);
            outcome = write.commit();
        }
        return outcome;
    }

    String key() {
        return key;
    }

    /** Whether all writes are committed. */
    boolean isDone() {
        return Objects.equals(writes.get(writes.size() - 1).last(), lastCommitted);
    }

    /** The last record that is known to be committed. */
    @Nullable
    Position lastCommitted() {
        return lastCommitted;
    }

    /** The failure of the last record of a write that DynamoDB can never take, or null. */
    @Nullable
    RecordFailure refused() {
        return refused;
    }

    /** How many records and timers are in the refused write. */
    int refusedWorks() {
        return refusedWorks;
    }

    void addTo(BatchReport report) {
        committed.forEach(write -> write.addTo(report));
        report.add(Count.CONFLICTS, conflicts);
        report.add(Count.RETRIES, retries);
        committed.stream()
                .flatMap(write -> write.cellSize().stream())
                .reduce(CellSize::orLarger)
                .ifPresent(size -> size.addTo(report, runtime.pipeline));
    }
}
