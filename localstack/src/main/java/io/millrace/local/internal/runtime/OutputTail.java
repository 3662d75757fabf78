package io.millrace.local.internal.runtime;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines that a process wrote. Thread-safe. */
final class OutputTail {
    static final int LINES_MAX = 20;
    static final int LINE_CHARACTERS_MAX = 400;

    private final Deque<String> lines = new ArrayDeque<>();

    synchronized void add(String line) {
        if (lines.size() == LINES_MAX) {
            lines.remove();
        }
        lines.add(line.length() <= LINE_CHARACTERS_MAX ? line : line.substring(0, LINE_CHARACTERS_MAX) + "...");
    }

    synchronized String text() {
        return String.join("\n", lines);
    }
}
