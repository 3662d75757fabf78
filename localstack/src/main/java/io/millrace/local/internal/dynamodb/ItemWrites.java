package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** PutItem, UpdateItem and DeleteItem. */
final class ItemWrites {
    private static final List<String> RETURN_VALUES =
            List.of("NONE", "ALL_NEW", "UPDATED_OLD", "ALL_OLD", "UPDATED_NEW");

    private final TableStore store;
    private final ExpressionCache cache;
    private final CapacityMeter meter;

    ItemWrites(TableStore store, ExpressionCache cache, CapacityMeter meter) {
        this.store = store;
        this.cache = cache;
        this.meter = meter;
    }

    ObjectNode write(WriteAction.Kind kind, Request request) {
        String returnValues = request.choice("ReturnValues", RETURN_VALUES);
        if (kind != WriteAction.Kind.UPDATE && !returnValues.equals("NONE") && !returnValues.equals("ALL_OLD")) {
            throw ServiceErrors.validation("ReturnValues can only be ALL_OLD or NONE");
        }
        CapacityReport capacity = new CapacityReport(request, CapacityReport.Direction.WRITE, meter);
        WriteAction action = WriteAction.read(kind, request, cache);
        Change change = carryOut(action, capacity);
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        MapValue returned = returned(returnValues, action, change);
        if (returned != null) {
            response.set("Attributes", ValueWriter.item(returned));
        }
        capacity.writeSingleTo(response);
        return response;
    }

    private Change carryOut(WriteAction action, CapacityReport capacity) {
        return store.locked(() -> {
            Table table = store.table(action.tableName());
            WriteAction.Plan plan = action.plan(table);
            if (plan instanceof WriteAction.Refused refused) {
                int sizeBytes = refused.item() == null ? 0 : refused.item().itemSizeBytes();
                capacity.add(table.name(), new CapacityUnits().addTable(CapacityUnits.writes(sizeBytes)));
                throw ServiceErrors.conditionFailed(action.returnItem() ? refused.item() : null);
            }
            Change change = ((WriteAction.Ready) plan).change();
            capacity.add(table.name(), store.apply(table, change));
            return change;
        });
    }

    private static @Nullable MapValue returned(String returnValues, WriteAction action, Change change) {
        MapValue returned = switch (returnValues) {
            case "ALL_OLD" -> change.before();
            case "ALL_NEW" -> change.after();
            case "UPDATED_OLD" -> updated(action, change.before());
            case "UPDATED_NEW" -> updated(action, change.after());
            default -> null;
        };
        return returned == null || returned.count() == 0 ? null : returned;
    }

    private static @Nullable MapValue updated(WriteAction action, @Nullable MapValue item) {
        UpdateExpression update = action.update();
        return item == null || update == null ? null : new Projection(update.paths()).of(item);
    }
}
