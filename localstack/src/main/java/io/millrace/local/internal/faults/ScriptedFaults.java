package io.millrace.local.internal.faults;

import io.millrace.local.Fault;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Faults by rules: the n-th to m-th request of an operation meets a fault. */
public final class ScriptedFaults implements FaultChooser {
    /** Requests are counted from 1 per operation; the first rule that matches decides. */
    public record Rule(String operation, int first, int last, Fault fault) {}

    private final List<Rule> rules;
    private final Map<String, Integer> counts = new HashMap<>();

    public ScriptedFaults(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    @Override
    public synchronized @Nullable Fault choose(String operation) {
        int number = counts.merge(operation, 1, Integer::sum);
        for (Rule rule : rules) {
            if (rule.operation().equals(operation) && rule.first() <= number && number <= rule.last()) {
                return rule.fault();
            }
        }
        return null;
    }

    /** Scripts choose nothing at random: always the last of the possibilities. */
    @Override
    public int nextInt(int bound) {
        return bound - 1;
    }
}
