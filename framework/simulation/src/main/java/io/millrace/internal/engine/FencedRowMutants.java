package io.millrace.internal.engine;

import io.millrace.internal.item.Row;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Engines that break one rule each of how rows are changed, most of them of rows of stages without state. A comment says
 * which interleaving makes the result wrong. {@link EngineMutants} has those of cells.
 */
public final class FencedRowMutants {
    private FencedRowMutants() {}

    /**
     * A row's fence is one pair of a lane and a position. Wrong when two lanes change a row, and the first one's records are
     * delivered again or a zombie of it goes on: the row does not know them any more.
     */
    public static EngineRules onePairForAllLanes() {
        return new EngineRules() {
            @Override
            Fence rowFence(Fence before, Lane lane, Position last) {
                return Fence.of(Map.of(lane.fenceName(), last));
            }
        };
    }

    /**
     * A row's version is a counter. Wrong when a writer has read a stub, its time to live takes it, another lane makes the row
     * anew and comes to the same number, and the first one writes: the other's change is gone.
     */
    public static EngineRules rowVersionAsCounter() {
        return new EngineRules() {
            @Override
            String rowVersion(StoredRow before, Supplier<String> nonces) {
                return before.version() == null ? "1" : Long.toString(Long.parseLong(before.version()) + 1);
            }
        };
    }

    /**
     * A row's fence counts for no generation. Wrong when a batch that is delivered again goes on behind what the row has
     * absorbed, or another lane puts the row: it takes away the entries that do not count.
     */
    public static EngineRules rowFenceNeverCounted() {
        return new EngineRules() {
            @Override
            boolean isFenceCounted(long writtenBy, long generation) {
                return false;
            }
        };
    }

    /** Of several changes of a row in one write the last one stays. Wrong when it is a set behind a put, or behind a set. */
    public static EngineRules lastChangeOnly() {
        return new EngineRules() {
            @Override
            Row merged(Row earlier, Row later) {
                return later;
            }
        };
    }

    /** A set behind a delete stays a set. Wrong when the row was there: what it was is not deleted. */
    public static EngineRules setBehindDeleteStaysSet() {
        return new EngineRules() {
            @Override
            Row merged(Row earlier, Row later) {
                return earlier.action() == Row.Action.DELETE ? later : super.merged(earlier, later);
            }
        };
    }
}
