package io.millrace.local.internal.mapping;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse.BatchItemFailure;
import io.millrace.local.InvocationOutcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;

/** What an invocation's outcome means for its batch, by Lambda's rules. */
sealed interface BatchVerdict {
    /** The whole batch is done. */
    record Acknowledged() implements BatchVerdict {}

    /** The records before {@code index} are done, the others are delivered again. */
    record FailedAt(int index) implements BatchVerdict {}

    /** The whole batch failed: a thrown error, a time-out, or a response that names no record of the batch. */
    record Failed(boolean functionError) implements BatchVerdict {}

    /** The batch did not reach the function. */
    record Throttled() implements BatchVerdict {}

    static BatchVerdict of(InvocationOutcome outcome, List<Record> records, boolean reportBatchItemFailures) {
        if (outcome instanceof InvocationOutcome.Throttled) {
            return new Throttled();
        }
        if (!(outcome instanceof InvocationOutcome.Returned returned)) {
            return new Failed(true);
        }
        return reportBatchItemFailures ? ofResponse(returned.response(), records) : new Acknowledged();
    }

    private static BatchVerdict ofResponse(@Nullable StreamsEventResponse response, List<Record> records) {
        if (response == null
                || response.getBatchItemFailures() == null
                || response.getBatchItemFailures().isEmpty()) {
            return new Acknowledged();
        }
        Map<String, Integer> indexes = new HashMap<>();
        for (int index = 0; index < records.size(); index++) {
            indexes.put(records.get(index).sequenceNumber(), index);
        }
        int lowest = records.size();
        for (@Nullable BatchItemFailure failure : response.getBatchItemFailures()) {
            @Nullable String identifier = failure == null ? null : failure.getItemIdentifier();
            @Nullable Integer index = identifier == null ? null : indexes.get(identifier);
            if (index == null) {
                return new Failed(false);
            }
            // A batch is in sequence order, so the lowest index is the lowest number.
            lowest = Math.min(lowest, index);
        }
        return new FailedAt(lowest);
    }
}
