package io.millrace.internal.engine;

import io.millrace.internal.item.Row;
import java.util.Map;

/**
 * A record of a stage without state, decoded and run through its steps and sinks.
 *
 * @param rows what becomes of each row, by the text of its identity; empty if the steps dropped the record
 */
public record RowRecord(InputRecord input, Map<String, Row> rows) {
    /** The position of the record. */
    public Position position() {
        return input.position();
    }
}
