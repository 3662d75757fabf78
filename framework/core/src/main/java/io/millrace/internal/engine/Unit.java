package io.millrace.internal.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.Row;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What must commit together: a cell's new content and the rows and dead letters that came with it.
 *
 * @param before the cell that it was computed from
 * @param after the cell as it shall be
 * @param item the item of {@code after}
 * @param expiry from when on {@code after} is as good as a tombstone, which it can be already; null for never
 * @param stream the stream whose records made the cell, as far as it is one
 * @param progress how far it moves the fence; null if it does not, as of timers alone or of a redrive
 * @param records how many records are in it
 * @param timers the timers that fired in it, in their order
 * @param late how many elements in it were too late for all their windows, and dropped
 * @param repetitions how many elements in it were dropped since their producer had repeated them
 */
public record Unit(
        String stream,
        @Nullable Progress progress,
        Cell before,
        Cell after,
        ObjectNode item,
        @Nullable Instant expiry,
        int records,
        List<Timer> timers,
        int late,
        int repetitions,
        List<Row> rows,
        List<DeadLetter> deadLetters) {
    /** A lane's last record in a unit, up to which the unit raises the fence. */
    public record Progress(Lane lane, Position last) {}

    /** DynamoDB's limit for the actions of a transaction. */
    public static final int ACTIONS_MAX = 100;

    /** The size of the cell's item, as DynamoDB counts it. */
    public int cellBytes() {
        return ItemSize.of(item);
    }

    /** What of it the fence takes. */
    public int fenceBytes() {
        return CellItems.fenceBytes(item);
    }
}
