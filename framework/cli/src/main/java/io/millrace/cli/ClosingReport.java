package io.millrace.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tells what became of each dead letter, and at the end of all of them. Not thread-safe. */
final class ClosingReport {
    private final Terminal terminal;
    private final boolean json;
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private long leftOpen;
    private boolean allKnown = true;

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

    /** Tells of an id that no dead letter has, so that nothing is left open. */
    void addUnknown(String id) {
        add(id, "unknown", null, false);
        allKnown = false;
    }

    /** Closes some, one after the other; what was done is summarized also if that ends with an error. */
    int closeEach(Iterator<String> ids, Consumer<String> closing) {
        boolean ended = false;
        try {
            ids.forEachRemaining(closing);
            ended = true;
        } finally {
            summarize(ended);
        }
        return leftOpen == 0 && allKnown ? Millrace.EXIT_OK : Millrace.EXIT_FAILED;
    }

    /** The counts of all, in one line. */
    private void summarize(boolean ended) {
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
        if (!each.isEmpty()) {
            terminal.out().println(each + "; " + leftOpen + " left open.");
        } else if (ended) {
            terminal.out().println("There are none.");
        }
    }
}
