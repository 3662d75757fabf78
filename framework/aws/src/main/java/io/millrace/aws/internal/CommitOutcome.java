package io.millrace.aws.internal;

import io.millrace.MillraceException;

/** What became of a conditional write. */
sealed interface CommitOutcome {
    /** It was applied now. */
    record Committed() implements CommitOutcome {}

    /** The condition failed since it was applied before, by this invocation (a lost response) or by its twin. */
    record AlreadyCommitted() implements CommitOutcome {}

    /** Another writer came first: read again, compute again. */
    record Conflict(String detail) implements CommitOutcome {}

    /** DynamoDB asks to come again later; nothing was written. */
    record Throttled(Exception cause) implements CommitOutcome {}

    /** Nobody knows whether it was applied: write it again, the condition tells. */
    record Unknown(Exception cause) implements CommitOutcome {}

    /** DynamoDB can never take this write: the fault of what is written. */
    record Permanent(Exception cause) implements CommitOutcome {}

    /** No write can work: no permission, no table, or a newer generation. The batch fails, and nothing is blamed. */
    record Refused(MillraceException cause) implements CommitOutcome {}

    /** Whether the same write, made again, can tell more: its answer was lost, or it was put off. */
    default boolean isToBeRepeated() {
        return this instanceof Throttled || this instanceof Unknown;
    }
}
