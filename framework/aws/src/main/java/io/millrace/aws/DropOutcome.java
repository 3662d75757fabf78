package io.millrace.aws;

/** What became of a dead letter that was to be dropped. */
public enum DropOutcome {
    /** It is dropped now. */
    DROPPED,
    /** It was dropped before. */
    DROPPED_BEFORE,
    /** It was redriven before, and stays so. */
    REDRIVEN_BEFORE,
    /** There is none of this id. */
    UNKNOWN
}
