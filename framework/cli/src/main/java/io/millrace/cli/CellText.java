package io.millrace.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.StoredCell;
import io.millrace.aws.StoredPosition;
import io.millrace.aws.StoredStateView;
import io.millrace.aws.StoredTimer;
import io.millrace.aws.StoredValue;
import io.millrace.time.WatermarkStrategy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Cells in words: as rows of a table, as JSON, and one with all that it has. */
final class CellText {
    private static final int STAGE_CHARACTERS = 20;
    private static final int STATES_CHARACTERS = 32;
    private static final int KEY_CHARACTERS = 200;
    private static final String END_OF_INPUT = "end of input";

    private CellText() {}

    /** The head of the table. */
    static String head() {
        return row("STAGE", "BYTES", "TIMERS", "WATERMARK", "STATES", "KEY");
    }

    /** A cell as a row of the table, whose columns have a fixed width, since it is printed as it is read. */
    static String row(StoredCell cell) {
        boolean readable = cell.isReadable();
        String key = DeadLetterText.cut(DeadLetterText.printable(cell.key()), KEY_CHARACTERS);
        return row(
                DeadLetterText.cut(DeadLetterText.printable(cell.stage()), STAGE_CHARACTERS),
                Integer.toString(cell.bytes()),
                readable ? Integer.toString(cell.timers().size()) : "-",
                readable ? Objects.requireNonNullElse(watermark(cell), "-") : "-",
                DeadLetterText.cut(DeadLetterText.printable(states(cell)), STATES_CHARACTERS),
                readable ? key : key + "  " + DeadLetterText.printable(String.valueOf(cell.damage())));
    }

    private static String states(StoredCell cell) {
        if (!cell.isReadable()) {
            return "(unreadable)";
        }
        return cell.isTombstone()
                ? "(tombstone)"
                : String.join(", ", cell.states().keySet());
    }

    private static String row(String stage, String bytes, String timers, String watermark, String states, String key) {
        return String.format(
                Locale.ROOT, "%-20s  %8s  %6s  %-24s  %-32s  %s", stage, bytes, timers, watermark, states, key);
    }

    private static @Nullable String watermark(StoredCell cell) {
        Instant watermark = cell.watermark();
        if (watermark == null) {
            return null;
        }
        return watermark.toEpochMilli() == WatermarkStrategy.END_OF_INPUT ? END_OF_INPUT : watermark.toString();
    }

    /** What a row of the table has, as a JSON object. */
    static ObjectNode summary(StoredCell cell) {
        ObjectNode json = named(cell);
        if (cell.isReadable()) {
            putIfKnown(json, "watermark", watermark(cell));
            json.put("tombstone", cell.isTombstone());
            json.put("timers", cell.timers().size());
            ArrayNode states = json.putArray("states");
            cell.states().keySet().forEach(states::add);
        }
        return json;
    }

    private static ObjectNode named(StoredCell cell) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("stage", cell.stage());
        json.put("key", cell.key());
        json.put("generation", cell.generation());
        json.put("bytes", cell.bytes());
        json.put("compressed", cell.isCompressed());
        putIfKnown(json, "unreadable", cell.damage());
        return json;
    }

    private static void putIfKnown(ObjectNode json, String name, @Nullable Object value) {
        if (value != null) {
            json.put(name, value.toString());
        }
    }

    /** A cell with all that it has, as a JSON object. */
    static ObjectNode json(StoredCell cell) {
        ObjectNode json = named(cell);
        if (!cell.isReadable()) {
            return json;
        }
        json.put("version", cell.version());
        putIfKnown(json, "watermark", watermark(cell));
        json.put("tombstone", cell.isTombstone());
        putIfKnown(json, "expiry", cell.expiry());
        ObjectNode states = json.putObject("states");
        cell.states().forEach((name, state) -> states.set(name, json(state)));
        ArrayNode timers = json.putArray("timers");
        for (StoredTimer timer : cell.timers()) {
            timers.addObject()
                    .put("domain", domain(timer))
                    .put("time", timer.time().toString())
                    .put("name", timer.name())
                    .put("attempts", timer.attempts());
        }
        ObjectNode fence = json.putObject("fence");
        cell.fence()
                .forEach((lane, position) -> fence.putObject(lane)
                        .put("sequence_number", position.sequenceNumber())
                        .put("sub_sequence", position.subSequence()));
        ObjectNode redrives = json.putObject("redrives");
        cell.redrives().forEach((id, expiry) -> redrives.put(id, expiry.toString()));
        return json;
    }

    private static ObjectNode json(StoredStateView state) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("kind", state.kind());
        if (state instanceof StoredStateView.OfValue of) {
            json.set("value", json(of.value()));
        } else if (state instanceof StoredStateView.OfList of) {
            ArrayNode elements = json.putArray("elements");
            of.elements().forEach(element -> elements.add(json(element)));
        } else {
            ObjectNode entries = json.putObject("entries");
            ((StoredStateView.OfMap) state).entries().forEach((key, value) -> entries.set(key, json(value)));
        }
        return json;
    }

    private static ObjectNode json(StoredValue value) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put(value.isText() ? "text" : "base64", value.text());
        putIfKnown(json, "time", value.time());
        return json;
    }

    private static String domain(StoredTimer timer) {
        return switch (timer.domain()) {
            case EVENT_TIME -> "event";
            case PROCESSING_TIME -> "processing";
        };
    }

    /** A cell with all that it has, a line each. */
    static List<String> lines(StoredCell cell) {
        List<String> lines = new ArrayList<>();
        lines.add(DeadLetterText.printable(cell.itemKey()));
        lines.add(fact("stage", cell.stage()));
        lines.add(fact("key", cell.key()));
        lines.add(fact("generation", Long.toString(cell.generation())));
        lines.add(fact(
                "size",
                String.format(Locale.ROOT, "%,d bytes%s", cell.bytes(), cell.isCompressed() ? ", compressed" : "")));
        if (!cell.isReadable()) {
            lines.add(fact("unreadable", String.valueOf(cell.damage())));
            return lines;
        }
        lines.add(fact("version", cell.version()));
        lines.add(fact("watermark", Objects.requireNonNullElse(watermark(cell), "none")));
        if (cell.expiry() != null) {
            lines.add(fact("deleted after", String.valueOf(cell.expiry())));
        }
        if (cell.isTombstone()) {
            lines.add(fact("tombstone", "no state and no timers, only what was absorbed"));
        }
        cell.states().forEach((name, state) -> addState(lines, name, state));
        for (StoredTimer timer : cell.timers()) {
            lines.add(fact("timer", domain(timer) + " " + timer.time() + named(timer) + failures(timer)));
        }
        cell.fence().forEach((lane, position) -> lines.add(fact("fence", lane + " -> " + text(position))));
        cell.redrives().forEach((id, expiry) -> lines.add(fact("redriven", id + ", may be forgotten after " + expiry)));
        return lines;
    }

    private static void addState(List<String> lines, String name, StoredStateView state) {
        String title = name + " (" + state.kind() + ")";
        if (state instanceof StoredStateView.OfValue of) {
            lines.add(fact("state", title + " = " + text(of.value())));
        } else if (state instanceof StoredStateView.OfList of) {
            lines.add(fact(
                    "state", title + ", " + CellCounts.counted(of.elements().size(), "element")));
            of.elements().forEach(element -> lines.add(fact("", text(element))));
        } else {
            StoredStateView.OfMap of = (StoredStateView.OfMap) state;
            String entries = of.entries().size() == 1
                    ? "1 entry"
                    : String.format(Locale.ROOT, "%,d entries", of.entries().size());
            lines.add(fact("state", title + ", " + entries));
            of.entries().forEach((key, value) -> lines.add(fact("", key + " = " + text(value))));
        }
    }

    private static String text(StoredValue value) {
        String text = value.isText() ? value.text() : "base64: " + value.text();
        return value.time() == null ? text : text + "  (since " + value.time() + ")";
    }

    private static String text(StoredPosition position) {
        return position.subSequence() == 0
                ? position.sequenceNumber()
                : position.sequenceNumber() + ", sub-sequence " + position.subSequence();
    }

    private static String named(StoredTimer timer) {
        return timer.name().isEmpty() ? "" : " of " + timer.name();
    }

    private static String failures(StoredTimer timer) {
        return timer.attempts() == 0 ? "" : ", failed " + CellCounts.counted(timer.attempts(), "time");
    }

    private static String fact(String name, String value) {
        return String.format(Locale.ROOT, "  %-14s %s", name, DeadLetterText.printable(value));
    }
}
