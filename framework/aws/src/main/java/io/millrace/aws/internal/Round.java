package io.millrace.aws.internal;

import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One pass over records of a chunk: they are routed one by one, then run over what their keys have absorbed so far. A key
 * is what records are fenced under, a cell's or a row's. For one use by one thread.
 */
interface Round {
    /** Decodes a record, the next in lane order, keeps it for the run, and tells its keys and its event time. */
    Routed route(InputRecord record) throws RecordFailure;

    /**
     * What decoding a record told.
     *
     * @param maxTimestamp the highest event time in it that may move the watermark
     * @param futureElements how many elements' event times may not, since they are in the future
     */
    record Routed(Set<String> keys, long maxTimestamp, int futureElements) {}

    /**
     * Reads what the keys have absorbed, and runs the records over it.
     *
     * @param only the keys that may run; null for all
     * @param oneRecordWrites the keys whose records each become a write of their own
     * @param outOfTime asked before each record but the first that meets user code
     */
    Result run(@Nullable Set<String> only, Set<String> oneRecordWrites, BooleanSupplier outOfTime);

    /**
     * What a run gave.
     *
     * @param writes by key, each key's in their order; nothing of them may be committed if there is a failure
     * @param failure a record that failed, or null
     * @param stoppedAt the first record that was not run since the time was short, or null
     * @param duplicates how many parts of records were absorbed already
     */
    record Result(
            Map<String, List<PendingWrite>> writes,
            @Nullable RecordFailure failure,
            @Nullable Position stoppedAt,
            int duplicates) {}
}
