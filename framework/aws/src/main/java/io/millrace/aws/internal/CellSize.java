package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.BatchReport.Maximum;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.item.ItemSize;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How large a cell has become that was written: two metrics, and a warning while there is room left to act.
 *
 * @param cellBytes the item, as DynamoDB counts it
 * @param fenceBytes what of it the fence takes
 */
record CellSize(String key, int cellBytes, int fenceBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(CellSize.class);

    private static final int WARNING_PERCENT = 80;

    /** A cell above this size is reported by a warning. */
    static final int UNWARNED_BYTES_MAX = ItemSize.ITEM_BYTES_MAX / 100 * WARNING_PERCENT;

    /** How many cells are warned of in one invocation; the report counts all. */
    static final int WARNINGS_MAX = 5;

    /** The larger sizes of two writes of one cell. */
    CellSize orLarger(CellSize other) {
        return new CellSize(key, Math.max(cellBytes, other.cellBytes), Math.max(fenceBytes, other.fenceBytes));
    }

    /** Adds the size to what an invocation reports, and warns of a large cell if it has not warned too often. */
    void addTo(BatchReport report, String pipeline) {
        report.raise(Maximum.CELL_BYTES, cellBytes);
        report.raise(Maximum.FENCE_BYTES, fenceBytes);
        if (cellBytes > UNWARNED_BYTES_MAX) {
            report.add(Count.LARGE_CELLS, 1);
            if (report.get(Count.LARGE_CELLS) <= WARNINGS_MAX) {
                warn(report, pipeline);
            }
        }
    }

    /** The key itself may be personal data; its hash finds the cell for who knows the key. */
    private void warn(BatchReport report, String pipeline) {
        LOG.atWarn()
                .addKeyValue("pipeline", pipeline)
                .addKeyValue("stage", report.stage())
                .addKeyValue("lane", report.lane())
                .addKeyValue("keyHash", CellItems.sha256(key))
                .addKeyValue("cellBytes", cellBytes)
                .addKeyValue("fenceBytes", fenceBytes)
                .addKeyValue("cellBytesMax", ItemSize.ITEM_BYTES_MAX)
                .log("A cell takes more than " + WARNING_PERCENT + " % of what DynamoDB allows an item. A record that"
                        + " takes it over the limit fails for good. Keep less a key, or divide the key.");
    }
}
