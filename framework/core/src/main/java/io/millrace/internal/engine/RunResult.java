package io.millrace.internal.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run over records gave.
 *
 * @param units by key, each key's in the order in which they must commit; incomplete, not to be committed, if there is
 *     a failure
 * @param failure a record that failed, or null; it is not always the first, since state is checked at the end of a unit:
 *     when the records before it are run again, one of them may fail
 * @param stoppedAt the first record that was not run since the time was short, or null
 * @param duplicates how many parts of records were absorbed already
 */
public record RunResult(
        Map<String, List<Unit>> units,
        @Nullable RecordFailure failure,
        @Nullable Position stoppedAt,
        int duplicates) {}
