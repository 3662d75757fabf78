package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** GetItem, BatchGetItem and BatchWriteItem. */
final class BatchOperations {
    static final int READ_KEYS_MAX = 100;
    static final int WRITES_MAX = 25;
    static final int READ_BYTES_MAX = 16 * 1_024 * 1_024;
    private static final String DUPLICATES_MESSAGE = "Provided list of item keys contains duplicates";
    private static final String REQUEST_ITEMS = "RequestItems";

    private final TableStore store;
    private final ExpressionCache cache;
    private final CapacityMeter meter;

    BatchOperations(TableStore store, ExpressionCache cache, CapacityMeter meter) {
        this.store = store;
        this.cache = cache;
        this.meter = meter;
    }

    ObjectNode getItem(Request request) {
        String tableName = request.tableName();
        CapacityReport capacity = new CapacityReport(request, CapacityReport.Direction.READ, meter);
        ReadAction action = ReadAction.read(request, cache);
        MapValue key = ValueReader.item(request.requiredObject("Key"));
        MapValue item = store.locked(() -> {
            Table table = store.table(tableName);
            return table.get(table.keys().ofRequest(key));
        });
        capacity.add(tableName, new CapacityUnits().addTable(action.units(item)));
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        if (item != null) {
            response.set("Item", action.document(item));
        }
        capacity.writeSingleTo(response);
        return response;
    }

    /** The keys that a batch wants of one table. */
    private record TableKeys(String tableName, Request request, ReadAction action, List<MapValue> keys) {}

    /** A key of a batch and what is there, or that it was left unprocessed. */
    private record Found(int index, @Nullable MapValue item, boolean processed) {}

    ObjectNode batchGetItem(Request request) {
        CapacityReport capacity = new CapacityReport(request, CapacityReport.Direction.READ, meter);
        List<TableKeys> wanted = readKeys(requestItems(request));
        List<List<Found>> found = store.locked(() -> find(wanted));
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        ObjectNode responses = response.putObject("Responses");
        ObjectNode unprocessed = response.putObject("UnprocessedKeys");
        for (int i = 0; i < wanted.size(); i++) {
            answer(wanted.get(i), found.get(i), responses, unprocessed, capacity);
        }
        capacity.writeListTo(response);
        return response;
    }

    private static ObjectNode requestItems(Request request) {
        ObjectNode items = request.requiredObject(REQUEST_ITEMS);
        if (items.isEmpty()) {
            throw ServiceErrors.constraint(
                    "'{}'", "requestItems", "Member must have length greater than or equal to 1");
        }
        return items;
    }

    private List<TableKeys> readKeys(ObjectNode items) {
        List<TableKeys> wanted = new ArrayList<>();
        int count = 0;
        for (Map.Entry<String, JsonNode> entry : items.properties()) {
            Request part = Request.part(entry.getValue());
            ArrayNode keys = part.requiredArray("Keys");
            if (keys.isEmpty()) {
                throw ServiceErrors.constraint(
                        "'[]'",
                        "requestItems." + entry.getKey() + ".member.keys",
                        "Member must have length greater than or equal to 1");
            }
            count += keys.size();
            if (count > READ_KEYS_MAX) {
                throw ServiceErrors.validation("Too many items requested for the BatchGetItem call");
            }
            wanted.add(new TableKeys(
                    Request.tableName(entry.getKey()),
                    part,
                    ReadAction.read(part, cache),
                    keys.valueStream().map(ValueReader::item).toList()));
        }
        return wanted;
    }

    private List<List<Found>> find(List<TableKeys> wanted) {
        List<List<StoredKey>> keys = new ArrayList<>();
        for (TableKeys part : wanted) {
            KeySchema schema = store.table(part.tableName()).keys();
            List<StoredKey> stored = part.keys().stream().map(schema::ofRequest).toList();
            if (new HashSet<>(stored).size() < stored.size()) {
                throw ServiceErrors.validation(DUPLICATES_MESSAGE);
            }
            keys.add(stored);
        }
        List<List<Found>> found = new ArrayList<>();
        long bytes = 0;
        boolean full = false;
        for (int i = 0; i < wanted.size(); i++) {
            Table table = store.table(wanted.get(i).tableName());
            List<Found> items = new ArrayList<>();
            for (int index = 0; index < keys.get(i).size(); index++) {
                MapValue item = full ? null : table.get(keys.get(i).get(index));
                bytes += item == null ? 0 : item.itemSizeBytes();
                full |= bytes > READ_BYTES_MAX;
                items.add(new Found(index, full ? null : item, !full));
            }
            found.add(items);
        }
        return found;
    }

    private static void answer(
            TableKeys part, List<Found> found, ObjectNode responses, ObjectNode unprocessed, CapacityReport capacity) {
        ArrayNode items = responses.putArray(part.tableName());
        ArrayNode left = JsonNodeFactory.instance.arrayNode();
        CapacityUnits units = new CapacityUnits();
        for (Found one : found) {
            if (!one.processed()) {
                left.add(ValueWriter.item(part.keys().get(one.index())));
                continue;
            }
            units.addTable(part.action().units(one.item()));
            if (one.item() != null) {
                items.add(part.action().document(one.item()));
            }
        }
        capacity.add(part.tableName(), units);
        if (!left.isEmpty()) {
            ObjectNode again = part.request().document().deepCopy();
            again.set("Keys", left);
            unprocessed.set(part.tableName(), again);
        }
    }

    ObjectNode batchWriteItem(Request request) {
        CapacityReport capacity = new CapacityReport(request, CapacityReport.Direction.WRITE, meter);
        List<WriteAction> actions = readWrites(requestItems(request));
        store.locked(() -> {
            List<Change> changes = planWrites(actions);
            for (int i = 0; i < actions.size(); i++) {
                Table table = store.table(actions.get(i).tableName());
                capacity.add(table.name(), store.apply(table, changes.get(i)));
            }
            return changes;
        });
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        response.putObject("UnprocessedItems");
        capacity.writeListTo(response);
        return response;
    }

    private static List<WriteAction> readWrites(ObjectNode items) {
        List<WriteAction> actions = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : items.properties()) {
            String tableName = Request.tableName(entry.getKey());
            if (!(entry.getValue() instanceof ArrayNode writes)) {
                throw ServiceErrors.serialization("Unexpected field type");
            }
            if (writes.isEmpty() || writes.size() > WRITES_MAX) {
                throw ServiceErrors.constraint(
                        "'{" + tableName + "=" + writes.size() + " requests}'",
                        "requestItems",
                        "Map value must satisfy constraint: [Member must have length less than or equal to "
                                + WRITES_MAX + ", Member must have length greater than or equal to 1]");
            }
            Request.parts(writes).forEach(write -> actions.add(readWrite(tableName, write)));
        }
        if (actions.size() > WRITES_MAX) {
            throw ServiceErrors.validation("Too many items requested for the BatchWriteItem call");
        }
        return actions;
    }

    private static WriteAction readWrite(String tableName, Request write) {
        Request put = write.part("PutRequest");
        Request delete = write.part("DeleteRequest");
        if (put != null && delete == null) {
            return WriteAction.unconditional(WriteAction.Kind.PUT, tableName, put);
        }
        if (delete != null && put == null) {
            return WriteAction.unconditional(WriteAction.Kind.DELETE, tableName, delete);
        }
        throw ServiceErrors.validation("Supplied AttributeValue has more than one datatypes set, must contain exactly "
                + "one of the supported datatypes");
    }

    /** A key of a table, by which a request is searched for repetitions. */
    private record Target(String tableName, StoredKey key) {}

    private List<Change> planWrites(List<WriteAction> actions) {
        Set<Target> targets = new HashSet<>();
        List<Change> changes = new ArrayList<>();
        for (WriteAction action : actions) {
            // Without a condition every valid action is ready.
            Change change = ((WriteAction.Ready) action.plan(store.table(action.tableName()))).change();
            if (!targets.add(new Target(action.tableName(), change.key()))) {
                throw ServiceErrors.validation(DUPLICATES_MESSAGE);
            }
            changes.add(change);
        }
        return changes;
    }
}
