package io.millrace.local.testing;

import io.millrace.aws.BatchReport;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What one delivery of a batch came to: one invocation of a stage's function. */
public final class Delivery {
    private final TestLane lane;
    private final int from;
    private final int to;
    private final @Nullable String failedAt;
    private final @Nullable Throwable error;
    private final boolean crashed;
    private final List<String> requests;
    private final BatchReport report;

    Delivery(
            TestLane lane,
            int from,
            int to,
            @Nullable String failedAt,
            @Nullable Throwable error,
            boolean crashed,
            List<String> requests,
            BatchReport report) {
        this.lane = lane;
        this.from = from;
        this.to = to;
        this.failedAt = failedAt;
        this.error = error;
        this.crashed = crashed;
        this.requests = requests;
        this.report = report;
    }

    /** The lane that was delivered. */
    public TestLane lane() {
        return lane;
    }

    /** The index of the batch's first record in its shard, from 0. */
    public int from() {
        return from;
    }

    /** The index behind the batch's last record. */
    public int to() {
        return to;
    }

    /** Whether all records of the batch are done. */
    public boolean isDone() {
        return failedAt == null && error == null && !crashed;
    }

    /** The index of the first record that Lambda would deliver again; {@link #to()} if there is none. */
    public int next() {
        if (isDone()) {
            return to;
        }
        return IntStream.range(from, to)
                .filter(index -> lane.sequenceNumber(index).equals(failedAt))
                .findFirst()
                .orElse(from);
    }

    /** Whether the invocation ended at the crash point that was asked for. */
    public boolean crashed() {
        return crashed;
    }

    /** Why the invocation failed as a whole; null if it answered, or crashed as asked for. */
    public @Nullable Throwable error() {
        return error;
    }

    /** What the pipeline's code threw at a record, or why a record could not be decoded or stored; null if nothing failed. */
    public @Nullable Throwable failure() {
        return report.failure();
    }

    /**
     * The invocation's AWS requests in their order, such as {@code DynamoDB.BatchGetItem}: what {@link
     * PipelineTestDriver#crashBeforeRequest} counts.
     */
    public List<String> requests() {
        return requests;
    }

    /** The invocation in numbers. */
    public BatchReport report() {
        return report;
    }

    /** The lane, the records and the outcome, such as {@code count <- events shard 0, records 0 to 3: done}. */
    @Override
    public String toString() {
        String outcome = "done";
        if (crashed) {
            outcome = "crashed";
        } else if (error != null) {
            outcome = "failed as a whole: " + error;
        } else if (failedAt != null) {
            outcome = "failed at record " + next() + ": " + failure();
        }
        return lane + ", records " + from + " to " + to + ": " + outcome;
    }
}
