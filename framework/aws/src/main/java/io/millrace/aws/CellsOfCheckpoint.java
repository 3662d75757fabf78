package io.millrace.aws;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.internal.checkpoint.CheckpointedCells;
import io.millrace.internal.engine.CellKey;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cells that a checkpoint has kept. */
record CellsOfCheckpoint(CheckpointedCells cells) implements CellSource {
    @Override
    public String place() {
        return cells.place();
    }

    @Override
    public long generation() {
        return cells.generation();
    }

    @Override
    public List<String> stages(long generation) {
        return cells.stages();
    }

    @Override
    public Iterator<ObjectNode> items(@Nullable String stage) {
        return cells.items(stage);
    }

    @Override
    public @Nullable ObjectNode item(CellKey key) {
        return cells.item(key);
    }
}
