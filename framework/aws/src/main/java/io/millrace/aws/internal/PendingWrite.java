package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One conditional write that commits records of one key. Thread-safe. */
interface PendingWrite {
    /** Tries once to write. */
    CommitOutcome commit();

    /** The last record in it; null if it has none, only timers that were due before the records of the next one. */
    @Nullable
    Position last();

    /** How many records and timers are in it. */
    int works();

    /** The failure of what is in it, if it is one record or timer and DynamoDB can never take it. */
    RecordFailure refused(Exception cause);

    /** How large the cell is that it writes, if it writes one. */
    Optional<CellSize> cellSize();

    /** Counts what it wrote. */
    void addTo(BatchReport report);
}
