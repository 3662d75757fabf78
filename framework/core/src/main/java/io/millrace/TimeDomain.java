package io.millrace;

/** Which time a timer goes by. */
public enum TimeDomain {
    /** The time of the events, as far as the stage's watermark says. */
    EVENT_TIME,
    /** The clock of the functions. */
    PROCESSING_TIME
}
