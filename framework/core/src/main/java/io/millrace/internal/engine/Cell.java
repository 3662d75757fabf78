package io.millrace.internal.engine;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One key of one stage: its state values, its fence and its version. One DynamoDB item, changed as a whole. Immutable.
 *
 * @param version the nonce of the write that made it; null for a cell that is not there
 */
public record Cell(CellKey key, @Nullable String version, Fence fence, Map<String, StoredState> states) {

    /** A cell that is not there yet. */
    public static Cell absent(CellKey key) {
        return new Cell(key, null, Fence.EMPTY, Map.of());
    }

    /** Whether it keeps no state any more, only its fence. */
    public boolean isTombstone() {
        return states.isEmpty();
    }
}
