package io.millrace.internal.engine;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One key of one stage: its state values, its fence and its version. One DynamoDB item, changed as a whole. Immutable.
 *
 * @param version the nonce of the write that made it; null for a cell that is not there
 * @param redrives the redrives that it has absorbed, which its fence does not know
 * @param time its timers and its watermark
 * @param compressed the states as they are stored, if they are stored compressed; nobody may write into it
 */
public record Cell(
        CellKey key,
        @Nullable String version,
        Fence fence,
        Map<String, StoredState> states,
        DoneRedrives redrives,
        CellTime time,
        byte @Nullable [] compressed) {

    /** A cell that has absorbed no redrive and has no timers, and whose states are stored plain. */
    public Cell(CellKey key, @Nullable String version, Fence fence, Map<String, StoredState> states) {
        this(key, version, fence, states, DoneRedrives.NONE, CellTime.NONE, null);
    }

    /** A cell that is not there yet. */
    public static Cell absent(CellKey key) {
        return new Cell(key, null, Fence.EMPTY, Map.of());
    }

    /**
     * This cell with another version and fence. Its states are stored again as they were, to the byte: another Java may
     * compress worse, and a cell that is full must still be able to move its fence.
     */
    Cell withFence(String newVersion, Fence newFence) {
        return new Cell(key, newVersion, newFence, states, redrives, time, compressed);
    }

    /** This cell with another version and other timers; its states to the byte as they were, for the same reason. */
    Cell withTime(String newVersion, CellTime newTime) {
        return new Cell(key, newVersion, fence, states, redrives, newTime, compressed);
    }

    /** This cell as a restore copies it: under another generation, and otherwise as it was. */
    public Cell inGeneration(long generation) {
        CellKey newKey = new CellKey(key.stage(), key.key(), generation);
        return new Cell(newKey, version, fence, states, redrives, time, compressed);
    }

    /** This cell without the redrives that may be forgotten. */
    public Cell withoutRedrivesUntil(Instant now) {
        return new Cell(key, version, fence, states, redrives.after(now), time, compressed);
    }

    /** Whether it keeps neither state nor timers any more, only its fence. */
    public boolean isTombstone() {
        return states.isEmpty() && time.timers().isEmpty();
    }
}
