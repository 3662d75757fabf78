package io.millrace.simulation;

import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.engine.TimerItems;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import io.millrace.time.WatermarkStrategy;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * An account's cell in a seed with event time, read without the code that wrote it.
 *
 * @param windows what each window holds, by its name
 */
record StoredStatements(SortedMap<String, Statement> windows, SortedSet<Timer> timers) {
    /** The state that holds the windows, as the windows' own operator names it, too. */
    static final String WINDOWS = "windows";

    private static final Serde<Statement> STATEMENTS = Json.of(Statement.class);

    static StoredStatements of(Map<String, AttributeValue> cell) {
        SortedMap<String, Statement> windows = new TreeMap<>();
        SortedSet<Timer> timers = new TreeSet<>();
        try {
            AttributeValue stored =
                    Objects.requireNonNull(cell.get(CellItems.STATE)).m().get(WINDOWS);
            if (stored != null) {
                for (Map.Entry<String, AttributeValue> window : stored.m().entrySet()) {
                    windows.put(
                            window.getKey(),
                            STATEMENTS.deserialize(window.getValue().s().getBytes(StandardCharsets.UTF_8)));
                }
            }
            AttributeValue storedTimers = cell.get(TimerItems.TIMERS);
            if (storedTimers != null) {
                for (String timer : storedTimers.m().keySet()) {
                    timers.add(TimerItems.parse(timer));
                }
            }
        } catch (Exception e) {
            throw new BrokenRule(
                    Rules.ABSORBED_ONCE,
                    Audit.text(cell, CellItems.KEY),
                    "the windows or timers of " + cell + " cannot be read: " + e);
        }
        return new StoredStatements(windows, timers);
    }

    /** The watermark of a cell; none for a cell that is not there. */
    static long watermarkOf(@Nullable Map<String, AttributeValue> cell) {
        AttributeValue watermark = cell == null ? null : cell.get(TimerItems.WATERMARK);
        return watermark == null ? WatermarkStrategy.NO_WATERMARK : Long.parseLong(watermark.n());
    }

    boolean isEmpty() {
        return windows.isEmpty() && timers.isEmpty();
    }

    @Override
    public String toString() {
        return windows + " with the timers "
                + timers.stream().map(TimerItems::text).toList();
    }
}
