package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import java.util.Optional;

/** One conditional write that commits records of one key. Thread-safe. */
interface PendingWrite {
    /** Tries once to write. */
    CommitOutcome commit();

    /** The last record in it. */
    Position last();

    /** How many records are in it. */
    int records();

    /** The failure of its last record, if DynamoDB can never take it. */
    RecordFailure refused(Exception cause);

    /** How large the cell is that it writes, if it writes one. */
    Optional<CellSize> cellSize();

    /** Counts what it wrote. */
    void addTo(BatchReport report);
}
