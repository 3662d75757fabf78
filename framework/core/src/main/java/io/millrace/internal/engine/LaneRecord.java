package io.millrace.internal.engine;

import io.millrace.time.WatermarkStrategy;
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
 * @param time how far it has come in event time
 * @param lineage where it stands among the stream's shards
 */
public record LaneRecord(
        @Nullable String version,
        @Nullable Position cursor,
        @Nullable Instant lastArrival,
        @Nullable BegunBatch batch,
        @Nullable AloneRecord alone,
        LaneTime time,
        LaneLineage lineage) {
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
     * @param open whether the last attempt has neither failed nor stopped: it runs, or the process died in it
     * @param keyed whether its keys were computed in some attempt, so that parts of it may be committed
     * @param givingUps how often it was begun to be given up without an end: the process died while it wrote the dead
     *     letters, or the keys could not be computed any more
     * @param keyless whether it is decided that it becomes one dead letter without a key: nobody may run it any more
     */
    public record AloneRecord(
            Position position, int attempts, boolean open, boolean keyed, int givingUps, boolean keyless) {
        AloneRecord ended(int newAttempts, boolean newKeyed) {
            return new AloneRecord(position, newAttempts, false, newKeyed, givingUps, keyless);
        }
    }

    /** The record of a lane that was never seen. */
    public static LaneRecord unknown() {
        return new LaneRecord(null, null, null, null, null, LaneTime.NONE, LaneLineage.UNKNOWN);
    }

    /** This lane as a restore copies it: how far it had come, and nothing of what was under way. */
    public LaneRecord restored(String newVersion) {
        return new LaneRecord(newVersion, cursor, lastArrival, null, null, time, lineage);
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
        return new LaneRecord(version, cursor, lastArrival, newBatch, alone, time, lineage);
    }

    /** Begins a record alone: one more attempt. A record that nobody may run any more stays as it is. */
    public LaneRecord beginAlone(Position position, String topology) {
        AloneRecord before = aloneAt(position);
        if (before != null && before.keyless()) {
            return this;
        }
        BegunBatch kept = batch == null
                ? new BegunBatch(position, position, 0, topology)
                : new BegunBatch(batch.first(), max(batch.last(), position), batch.begun(), topology);
        AloneRecord begun = before == null
                ? new AloneRecord(position, 1, true, false, 0, false)
                : new AloneRecord(position, before.attempts() + 1, true, before.keyed(), before.givingUps(), false);
        return new LaneRecord(version, cursor, lastArrival, kept, begun, time, lineage);
    }

    /** Notes that the keys of the record that runs alone could be computed, unless it may not run any more. */
    public LaneRecord keyed(Position position) {
        AloneRecord before = aloneAt(position);
        return before == null || before.keyless()
                ? this
                : withAlone(
                        new AloneRecord(position, before.attempts(), before.open(), true, before.givingUps(), false));
    }

    /** Whether a record that was begun alone may meet the stage's function: nobody has finished it or given it up. */
    public boolean mayRunAlone(Position position) {
        AloneRecord now = aloneAt(position);
        return !covers(position) && now != null && now.keyed() && !now.keyless();
    }

    /** Takes an open attempt back: it met a throttle, a conflict or the end of its time, which is not the record's fault. */
    public LaneRecord attemptReleased(Position position) {
        AloneRecord before = aloneAt(position);
        return before == null || !before.open() ? this : withAlone(before.ended(before.attempts() - 1, before.keyed()));
    }

    /** Begins to write the dead letters of a record, with its cells; counted, since the process can die in it too. */
    public LaneRecord givingUp(Position position) {
        return withGivingUps(position, 1);
    }

    /** Takes back a beginning of the dead letters: it ended without the death of the process. */
    public LaneRecord givingUpReleased(Position position) {
        return withGivingUps(position, -1);
    }

    private LaneRecord withGivingUps(Position position, int more) {
        AloneRecord before = aloneAt(position);
        return before == null
                ? this
                : withAlone(new AloneRecord(
                        position,
                        before.attempts(),
                        before.open(),
                        before.keyed(),
                        Math.max(0, before.givingUps() + more),
                        before.keyless()));
    }

    /**
     * Decides that a record becomes one dead letter without a key, if its keys are still unknown, or could not be computed
     * again to give it up.
     */
    public LaneRecord keyless(Position position, int givingUpsMax) {
        AloneRecord before = aloneAt(position);
        return before == null || !mayBeKeyless(position, givingUpsMax)
                ? this
                : withAlone(new AloneRecord(
                        position, before.attempts(), before.open(), before.keyed(), before.givingUps(), true));
    }

    /**
     * Whether a record may become a dead letter without a key: no attempt has computed its keys, or giving it up has been
     * begun so often without an end.
     */
    public boolean mayBeKeyless(Position position, int givingUpsMax) {
        AloneRecord now = aloneAt(position);
        return now == null || !now.keyed() || now.givingUps() >= givingUpsMax;
    }

    private @Nullable AloneRecord aloneAt(Position position) {
        return isTriedAlone(position) ? alone : null;
    }

    /** Raises the cursor; what lies at or below it is over. */
    public LaneRecord advancedTo(Position position, Instant arrival) {
        return advancedTo(position, arrival, WatermarkStrategy.NO_WATERMARK);
    }

    /**
     * Raises the cursor, and the watermark too if it is lower; what lies at or below the cursor is over.
     *
     * @param watermark the watermark by the records up to the cursor
     */
    public LaneRecord advancedTo(Position position, Instant arrival, long watermark) {
        if (covers(position)) {
            return this;
        }
        return new LaneRecord(
                version,
                position,
                arrival,
                batch == null || batch.last().compareTo(position) <= 0 ? null : batch,
                alone == null || alone.position().compareTo(position) <= 0 ? null : alone,
                time.withData(watermark),
                lineage);
    }

    /** Raises the watermark, if it is lower, without a record: as of an idle lane, or at the end of the input. */
    public LaneRecord withWatermark(long watermark) {
        return new LaneRecord(version, cursor, lastArrival, batch, alone, time.raisedTo(watermark), lineage);
    }

    /** This content at another place among the shards. */
    public LaneRecord withLineage(LaneLineage newLineage) {
        return new LaneRecord(version, cursor, lastArrival, batch, alone, time, newLineage);
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
        return withBatch(new BegunBatch(position, end, 0, topology));
    }

    /**
     * Stops at a record that failed: it is tried alone from now on. The mark of its batch goes only if nothing of it from
     * the record on can be committed; else other code could not go on with it.
     *
     * @param attempts how often it was tried
     * @param keyed whether its keys could be computed
     * @param dirtyTo the last record of the batch, up to which some may be committed by this invocation; null if none is
     * @param fresh whether the batch was begun by this invocation only
     */
    public LaneRecord failedAt(
            Position position,
            int attempts,
            boolean keyed,
            @Nullable Position dirtyTo,
            boolean fresh,
            String topology) {
        if (covers(position)) {
            return this;
        }
        AloneRecord before = aloneAt(position);
        AloneRecord failed = before == null
                ? new AloneRecord(position, attempts, false, keyed, 0, false)
                : before.ended(Math.max(attempts, before.attempts()), before.keyed() || keyed);
        boolean onlyOurs = fresh && (batch == null || batch.begun() <= 1) && failed.attempts() == attempts;
        if (dirtyTo == null && onlyOurs) {
            return new LaneRecord(version, cursor, lastArrival, null, failed, time, lineage);
        }
        Position end = dirtyTo == null ? position : max(position, dirtyTo);
        int begun = before == null || batch == null ? 0 : batch.begun();
        return new LaneRecord(
                version,
                cursor,
                lastArrival,
                new BegunBatch(position, batch == null ? end : max(batch.last(), end), begun, topology),
                failed,
                time,
                lineage);
    }

    /** This content with another begun batch. */
    public LaneRecord withBatch(@Nullable BegunBatch newBatch) {
        return new LaneRecord(version, cursor, lastArrival, newBatch, alone, time, lineage);
    }

    /** This content under a new version. */
    public LaneRecord withVersion(String newVersion) {
        return new LaneRecord(newVersion, cursor, lastArrival, batch, alone, time, lineage);
    }

    private LaneRecord withAlone(AloneRecord newAlone) {
        return new LaneRecord(version, cursor, lastArrival, batch, newAlone, time, lineage);
    }

    private static Position max(Position a, Position b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
