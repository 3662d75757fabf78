package io.millrace.internal.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.ItemJson;
import io.millrace.internal.item.ItemSize;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The compressed form of all states of a cell: gzip over their DynamoDB JSON, one binary attribute where the map would
 * be. All states together compress best; the format names itself, checks itself, and {@code gunzip} shows it. The same
 * states give the same bytes, in one version of Java.
 */
final class CompressedStates {
    /**
     * The largest item that is never compressed, so that anyone can read it: at most one write unit could be saved. The
     * guide "State" has the measured break-even, which lies below.
     */
    static final int PLAIN_BYTES_MAX = 2 * ItemSize.WRITE_UNIT_BYTES;

    /** The most that states may take before compression: ten items' worth, which memory must hold for each cell. */
    static final int INFLATED_BYTES_MAX = 10 * ItemSize.ITEM_BYTES_MAX;

    private CompressedStates() {}

    /** The compressed form, or null if the states are too large for it. */
    static byte @Nullable [] deflate(ObjectNode states) {
        byte[] inflated = ItemJson.write(states);
        if (inflated.length > INFLATED_BYTES_MAX) {
            return null;
        }
        ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(deflated)) {
            out.write(inflated);
        } catch (IOException e) {
            throw new UncheckedIOException("an array in memory does no I/O", e);
        }
        return deflated.toByteArray();
    }

    /**
     * The states of a compressed form.
     *
     * @param cell what an error names
     * @throws IOException if it is none, or is damaged
     * @throws UnreadableStateException if it holds more than {@link #INFLATED_BYTES_MAX}; no more than that is inflated
     */
    static ObjectNode inflate(CellKey cell, byte[] deflated) throws IOException {
        byte[] inflated;
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(deflated))) {
            inflated = in.readNBytes(INFLATED_BYTES_MAX + 1);
        }
        if (inflated.length > INFLATED_BYTES_MAX) {
            throw new UnreadableStateException(
                    "The cell " + CellItems.partitionKey(cell) + " cannot be read: its state, " + deflated.length
                            + " bytes compressed, takes more than " + INFLATED_BYTES_MAX
                            + " bytes, the most that Millrace writes. Was its item written by something else?",
                    null);
        }
        return ItemJson.read(inflated);
    }
}
