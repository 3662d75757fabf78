package io.millrace.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.StateReader;
import io.millrace.aws.StoredCell;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How many cells there are, in all and of each stage. Not thread-safe. */
final class CellCounts {
    private final Map<String, Long> byStage = new TreeMap<>();
    private long cells;
    private long bytes;
    private long timers;
    private long tombstones;
    private long unreadable;

    void add(StoredCell cell) {
        cells++;
        byStage.merge(cell.stage(), 1L, Long::sum);
        bytes += cell.bytes();
        if (cell.isReadable()) {
            timers += cell.timers().size();
            tombstones += cell.isTombstone() ? 1 : 0;
        } else {
            unreadable++;
        }
    }

    long cells() {
        return cells;
    }

    long bytes() {
        return bytes;
    }

    /** The counts in one line. */
    String text() {
        String stages = byStage.size() == 1
                ? "stage " + byStage.keySet().iterator().next()
                : byStage.size() + " stages " + byStage;
        return String.format(
                Locale.ROOT,
                "%s in %s: %,d bytes, %s, %s, %,d unreadable.",
                counted(cells, "cell"),
                DeadLetterText.printable(stages),
                bytes,
                counted(timers, "timer"),
                counted(tombstones, "tombstone"),
                unreadable);
    }

    static String counted(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }

    /** The counts as a JSON object. */
    ObjectNode json() {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        ObjectNode summary = line.putObject("summary");
        summary.put("cells", cells);
        ObjectNode stages = summary.putObject("stages");
        byStage.forEach(stages::put);
        summary.put("bytes", bytes);
        summary.put("timers", timers);
        summary.put("tombstones", tombstones);
        summary.put("unreadable", unreadable);
        return line;
    }

    /** Cells that cannot be read make a command fail, after it has done the rest. */
    int exitCode() {
        return unreadable == 0 ? Millrace.EXIT_OK : Millrace.EXIT_FAILED;
    }

    /**
     * Fails if a stage was asked for that there is not.
     *
     * @param stage the stage that was asked for; null for all
     */
    void checkStage(StateReader state, @Nullable String stage) {
        if (cells == 0 && stage != null && !state.stages().contains(stage)) {
            throw unknownStage(state, stage);
        }
    }

    /** The error of a stage that a pipeline does not have. */
    static CommandFailure unknownStage(StateReader state, String stage) {
        String known = String.join(", ", state.stages());
        return CommandFailure.failed(
                "There is no stage '" + stage + "' in generation " + state.generation() + " of '" + state.pipeline()
                        + "'; "
                        + (known.isEmpty()
                                ? "no stage has processed anything in it."
                                : "its stages are " + known + "."),
                null);
    }
}
