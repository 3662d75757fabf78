package io.millrace.internal.engine;

import io.millrace.TimeDomain;
import io.millrace.time.WatermarkStrategy;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A cell's part in time: its timers, and how far they have fired. Immutable.
 *
 * @param timers each with how often it was tried and threw
 * @param watermark the highest one at which the cell's timers have fired, by which what comes later is late too
 */
public record CellTime(SortedMap<Timer, Integer> timers, long watermark) {
    /** No timers, and no watermark. */
    public static final CellTime NONE = new CellTime(new TreeMap<>(), WatermarkStrategy.NO_WATERMARK);

    public CellTime {
        timers = Collections.unmodifiableSortedMap(timers);
    }

    /** The timers that are due, in the order in which they fire: those of event time first. */
    List<Timer> due(StageTime time) {
        return timers.keySet().stream().filter(time::isDue).toList();
    }

    /** When the first timer of a domain is due; null if there is none. */
    public @Nullable Long firstDue(TimeDomain domain) {
        return timers.keySet().stream()
                .filter(timer -> timer.domain() == domain)
                .map(Timer::time)
                .findFirst()
                .orElse(null);
    }

    /** How often a timer was tried and threw. */
    public int attempts(Timer timer) {
        return timers.getOrDefault(timer, 0);
    }

    /** These timers, one of them tried once more. */
    CellTime withFailure(Timer timer) {
        SortedMap<Timer, Integer> tried = new TreeMap<>(timers);
        tried.merge(timer, 1, Integer::sum);
        return new CellTime(tried, watermark);
    }

    /** These timers and one more. */
    CellTime with(Timer timer) {
        SortedMap<Timer, Integer> more = new TreeMap<>(timers);
        more.putIfAbsent(timer, 0);
        return new CellTime(more, watermark);
    }

    /** These timers without one. */
    CellTime without(Timer timer) {
        SortedMap<Timer, Integer> left = new TreeMap<>(timers);
        left.remove(timer);
        return new CellTime(left, watermark);
    }

    /** These timers' places in a map's order. */
    static SortedMap<Timer, Integer> copyOf(Map<Timer, Integer> timers) {
        return new TreeMap<>(timers);
    }
}
