package io.millrace.aws.internal;

import io.millrace.internal.engine.RecordFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a chunk of records.
 *
 * @param done how many records from the beginning are committed
 * @param failure the failure of the record behind them; null if it was only not done for lack of time or for throttling
 * @param undecodable the failures among the done records that have no cell, whose dead letters are to be put
 * @param maxTimestamp the highest event time of the done records that may move the watermark
 * @param futureElements how many elements of the done records claim to be from the future
 * @param cleanBehind whether nothing of the records behind the done ones was committed
 */
record ChunkResult(
        int done,
        @Nullable RecordFailure failure,
        List<RecordFailure> undecodable,
        long maxTimestamp,
        int futureElements,
        boolean cleanBehind) {}
