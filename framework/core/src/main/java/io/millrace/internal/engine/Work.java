package io.millrace.internal.engine;

/** What runs over a cell, in this order: a timer that was due before the records, or a key's part of a record. */
sealed interface Work {
    /** A key's part of a record. */
    record OfRecord(InputRecord input) implements Work {}

    /** A timer that was due when the run over the cell began. */
    record OfTimer(Timer timer) implements Work {}
}
