package io.millrace.internal.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run over records of a stage without state gave.
 *
 * @param units by row, each row's in the order in which they must commit; empty if there is a failure
 * @param failure a record whose rows DynamoDB can never take, or null
 * @param duplicates how many changes of rows were absorbed already
 */
public record RowRunResult(
        Map<String, List<RowUnit>> units, @Nullable RecordFailure failure, int duplicates) {}
