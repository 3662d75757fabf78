package io.millrace.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What happens in a simulation: each step for a trace, and the events of each account and lane for who wants to understand
 * a violation. Words cost time, so they are made only if somebody wants them.
 */
final class History {
    /** The most events that are told of one account or lane: the last ones. */
    private static final int EVENTS_TOLD_MAX = 60;

    private final VirtualClock clock;
    private final boolean kept;
    private final @Nullable Consumer<String> trace;
    private final Map<String, List<String>> events = new HashMap<>();
    private int step;

    /**
     * @param kept whether the events of accounts and lanes are kept
     * @param trace gets each step; null for nobody
     */
    History(VirtualClock clock, boolean kept, @Nullable Consumer<String> trace) {
        this.clock = clock;
        this.kept = kept;
        this.trace = trace;
    }

    void step(int newStep) {
        step = newStep;
    }

    int step() {
        return step;
    }

    /** Tells what happens, if a trace is wanted. */
    void trace(Supplier<String> what) {
        if (trace != null) {
            trace.accept(line(what));
        }
    }

    /** Tells an event of an account or lane, and keeps it. */
    void note(String subject, Supplier<String> what) {
        if (kept) {
            events.computeIfAbsent(subject, none -> new ArrayList<>()).add(line(what));
        }
        trace(what);
    }

    private String line(Supplier<String> what) {
        return "step " + step + ", +" + clock.elapsed().toMillis() + " ms: " + what.get();
    }

    /** The last events of an account or lane. */
    List<String> of(String subject) {
        List<String> all = events.getOrDefault(subject, List.of());
        return all.subList(Math.max(0, all.size() - EVENTS_TOLD_MAX), all.size());
    }
}
