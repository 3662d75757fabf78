package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import io.millrace.local.internal.dynamodb.CapacityUnits.ReadConsistency;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * TransactWriteItems and TransactGetItems. A transaction runs alone under the lock of the store: all its actions are
 * planned against the tables as they are, and then all are applied or none. {@code TransactionConflict} and {@code
 * TransactionInProgressException} therefore cannot arise here; fault injection answers them.
 */
final class TransactionOperations {
    static final int ACTIONS_MAX = 100;
    static final int TRANSACTION_BYTES_MAX = 4 * 1_024 * 1_024;
    static final int TOKEN_LENGTH_MAX = 36;
    private static final String TRANSACT_ITEMS = "TransactItems";
    private static final String NO_FAILURE = "None";

    private final TableStore store;
    private final ExpressionCache cache;
    private final CapacityMeter meter;
    private final Clock clock;
    private final RequestTokens tokens = new RequestTokens();

    TransactionOperations(TableStore store, ExpressionCache cache, CapacityMeter meter, Clock clock) {
        this.store = store;
        this.cache = cache;
        this.meter = meter;
        this.clock = clock;
    }

    /** Why an action stands in the way of its transaction, in the words of its cancellation reason. */
    private record Reason(
            String code, @Nullable String message, @Nullable MapValue item) {
        static final Reason NONE = new Reason(NO_FAILURE, null, null);
    }

    /** A key of a table, by which a request is searched for repetitions. */
    private record Target(String tableName, StoredKey key) {}

    ObjectNode transactWriteItems(Request request) {
        ArrayNode items = transactItems(request);
        String token = request.text("ClientRequestToken");
        if (token != null && (token.isEmpty() || token.length() > TOKEN_LENGTH_MAX)) {
            throw ServiceErrors.constraint(
                    "'" + token + "'",
                    "clientRequestToken",
                    "Member must have length "
                            + (token.isEmpty() ? "greater than or equal to 1" : "less than or equal to 36"));
        }
        List<WriteAction> actions =
                Request.parts(items).stream().map(this::readWrite).toList();
        byte[] digest = token == null ? new byte[0] : RequestTokens.digest(items);
        CapacityReport writes = new CapacityReport(request, CapacityReport.Direction.TRANSACTIONAL_WRITE, meter);
        CapacityReport repeat = new CapacityReport(request, CapacityReport.Direction.TRANSACTIONAL_READ, meter);
        CapacityReport spent = store.locked(() -> {
            if (token != null && tokens.alreadySucceeded(token, digest, clock.instant())) {
                readAgain(actions, repeat);
                return repeat;
            }
            write(actions, writes);
            if (token != null) {
                tokens.succeeded(token, digest, clock.instant());
            }
            return writes;
        });
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        spent.writeListTo(response);
        return response;
    }

    private static ArrayNode transactItems(Request request) {
        ArrayNode items = request.requiredArray(TRANSACT_ITEMS);
        if (items.isEmpty() || items.size() > ACTIONS_MAX) {
            throw ServiceErrors.constraint(
                    "'[" + items.size() + " actions]'",
                    "transactItems",
                    "Member must have length "
                            + (items.isEmpty()
                                    ? "greater than or equal to 1"
                                    : "less than or equal to " + ACTIONS_MAX));
        }
        return items;
    }

    private WriteAction readWrite(Request item) {
        WriteAction action = null;
        for (WriteAction.Kind kind : WriteAction.Kind.values()) {
            Request part = item.part(memberOf(kind));
            if (part != null) {
                if (action != null) {
                    throw notExactlyOne();
                }
                action = WriteAction.read(kind, part, cache);
            }
        }
        if (action == null) {
            throw notExactlyOne();
        }
        if (action.kind() == WriteAction.Kind.UPDATE && action.update() == null) {
            throw ServiceErrors.constraint(
                    "null", "transactItems.member.update.updateExpression", "Member must not be null");
        }
        return action;
    }

    private static String memberOf(WriteAction.Kind kind) {
        return switch (kind) {
            case PUT -> "Put";
            case UPDATE -> "Update";
            case DELETE -> "Delete";
            case CHECK -> "ConditionCheck";
        };
    }

    private static AwsServiceException notExactlyOne() {
        return ServiceErrors.validation("TransactItems can only contain one of Check, Put, Update or Delete");
    }

    /** A repeated token costs reading the items instead of writing them. */
    private void readAgain(List<WriteAction> actions, CapacityReport capacity) {
        for (WriteAction action : actions) {
            Table table = store.table(action.tableName());
            MapValue item = table.get(action.key(table));
            int bytes = item == null ? 0 : item.itemSizeBytes();
            double units = CapacityUnits.reads(bytes, ReadConsistency.TRANSACTIONAL);
            capacity.add(table.name(), new CapacityUnits().addTable(units));
        }
    }

    private void write(List<WriteAction> actions, CapacityReport capacity) {
        requireNoItemTwice(actions);
        List<Reason> reasons = new ArrayList<>();
        List<Change> changes = new ArrayList<>();
        long bytes = 0;
        for (WriteAction action : actions) {
            Table table = store.table(action.tableName());
            try {
                WriteAction.Plan plan = action.plan(table);
                if (plan instanceof WriteAction.Ready ready) {
                    changes.add(ready.change());
                    bytes += action.transactionBytes(ready.change());
                    reasons.add(Reason.NONE);
                } else {
                    reasons.add(conditionFailed(action, (WriteAction.Refused) plan));
                }
            } catch (AwsServiceException e) {
                reasons.add(new Reason("ValidationError", e.getMessage(), null));
            }
        }
        requireSize(bytes);
        if (reasons.stream().anyMatch(reason -> !reason.code().equals(NO_FAILURE))) {
            actions.forEach(action -> countRefused(action, capacity));
            throw cancelled(reasons);
        }
        apply(actions, changes, capacity);
    }

    private void requireNoItemTwice(List<WriteAction> actions) {
        Set<Target> targets = new HashSet<>();
        for (WriteAction action : actions) {
            Table table = store.table(action.tableName());
            StoredKey key = validKey(action, table);
            if (key != null) {
                requireFirst(targets, new Target(table.name(), key));
            }
        }
    }

    /** The key of an action, or null if it is invalid: that becomes the reason of this action, later. */
    private static @Nullable StoredKey validKey(WriteAction action, Table table) {
        try {
            return action.key(table);
        } catch (AwsServiceException e) {
            return null;
        }
    }

    private static void requireSize(long bytes) {
        if (bytes > TRANSACTION_BYTES_MAX) {
            throw ServiceErrors.validation(
                    "Aggregate size of the items in the transaction exceeds the limit of 4 MB: " + bytes + " bytes");
        }
    }

    /** A cancelled transaction has consumed units too, but no response tells so: only the meter does. */
    private void countRefused(WriteAction action, CapacityReport capacity) {
        Table table = store.table(action.tableName());
        StoredKey key = validKey(action, table);
        MapValue item = key == null ? null : table.get(key);
        int bytes = Math.max(
                item == null ? 0 : item.itemSizeBytes(), action.document().itemSizeBytes());
        capacity.add(table.name(), new CapacityUnits().addTable(CapacityUnits.writes(bytes)));
    }

    private void apply(List<WriteAction> actions, List<Change> changes, CapacityReport capacity) {
        for (int i = 0; i < actions.size(); i++) {
            Table table = store.table(actions.get(i).tableName());
            Change change = changes.get(i);
            CapacityUnits units = actions.get(i).kind() == WriteAction.Kind.CHECK
                    ? new CapacityUnits().addTable(CapacityUnits.writes(change.costBytes()))
                    : store.apply(table, change);
            capacity.add(table.name(), units);
        }
    }

    private static Reason conditionFailed(WriteAction action, WriteAction.Refused refused) {
        return new Reason(
                "ConditionalCheckFailed",
                ServiceErrors.CONDITION_FAILED_MESSAGE,
                action.returnItem() ? refused.item() : null);
    }

    private static AwsServiceException cancelled(List<Reason> reasons) {
        ObjectNode members = JsonNodeFactory.instance.objectNode();
        ArrayNode list = members.putArray("CancellationReasons");
        for (Reason reason : reasons) {
            ObjectNode document = list.addObject().put("Code", reason.code());
            if (reason.message() != null) {
                document.put("Message", reason.message());
            }
            if (reason.item() != null) {
                document.set("Item", ValueWriter.item(reason.item()));
            }
        }
        List<String> codes = reasons.stream().map(Reason::code).toList();
        return new AwsServiceException(
                400,
                "TransactionCanceledException",
                "Transaction cancelled, please refer cancellation reasons for specific reasons " + codes,
                members);
    }

    /** A read of a transaction. */
    private record Get(
            String tableName, MapValue key, @Nullable Projection projection) {}

    ObjectNode transactGetItems(Request request) {
        CapacityReport capacity = new CapacityReport(request, CapacityReport.Direction.TRANSACTIONAL_READ, meter);
        List<Get> gets = Request.parts(transactItems(request)).stream()
                .map(this::readGet)
                .toList();
        List<@Nullable MapValue> items = store.locked(() -> find(gets));
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        ArrayNode responses = response.putArray("Responses");
        for (int i = 0; i < gets.size(); i++) {
            ReadAction action = new ReadAction(gets.get(i).projection(), ReadConsistency.TRANSACTIONAL);
            MapValue item = items.get(i);
            capacity.add(gets.get(i).tableName(), new CapacityUnits().addTable(action.units(item)));
            ObjectNode answer = responses.addObject();
            if (item != null) {
                answer.set("Item", action.document(item));
            }
        }
        capacity.writeListTo(response);
        return response;
    }

    private Get readGet(Request item) {
        Request get = item.part("Get");
        if (get == null) {
            throw ServiceErrors.constraint("null", "transactItems.member.get", "Member must not be null");
        }
        Bindings bindings = Bindings.of(get, List.of(ExpressionKind.PROJECTION));
        Projection projection = ReadAction.projection(get, bindings, cache);
        bindings.requireAllUsed();
        return new Get(get.tableName(), ValueReader.item(get.requiredObject("Key")), projection);
    }

    private List<@Nullable MapValue> find(List<Get> gets) {
        Set<Target> targets = new HashSet<>();
        List<@Nullable MapValue> items = new ArrayList<>();
        long bytes = 0;
        for (Get get : gets) {
            Table table = store.table(get.tableName());
            StoredKey key = table.keys().ofRequest(get.key());
            requireFirst(targets, new Target(table.name(), key));
            MapValue item = table.get(key);
            bytes += item == null ? 0 : item.itemSizeBytes();
            items.add(item);
        }
        requireSize(bytes);
        return items;
    }

    private static void requireFirst(Set<Target> targets, Target target) {
        if (!targets.add(target)) {
            throw ServiceErrors.validation("Transaction request cannot include multiple operations on one item");
        }
    }
}
