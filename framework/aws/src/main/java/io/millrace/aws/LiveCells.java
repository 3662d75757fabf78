package io.millrace.aws;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.internal.StateTable;
import io.millrace.internal.engine.CellKey;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cells that a pipeline works on. */
record LiveCells(StateTable table) implements CellSource {
    @Override
    public String place() {
        return "in the table " + table.name();
    }

    @Override
    public long generation() {
        return table.currentGeneration();
    }

    @Override
    public List<String> stages(long generation) {
        return table.stages(generation);
    }

    @Override
    public Iterator<ObjectNode> items(@Nullable String stage) {
        return table.items(stage);
    }

    @Override
    public @Nullable ObjectNode item(CellKey key) {
        return table.item(key);
    }
}
