package io.millrace.internal.engine;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a cell has absorbed: for each lane the highest position. It only ever rises. Immutable. */
public final class Fence {
    /** The fence of a cell that has absorbed nothing. */
    public static final Fence EMPTY = new Fence(new TreeMap<>());

    private final SortedMap<String, Position> positions;

    private Fence(SortedMap<String, Position> positions) {
        this.positions = Collections.unmodifiableSortedMap(positions);
    }

    /** A fence as stored: lanes by their {@link Lane#fenceName}. */
    public static Fence of(Map<String, Position> positions) {
        return positions.isEmpty() ? EMPTY : new Fence(new TreeMap<>(positions));
    }

    /** The highest position absorbed from a lane, or null. */
    public @Nullable Position at(Lane lane) {
        return positions.get(lane.fenceName());
    }

    /** Whether a record of this position is absorbed already. */
    public boolean covers(Lane lane, Position position) {
        Position highest = at(lane);
        return highest != null && highest.compareTo(position) >= 0;
    }

    /** This fence with a lane raised. */
    Fence raisedTo(Lane lane, Position position) {
        if (covers(lane, position)) {
            throw new IllegalStateException("The fence of lane " + lane + " would go back to " + position + ".");
        }
        SortedMap<String, Position> raised = new TreeMap<>(positions);
        raised.put(lane.fenceName(), position);
        return new Fence(raised);
    }

    /** The entries, by lane. */
    public SortedMap<String, Position> positions() {
        return positions;
    }

    @Override
    public String toString() {
        return positions.toString();
    }
}
