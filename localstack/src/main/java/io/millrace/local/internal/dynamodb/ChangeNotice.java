package io.millrace.local.internal.dynamodb;

import io.millrace.local.ItemChange;
import io.millrace.local.ItemChangeListener;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Gathers what a request changes and tells the listener when the request is done. Without a listener it does nothing, and
 * no item is converted. Guarded by the lock of the {@link TableStore}.
 */
final class ChangeNotice {
    private final @Nullable ItemChangeListener listener;
    private List<ItemChange> gathered = new ArrayList<>();

    ChangeNotice(@Nullable ItemChangeListener listener) {
        this.listener = listener;
    }

    void add(Table table, Change change, boolean expired) {
        boolean nothingThere = change.before() == null && change.after() == null;
        if (listener != null && !nothingThere) {
            gathered.add(new ItemChange(table.name(), item(change.before()), item(change.after()), expired));
        }
    }

    private static @Nullable Map<String, AttributeValue> item(@Nullable MapValue item) {
        return item == null ? null : SdkValues.item(item);
    }

    /** Tells what was gathered since the last call, if anything. */
    void send() {
        if (listener != null && !gathered.isEmpty()) {
            List<ItemChange> changes = Collections.unmodifiableList(gathered);
            gathered = new ArrayList<>();
            listener.onChanges(changes);
        }
    }
}
