package io.millrace.aws;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one invocation did, in numbers. Filled by the invocation's thread, read only once a listener has it. */
public final class BatchReport {
    /** What is counted. */
    public enum Count {
        /** User records delivered. */
        RECORDS,
        /** Records, or one key's parts of them, that were committed before and so were suppressed. */
        DUPLICATES,
        /** Elements that {@code deduplicate} dropped, counted when that was committed. */
        REPETITIONS,
        /** Units that another writer came before, and that were computed again. */
        CONFLICTS,
        /** Writes repeated after a throttle or an unknown outcome. */
        RETRIES,
        /** Cells written. */
        CELL_WRITES,
        /** Rows written. */
        ROW_WRITES,
        /** Dead letters written. */
        DEAD_LETTERS,
        /** Timers that fired. */
        TIMERS,
        /** Timers that the user's code threw at, or whose effects could not be stored. */
        TIMER_FAILURES,
        /** Sweeps behind a committed batch that failed; the next one does what they left. */
        SWEEP_FAILURES,
        /** Elements that were too late for all their windows and were dropped; those of a late output are not among them. */
        LATE,
        /** Elements whose event time is too far behind their arrival to move the watermark. */
        FUTURE,
        /** Records run alone. */
        RUN_ALONE,
        /** Records that the user's code threw at, or that could not be decoded or stored. */
        FAILURES,
        /** Ranges of records that were never delivered, found by reading the stream. */
        GAPS,
        /** Batches that came before the lanes that theirs came of, by a split or a merge, were finished. */
        UNFINISHED_PARENTS,
        /** Gaps that an operator decided to go on over. */
        GAPS_ACCEPTED,
        /** Cells written that take more than 80 % of what DynamoDB allows an item. */
        LARGE_CELLS
    }

    /** What is not added up: the largest value of the invocation counts. */
    public enum Maximum {
        /** The bytes of the largest cell that was written, as DynamoDB counts them against its 400 KB. */
        CELL_BYTES,
        /** The bytes of the largest fence in a cell that was written: some 30 for each shard that carried the key. */
        FENCE_BYTES
    }

    private final String stage;
    private final String lane;
    private final Map<Count, Integer> counts = new EnumMap<>(Count.class);
    private final Map<Maximum, Integer> maxima = new EnumMap<>(Maximum.class);
    private @Nullable String failedAt;
    private @Nullable Throwable failure;

    /** An empty report. */
    public BatchReport(String stage, String lane) {
        this.stage = stage;
        this.lane = lane;
    }

    /** The stage's uid. */
    public String stage() {
        return stage;
    }

    /** The lane: {@code stream/shardId}. */
    public String lane() {
        return lane;
    }

    /** A count. */
    public int get(Count count) {
        return counts.getOrDefault(count, 0);
    }

    /** A maximum; 0 if there was nothing to measure. */
    public int get(Maximum maximum) {
        return maxima.getOrDefault(maximum, 0);
    }

    /** The sequence number that was returned as failed; null if the whole batch is done. */
    public @Nullable String failedAt() {
        return failedAt;
    }

    /** What the user's code threw, or why a record could not be decoded or stored, the last time; null if nothing failed. */
    public @Nullable Throwable failure() {
        return failure;
    }

    /** Adds to a count; for the invocation. */
    public void add(Count count, int number) {
        counts.merge(count, number, Integer::sum);
    }

    /** Raises a maximum to a value, if it is lower; for the invocation. */
    public void raise(Maximum maximum, int value) {
        maxima.merge(maximum, value, Math::max);
    }

    /** Sets the sequence number that is returned as failed; for the invocation. */
    public void setFailedAt(String sequenceNumber) {
        failedAt = sequenceNumber;
    }

    /** Sets why a record failed; for the invocation. */
    public void setFailure(@Nullable Throwable thrown) {
        failure = thrown;
    }
}
