package io.millrace.internal.engine;

import java.util.List;
import java.util.Map;

/**
 * A record decoded, run through the stateless steps and divided by key. Good for one run: the function may change the
 * elements.
 *
 * @param elements the elements of each key, in their order; empty if the steps dropped the record
 */
public record RoutedRecord(InputRecord input, Map<String, List<Element>> elements) {

    /** An element and its key. */
    public record Element(Object key, Object value) {}

    /** The position of the record. */
    public Position position() {
        return input.position();
    }
}
