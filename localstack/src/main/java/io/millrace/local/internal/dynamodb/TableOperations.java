package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.Iterator;

/** The operations on tables as a whole. */
final class TableOperations {
    static final int LISTED_NAMES_MAX = 100;
    private static final String ACTIVE = "ACTIVE";
    private static final String DELETING = "DELETING";

    private final TableStore store;
    private final Clock clock;
    private final String arnPrefix;

    TableOperations(TableStore store, Clock clock, String arnPrefix) {
        this.store = store;
        this.clock = clock;
        this.arnPrefix = arnPrefix;
    }

    private static ObjectNode newDocument() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Creates a table, active at once. */
    ObjectNode createTable(Request request) {
        TableDefinition definition = CreateTableReader.read(request, arnPrefix, clock.instant());
        return store.locked(() -> {
            if (store.tables().containsKey(definition.name())) {
                throw ServiceErrors.tableExists(definition.name());
            }
            Table table = new Table(definition);
            store.tables().put(table.name(), table);
            ObjectNode response = newDocument();
            response.set("TableDescription", TableDescription.of(table, ACTIVE));
            return response;
        });
    }

    ObjectNode describeTable(Request request) {
        String name = request.tableName();
        return store.locked(() -> {
            ObjectNode response = newDocument();
            response.set("Table", TableDescription.of(store.describedTable(name), ACTIVE));
            return response;
        });
    }

    ObjectNode listTables(Request request) {
        Integer limit = request.positive("Limit");
        if (limit != null && limit > LISTED_NAMES_MAX) {
            throw ServiceErrors.constraint(
                    "'" + limit + "'", "limit", "Member must have value less than or equal to " + LISTED_NAMES_MAX);
        }
        int count = limit == null ? LISTED_NAMES_MAX : limit;
        String start = request.text("ExclusiveStartTableName");
        return store.locked(() -> {
            ObjectNode response = newDocument();
            ArrayNode names = response.putArray("TableNames");
            Iterator<String> rest = store.tables()
                    .tailMap(start == null ? "" : start, false)
                    .keySet()
                    .iterator();
            String last = "";
            while (rest.hasNext() && names.size() < count) {
                last = rest.next();
                names.add(last);
            }
            if (rest.hasNext()) {
                response.put("LastEvaluatedTableName", last);
            }
            return response;
        });
    }

    /** Deletes a table at once. */
    ObjectNode deleteTable(Request request) {
        String name = request.tableName();
        return store.locked(() -> {
            Table table = store.describedTable(name);
            if (new Request(table.definition().extras()).flag("DeletionProtectionEnabled")) {
                throw ServiceErrors.validation("Resource cannot be deleted as it is currently protected against "
                        + "deletion. Disable deletion protection first.");
            }
            store.tables().remove(name);
            ObjectNode response = newDocument();
            response.set("TableDescription", TableDescription.of(table, DELETING));
            return response;
        });
    }

    ObjectNode updateTimeToLive(Request request) {
        String name = request.tableName();
        Request specification = new Request(request.requiredObject("TimeToLiveSpecification"));
        String attribute = specification.requiredText("AttributeName");
        boolean enabled = specification.flag("Enabled");
        if (attribute.isEmpty()) {
            throw ServiceErrors.constraint(
                    "''",
                    "timeToLiveSpecification.attributeName",
                    "Member must have length greater than or equal to 1");
        }
        return store.locked(() -> {
            Table table = store.describedTable(name);
            String current = table.expiryAttribute();
            if (enabled == (current != null)) {
                throw ServiceErrors.validation("TimeToLive is already " + (enabled ? "enabled" : "disabled"));
            }
            if (current != null && !current.equals(attribute)) {
                throw ServiceErrors.validation(
                        "TimeToLive is active on a different AttributeName: current AttributeName is " + current);
            }
            table.setExpiryAttribute(enabled ? attribute : null);
            ObjectNode response = newDocument();
            response.putObject("TimeToLiveSpecification")
                    .put("AttributeName", attribute)
                    .put("Enabled", enabled);
            return response;
        });
    }

    ObjectNode describeTimeToLive(Request request) {
        String name = request.tableName();
        return store.locked(() -> {
            String attribute = store.describedTable(name).expiryAttribute();
            ObjectNode response = newDocument();
            ObjectNode description = response.putObject("TimeToLiveDescription");
            description.put("TimeToLiveStatus", attribute == null ? "DISABLED" : "ENABLED");
            if (attribute != null) {
                description.put("AttributeName", attribute);
            }
            return response;
        });
    }

    /** Deletes every expired item of every table and answers how many there were. */
    int expireItems() {
        long nowEpochSeconds = clock.instant().getEpochSecond();
        return store.locked(() -> store.expire(nowEpochSeconds));
    }
}
