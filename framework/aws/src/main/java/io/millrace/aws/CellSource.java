package io.millrace.aws;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.engine.CellKey;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link StateReader} takes cells from, as the items that they are stored as: the live tables, or a copy of them.
 * Thread-safe; the iterators are not.
 */
interface CellSource {
    /** What it is, in words that end a sentence: {@code in the table orders-state}. */
    String place();

    /**
     * The generation of the cells that are meant if none is named.
     *
     * @throws MillraceException if there is nothing of the pipeline here
     */
    long generation();

    /** The stages that have processed anything in a generation, also those that keep no cells. */
    List<String> stages(long generation);

    /**
     * The items, read as they are asked for, in bounded memory and in any order. They may be of several generations.
     *
     * @param stage the stage whose items are wanted; null for those of all
     */
    Iterator<ObjectNode> items(@Nullable String stage);

    /** The item under a cell's partition key; null if there is none. */
    @Nullable
    ObjectNode item(CellKey key);
}
