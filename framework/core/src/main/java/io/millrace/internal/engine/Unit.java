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
 * @param last the last record in it
 * @param records how many records are in it
 * @param repetitions how many elements in it were dropped since their producer had repeated them
 */
public record Unit(
        Lane lane,
        Cell before,
        Cell after,
        ObjectNode item,
        @Nullable Instant expiry,
        Position last,
        int records,
        int repetitions,
        List<Row> rows,
        List<DeadLetter> deadLetters) {
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
