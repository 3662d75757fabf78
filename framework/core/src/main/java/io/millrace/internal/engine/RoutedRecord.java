package io.millrace.internal.engine;

import java.util.List;
import java.util.Map;

/**
 * A record decoded, run through the stateless steps and divided by key. Good for one run: the function may change the
 * elements.
 *
 * @param elements the elements of each key, in their order; empty if the steps dropped the record
 * @param maxTimestamp the highest event time of its elements, those that were dropped later among them, and those from the
 *     future not; {@link io.millrace.time.WatermarkStrategy#NO_WATERMARK} if there is none
 * @param futureElements how many elements claim to be from the future
 */
public record RoutedRecord(
        InputRecord input, Map<String, List<Element>> elements, long maxTimestamp, int futureElements) {

    /**
     * An element and its key.
     *
     * @param timestamp its event time, in milliseconds since the epoch
     */
    public record Element(Object key, Object value, long timestamp) {}

    /** The position of the record. */
    public Position position() {
        return input.position();
    }
}
