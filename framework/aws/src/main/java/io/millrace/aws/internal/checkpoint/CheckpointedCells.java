package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.aws.internal.Items;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The cells of a checkpoint, as the items that they were. Thread-safe; the iterators are not. */
public final class CheckpointedCells {
    private final CheckpointFiles files;
    private final String idOrSavepoint;

    /** Of a checkpoint by its id, or a savepoint by its name. Sends no request yet. */
    public CheckpointedCells(CheckpointFiles files, String idOrSavepoint) {
        this.files = files;
        this.idOrSavepoint = idOrSavepoint;
    }

    /** What it is, in words that end a sentence. */
    public String place() {
        return "in the checkpoint " + idOrSavepoint;
    }

    private Manifest manifest() {
        return CheckpointRuns.find(files, idOrSavepoint)
                .orElseThrow(() -> new MillraceException("There is no complete checkpoint or savepoint '"
                        + idOrSavepoint + "'; there are " + files.ids() + "."))
                .manifest();
    }

    /** The generation that it was made of. */
    public long generation() {
        return manifest().cut().generation();
    }

    /** The stages that had processed anything. */
    public List<String> stages() {
        return List.copyOf(manifest().cut().stages().keySet());
    }

    /** The items, an object in memory at a time, each proven to be what was written. */
    public Iterator<ObjectNode> items(@Nullable String stage) {
        Manifest manifest = manifest();
        return new Walk(new PartReader(files, manifest.cut().id()), cellParts(manifest), stage);
    }

    private static Iterator<Manifest.Part> cellParts(Manifest manifest) {
        return manifest.parts().stream()
                .filter(part -> part.table() == Manifest.ItemKind.CELLS)
                .iterator();
    }

    /** The item under a cell's partition key, for which all objects may have to be read; null if there is none. */
    public @Nullable ObjectNode item(CellKey key) {
        String wanted = CellItems.partitionKey(key);
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(items(key.stage()), Spliterator.NONNULL), false)
                .filter(item -> item.path(CellItems.PARTITION_KEY).asText().equals(wanted))
                .findFirst()
                .orElse(null);
    }

    /** The items of a stage, object by object. Not thread-safe. */
    private static final class Walk implements Iterator<ObjectNode> {
        private final PartReader reader;
        private final Iterator<Manifest.Part> parts;
        private final @Nullable String stage;
        private Iterator<Map<String, AttributeValue>> part =
                List.<Map<String, AttributeValue>>of().iterator();
        private @Nullable ObjectNode next;

        Walk(PartReader reader, Iterator<Manifest.Part> parts, @Nullable String stage) {
            this.reader = reader;
            this.parts = parts;
            this.stage = stage;
        }

        @Override
        public boolean hasNext() {
            while (next == null && (part.hasNext() || parts.hasNext())) {
                if (!part.hasNext()) {
                    part = reader.items(parts.next());
                } else {
                    ObjectNode item = Items.fromAttributes(part.next());
                    boolean isWanted = stage == null
                            || item.path(CellItems.PARTITION_KEY).asText().startsWith(stage + "#");
                    next = isWanted ? item : null;
                }
            }
            return next != null;
        }

        @Override
        public ObjectNode next() {
            ObjectNode item = hasNext() ? next : null;
            if (item == null) {
                throw new NoSuchElementException("there are no more cells");
            }
            next = null;
            return item;
        }
    }
}
