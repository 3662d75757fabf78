package io.millrace.aws.internal.checkpoint;

import java.util.List;
import java.util.SortedMap;

/**
 * What a checkpoint consists of. It is written last: a checkpoint exists exactly if its manifest does.
 *
 * @param completed when it was written, in ISO 8601
 * @param cells how many cells there are, by stage
 * @param deadLetters how many dead letters there are, the parts of large payloads among them
 */
record Manifest(
        int formatVersion,
        Cut cut,
        String completed,
        SortedMap<String, Long> cells,
        long deadLetters,
        List<Part> parts) {
    /** The name of its object. */
    static final String NAME = "manifest.json";

    /**
     * An object with items, one a line, as gzip.
     *
     * @param table what the items are
     * @param bytes its size as it is stored
     * @param sha256 of it as it is stored, in hexadecimal
     */
    record Part(String name, ItemKind table, long items, long bytes, String sha256) {}

    /** The table that items come from. */
    enum ItemKind {
        CELLS,
        DEAD_LETTERS
    }

    long bytes() {
        return parts.stream().mapToLong(Part::bytes).sum();
    }

    long cellCount() {
        return cells.values().stream().mapToLong(Long::longValue).sum();
    }
}
