package io.millrace.aws;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A state as it is stored in a cell, which tells as much of its kind as can be seen without the pipeline's code. Immutable.
 */
public sealed interface StoredStateView {
    /** What it is in a word: {@code value}, {@code list} or {@code map}. */
    String kind();

    /** A {@code ValueState}, a {@code ReducingState}, or the accumulator of an {@code AggregatingState}. */
    record OfValue(StoredValue value) implements StoredStateView {
        @Override
        public String kind() {
            return "value";
        }
    }

    /** A {@code ListState}. Never empty. */
    record OfList(List<StoredValue> elements) implements StoredStateView {
        public OfList {
            elements = List.copyOf(elements);
        }

        @Override
        public String kind() {
            return "list";
        }
    }

    /**
     * A {@code MapState}. Never empty.
     *
     * @param entries the values by the text of their user keys
     */
    record OfMap(SortedMap<String, StoredValue> entries) implements StoredStateView {
        public OfMap {
            entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
        }

        @Override
        public String kind() {
            return "map";
        }
    }
}
