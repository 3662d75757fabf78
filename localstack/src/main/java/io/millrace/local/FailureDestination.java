package io.millrace.local;

/**
 * Where a mapping reports batches that it gives up (Lambda's on-failure destination). An exception of {@code deliver} is
 * counted and does not stop the mapping, as in Lambda.
 */
@FunctionalInterface
public interface FailureDestination {
    /** Takes the report on one discarded batch. Queue-like destinations use its metadata document only. */
    void deliver(DiscardedBatch batch);
}
