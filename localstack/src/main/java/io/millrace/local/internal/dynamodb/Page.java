package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The page that a query or scan fills: it is full after {@link PageRequest#limit} items or before the item that would take
 * it over 1 MB, both counted before the filter. A page that ends at its limit names a last key even if nothing follows,
 * as DynamoDB's do.
 */
final class Page {
    static final int BYTES_MAX = 1_024 * 1_024;

    private final PageRequest request;
    private final List<MapValue> matches = new ArrayList<>();
    private int scanned;
    private long bytes;
    private @Nullable MapValue last;
    private boolean full;

    Page(PageRequest request) {
        this.request = request;
    }

    /** Takes the next item, or answers false when the page was full before it. */
    boolean take(MapValue item) {
        Integer limit = request.limit();
        boolean overLimit = limit != null && scanned >= limit;
        if (overLimit || (scanned > 0 && bytes + item.itemSizeBytes() > BYTES_MAX)) {
            full = true;
            return false;
        }
        scanned++;
        bytes += item.itemSizeBytes();
        last = item;
        full = limit != null && scanned == limit;
        Condition filter = request.filter();
        if (filter == null || ConditionEvaluator.test(filter, item)) {
            matches.add(item);
        }
        return true;
    }

    boolean isFull() {
        return full;
    }

    double units() {
        return CapacityUnits.reads(bytes, request.consistency());
    }

    /** Writes the page; the last key is made of the named attributes of the last item that was looked at. */
    ObjectNode document(List<String> keyNames) {
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        response.put("Count", matches.size());
        response.put("ScannedCount", scanned);
        if (!request.countsOnly()) {
            ReadAction action = new ReadAction(request.projection(), request.consistency());
            ArrayNode items = response.putArray("Items");
            matches.forEach(item -> items.add(action.document(item)));
        }
        if (full && last != null) {
            response.set("LastEvaluatedKey", ValueWriter.item(last.only(keyNames)));
        }
        return response;
    }
}
