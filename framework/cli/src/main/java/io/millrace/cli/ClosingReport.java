package io.millrace.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tells what became of each dead letter, and at the end of all of them. Not thread-safe. */
final class ClosingReport {
    private final Terminal terminal;
    private final boolean json;
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private long leftOpen;

    ClosingReport(Terminal terminal, boolean json) {
        this.terminal = terminal;
        this.json = json;
    }

    /**
     * Tells of one.
     *
     * @param outcome a word that is also counted, such as {@code redriven}
     * @param detail more about it; null for nothing
     */
    void add(String id, String outcome, @Nullable String detail, boolean isLeftOpen) {
        counts.merge(outcome, 1L, Long::sum);
        leftOpen += isLeftOpen ? 1 : 0;
        if (json) {
            ObjectNode line =
                    JsonNodeFactory.instance.objectNode().put("id", id).put("outcome", outcome);
            if (detail != null) {
                line.put("detail", detail);
            }
            terminal.out().println(line);
        } else {
            String text = detail == null ? "" : ": " + DeadLetterText.printable(detail);
            terminal.out().println(outcome + " " + DeadLetterText.printable(id) + text);
        }
    }

    /** The counts of all, in one line. */
    void summarize() {
        if (json) {
            ObjectNode line = JsonNodeFactory.instance.objectNode();
            ObjectNode summary = line.putObject("summary");
            counts.forEach(summary::put);
            summary.put("left open", leftOpen);
            terminal.out().println(line);
            return;
        }
        String each = counts.entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey())
                .collect(Collectors.joining(", "));
        terminal.out().println(each.isEmpty() ? "There are none." : each + "; " + leftOpen + " left open.");
    }

    int exitCode() {
        return leftOpen == 0 ? Millrace.EXIT_OK : Millrace.EXIT_FAILED;
    }
}
