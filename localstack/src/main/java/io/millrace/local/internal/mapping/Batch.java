package io.millrace.local.internal.mapping;

import java.time.Instant;
import java.util.List;
import software.amazon.awssdk.services.kinesis.model.Record;

/**
 * A run of a lane's records that is delivered as one invocation.
 *
 * @param failures failed invocations that count against the maximum of retry attempts: splits and throttles do not
 * @param invocations all invocations of this batch and of those that it was split from
 * @param repetitions how often in a row it was put back, for the back-off
 * @param notBefore the end of the back-off
 */
public record Batch(int lane, List<Record> records, int failures, int invocations, int repetitions, Instant notBefore) {
    static Batch first(int lane, List<Record> records, Instant now) {
        return new Batch(lane, List.copyOf(records), 0, 0, 0, now);
    }

    Batch part(int from, int to) {
        return new Batch(lane, records.subList(from, to), failures, invocations, repetitions, notBefore);
    }

    Batch withRecords(List<Record> remaining) {
        return new Batch(lane, List.copyOf(remaining), failures, invocations, repetitions, notBefore);
    }

    Batch invoked() {
        return new Batch(lane, records, failures, invocations + 1, repetitions, notBefore);
    }

    Batch failed() {
        return new Batch(lane, records, failures + 1, invocations, repetitions, notBefore);
    }

    Batch delayed(Instant until) {
        return new Batch(lane, records, failures, invocations, repetitions + 1, until);
    }

    int size() {
        return records.size();
    }
}
