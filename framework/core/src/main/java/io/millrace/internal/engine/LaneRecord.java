package io.millrace.internal.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of one lane of one stage: how far it is committed, and which batch was begun. Immutable; each change
 * is stored by compare-and-set on the version. The cursor only rises.
 *
 * @param version the nonce of the write that made it; null if the lane has none yet
 * @param cursor all records up to it are committed; null before the first
 * @param lastArrival when the record at the cursor arrived
 * @param batch the batch that was begun and is not finished
 * @param alone the record that is tried alone
 */
public record LaneRecord(
        @Nullable String version,
        @Nullable Position cursor,
        @Nullable Instant lastArrival,
        @Nullable BegunBatch batch,
        @Nullable AloneRecord alone) {
    /** How often a batch may be begun without being finished before its records are run one by one. */
    public static final int BEGUN_TOGETHER_MAX = 2;

    /**
     * A batch that was begun: some of its records may be committed already.
     *
     * @param begun how often, written before any user code ran
     * @param topology the fingerprint of the code that began it
     */
    public record BegunBatch(Position first, Position last, int begun, String topology) {
        boolean contains(Position position) {
            return first.compareTo(position) <= 0 && last.compareTo(position) >= 0;
        }
    }

    /**
     * A record that is tried alone, since it failed or its batch did not end.
     *
     * @param attempts how often it was begun, written before any user code ran
     * @param keyed whether its keys could be computed, in the last attempt
     */
    public record AloneRecord(Position position, int attempts, boolean keyed) {}

    /** The record of a lane that was never seen. */
    public static LaneRecord unknown() {
        return new LaneRecord(null, null, null, null, null);
    }

    /** Whether a record of this position is committed. */
    public boolean covers(Position position) {
        return cursor != null && cursor.compareTo(position) >= 0;
    }

    /** Whether a record is known to fail, or to end the process, so that it is tried alone. */
    public boolean isTriedAlone(Position position) {
        return alone != null && alone.position().equals(position);
    }

    /**
     * Whether a record must be run alone: it is tried alone, or its batch was begun too often without an end. Asked before
     * the batch is begun once more, since beginning counts.
     */
    public boolean mustRunAlone(Position position) {
        return isTriedAlone(position)
                || (batch != null && batch.begun() >= BEGUN_TOGETHER_MAX && batch.contains(position));
    }

    /** How often the record was begun alone. */
    public int attemptsOf(Position position) {
        return alone != null && alone.position().equals(position) ? alone.attempts() : 0;
    }

    /** The topology of an unfinished batch that holds the position, or null. */
    public @Nullable String topologyOf(Position position) {
        return batch != null && batch.contains(position) ? batch.topology() : null;
    }

    /** Begins a batch of all records from first to last; counted if it was begun before. */
    public LaneRecord begin(Position first, Position last, String topology) {
        BegunBatch newBatch = batch != null && batch.contains(first)
                ? new BegunBatch(first, max(batch.last(), last), batch.begun() + 1, topology)
                : new BegunBatch(first, last, 1, topology);
        return new LaneRecord(version, cursor, lastArrival, newBatch, alone);
    }

    /** Begins a record alone: one more attempt. */
    public LaneRecord beginAlone(Position position, String topology) {
        BegunBatch kept = batch == null
                ? new BegunBatch(position, position, 0, topology)
                : new BegunBatch(batch.first(), max(batch.last(), position), batch.begun(), topology);
        return new LaneRecord(
                version, cursor, lastArrival, kept, new AloneRecord(position, attemptsOf(position) + 1, false));
    }

    /** Notes that the keys of the record that runs alone could be computed. */
    public LaneRecord keyed(Position position) {
        return alone == null || !alone.position().equals(position)
                ? this
                : withAlone(new AloneRecord(position, alone.attempts(), true));
    }

    /** Takes an attempt back: it met a throttle or a conflict, which is not the record's fault. */
    public LaneRecord attemptReleased(Position position) {
        return attemptsOf(position) == 0 || alone == null
                ? this
                : withAlone(new AloneRecord(position, alone.attempts() - 1, alone.keyed()));
    }

    /** Raises the cursor; what lies at or below it is over. */
    public LaneRecord advancedTo(Position position, Instant arrival) {
        if (covers(position)) {
            return this;
        }
        return new LaneRecord(
                version,
                position,
                arrival,
                batch == null || batch.last().compareTo(position) <= 0 ? null : batch,
                alone == null || alone.position().compareTo(position) <= 0 ? null : alone);
    }

    /**
     * Stops before a record that is not to blame: no attempt of it or its batch counts.
     *
     * @param last the last record of the batch, up to which some may be committed
     */
    public LaneRecord stoppedAt(Position position, Position last, String topology) {
        if (covers(position)) {
            return this;
        }
        Position end = batch == null ? last : max(batch.last(), last);
        return new LaneRecord(version, cursor, lastArrival, new BegunBatch(position, end, 0, topology), alone);
    }

    /**
     * Stops at a record that failed: it is tried alone from now on.
     *
     * @param attempts how often it was tried
     * @param last the last record of the batch, up to which some may be committed; null if none behind the failed one is
     */
    public LaneRecord failedAt(Position position, int attempts, @Nullable Position last, String topology) {
        if (covers(position)) {
            return this;
        }
        BegunBatch left = last == null ? null : new BegunBatch(position, last, 0, topology);
        return new LaneRecord(version, cursor, lastArrival, left, new AloneRecord(position, attempts, true));
    }

    /** This content with another begun batch. */
    public LaneRecord withBatch(@Nullable BegunBatch newBatch) {
        return new LaneRecord(version, cursor, lastArrival, newBatch, alone);
    }

    /** This content under a new version. */
    public LaneRecord withVersion(String newVersion) {
        return new LaneRecord(newVersion, cursor, lastArrival, batch, alone);
    }

    private LaneRecord withAlone(AloneRecord newAlone) {
        return new LaneRecord(version, cursor, lastArrival, batch, newAlone);
    }

    private static Position max(Position a, Position b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
