package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How far one segment of a table is scanned. Stored with each object that is put, so that another run goes on behind it.
 *
 * @param parts the objects that are put
 * @param cells how many cells are in them, by stage
 * @param from the key behind which the scan goes on, as a DynamoDB item; null before the first page and at the end
 * @param done whether the segment is scanned to its end
 */
record SegmentProgress(
        List<Manifest.Part> parts,
        SortedMap<String, Long> cells,
        @Nullable JsonNode from,
        boolean done) {
    static final SegmentProgress NONE = new SegmentProgress(List.of(), new TreeMap<>(), null, false);

    private static final String PREFIX = "progress-";

    static String name(Manifest.ItemKind table, int segment) {
        return PREFIX + segmentName(table, segment) + ".json";
    }

    /** Whether an object of this name holds the progress of a segment. */
    static boolean isName(String name) {
        return name.startsWith(PREFIX);
    }

    static String segmentName(Manifest.ItemKind table, int segment) {
        return table.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-"
                + String.format(Locale.ROOT, "%03d", segment);
    }

    /** This progress and one object more. */
    SegmentProgress with(Manifest.@Nullable Part part, SortedMap<String, Long> moreCells, @Nullable JsonNode newFrom) {
        List<Manifest.Part> newParts = new ArrayList<>(parts);
        if (part != null) {
            newParts.add(part);
        }
        SortedMap<String, Long> newCells = new TreeMap<>(cells);
        moreCells.forEach((stage, count) -> newCells.merge(stage, count, Long::sum));
        return new SegmentProgress(newParts, newCells, newFrom, newFrom == null);
    }
}
