package io.millrace.simulation;

import io.millrace.TimeDomain;
import io.millrace.internal.engine.Timer;
import io.millrace.window.TimeWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an account's cell must hold in a seed with event time: its windows and timers, by what was absorbed and what has
 * fired, one by one in the order of the commits. It knows what windows are, and nothing of the code that makes them.
 */
final class StatementModel {
    private final String account;
    private final StatementScenario times;
    private final Map<SentLane, SentRecord> absorbedTo = new HashMap<>();
    private SortedMap<TimeWindow, Statement> windows = new TreeMap<>();
    private TreeSet<Timer> timers = new TreeSet<>();

    StatementModel(String account, StatementScenario times) {
        this.account = account;
        this.times = times;
    }

    /** The tumbling window of a time. */
    static TimeWindow tumbling(long time, Duration size) {
        long start = Math.floorDiv(time, size.toMillis()) * size.toMillis();
        return new TimeWindow(start, start + size.toMillis());
    }

    /** The last record that it has absorbed of a lane, whether its cell remembers or not; null for none. */
    @Nullable
    SentRecord absorbedTo(SentLane lane) {
        return absorbedTo.get(lane);
    }

    void absorbedTo(SentLane lane, SentRecord record) {
        absorbedTo.put(lane, record);
    }

    /** The same windows and timers, to try something with. */
    StatementModel copy() {
        StatementModel copy = new StatementModel(account, times);
        copy.become(this);
        return copy;
    }

    /** Takes over the windows and timers of a copy. */
    void become(StatementModel copy) {
        windows = new TreeMap<>();
        copy.windows.forEach((window, statement) -> windows.put(window, statement.copy()));
        timers = new TreeSet<>(copy.timers);
    }

    /** The timers of a domain up to a time, in the order in which they fire. */
    List<Timer> due(TimeDomain domain, long upTo) {
        return timers.stream()
                .filter(timer -> timer.domain() == domain && timer.time() <= upTo)
                .toList();
    }

    /** Fires a timer, and adds the row that it must put out. */
    void fire(Timer timer, Map<String, StatementRow> rows) {
        if (!timers.remove(timer)) {
            return;
        }
        if (timer.domain() == TimeDomain.PROCESSING_TIME) {
            Statement open = new Statement();
            windows.values().forEach(open::post);
            put(StatementRow.ofTimer(account, timer.time(), open), rows);
            return;
        }
        TimeWindow window =
                timer.name().isEmpty() ? tumbling(timer.time(), times.size()) : TimeWindow.parse(timer.name());
        if (windows.containsKey(window)) {
            if (timer.time() == window.getEnd() - 1) {
                show(window, rows);
            }
            if (timer.time() == cleanupOf(window)) {
                windows.remove(window);
            }
        }
    }

    private void show(TimeWindow window, Map<String, StatementRow> rows) {
        put(StatementRow.ofWindow(account, window, Objects.requireNonNull(windows.get(window))), rows);
    }

    private static void put(StatementRow row, Map<String, StatementRow> rows) {
        rows.put(row.id(), row);
    }

    /** When a window is over, and forgotten. */
    private long cleanupOf(TimeWindow window) {
        return window.getEnd() - 1 + times.lateness().toMillis();
    }

    /**
     * Absorbs a record, and adds the rows that it must put out.
     *
     * @return the watermark from which on it is late; null if it is not late
     */
    @Nullable
    Long absorb(SentRecord record, long watermark, Map<String, StatementRow> rows) {
        Posting posting = Objects.requireNonNull(record.posting());
        long time = posting.eventTime();
        TimeWindow window = times.kind() == StatementScenario.Kind.SESSIONS
                ? new TimeWindow(time, time + times.size().toMillis())
                : tumbling(time, times.size());
        List<TimeWindow> met = times.kind() == StatementScenario.Kind.SESSIONS ? met(window, watermark) : List.of();
        for (TimeWindow other : met) {
            window = new TimeWindow(
                    Math.min(window.getStart(), other.getStart()), Math.max(window.getEnd(), other.getEnd()));
        }
        if (cleanupOf(window) <= watermark) {
            if (times.lateOutput()) {
                put(StatementRow.ofLate(account, posting.id(), posting.amountOf(account)), rows);
            }
            return cleanupOf(window);
        }
        Statement statement = windows.getOrDefault(window, new Statement());
        for (TimeWindow other : met) {
            if (!met.equals(List.of(window))) {
                timers.removeIf(timer -> timer.name().equals(other.toString()));
            }
            Statement part = Objects.requireNonNull(windows.remove(other));
            if (!other.equals(window)) {
                statement.post(part);
            }
        }
        statement.post(posting.id(), posting.amountOf(account));
        windows.put(window, statement);
        register(window, posting, watermark, rows);
        return null;
    }

    private void register(TimeWindow window, Posting posting, long watermark, Map<String, StatementRow> rows) {
        boolean byFunction = times.kind() == StatementScenario.Kind.TIMERS;
        String name = byFunction ? "" : window.toString();
        timers.add(new Timer(TimeDomain.EVENT_TIME, cleanupOf(window), name));
        if (byFunction) {
            timers.add(new Timer(TimeDomain.PROCESSING_TIME, posting.dueAt(), name));
        }
        if (window.getEnd() - 1 <= watermark) {
            show(window, rows);
        } else {
            timers.add(new Timer(TimeDomain.EVENT_TIME, window.getEnd() - 1, name));
        }
    }

    /**
     * The sessions that have a millisecond in common with a window, or touch it. One that is over, and whose timer has only not
     * fired yet, as before a redrive, meets nothing any more.
     */
    private List<TimeWindow> met(TimeWindow window, long watermark) {
        List<TimeWindow> met = new ArrayList<>();
        for (TimeWindow other : windows.keySet()) {
            boolean isOver = cleanupOf(other) <= watermark;
            if (!isOver && other.getStart() <= window.getEnd() && window.getStart() <= other.getEnd()) {
                met.add(other);
            }
        }
        return met;
    }

    /** What its cell must hold. */
    StoredStatements expected() {
        SortedMap<String, Statement> byName = new TreeMap<>();
        windows.forEach((window, statement) -> byName.put(window.toString(), statement));
        return new StoredStatements(byName, timers);
    }
}
