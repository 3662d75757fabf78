package io.millrace.simulation;

import java.util.List;

/**
 * A rule of the protocol that a simulation has seen broken.
 *
 * @param step at which step of the simulation
 * @param rule the rule, as the protocol page names it
 * @param what what is wrong
 * @param history what happened before to the cell or lane that shows it, one event a line
 */
public record Violation(long seed, int step, String rule, String what, List<String> history) {
    public Violation {
        history = List.copyOf(history);
    }

    /** Several lines: seed, step, rule, what is wrong, the history. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append("seed ").append(seed).append(", step ").append(step).append(": ");
        text.append(rule).append("\n  ").append(what);
        if (!history.isEmpty()) {
            text.append("\n  what happened before:");
            history.forEach(line -> text.append("\n    ").append(line));
        }
        return text.toString();
    }
}
