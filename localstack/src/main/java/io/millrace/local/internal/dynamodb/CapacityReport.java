package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The {@code ConsumedCapacity} of one request: collects units by table and writes them as {@code ReturnConsumedCapacity}
 * asks. Every unit also goes to the service's meter. Not thread-safe.
 */
final class CapacityReport {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String MEMBER = "ConsumedCapacity";

    private final String detail;
    private final Direction direction;
    private final CapacityMeter meter;
    private final Map<String, CapacityUnits> tables = new TreeMap<>();

    /** Whether units are read units or write units; transactions also name them so. */
    enum Direction {
        READ,
        WRITE,
        TRANSACTIONAL_READ,
        TRANSACTIONAL_WRITE;

        boolean isWrite() {
            return this == WRITE || this == TRANSACTIONAL_WRITE;
        }

        /** The factor that transactions cost: prepare and commit. */
        double factor() {
            return this == TRANSACTIONAL_WRITE ? 2 : 1;
        }
    }

    CapacityReport(Request request, Direction direction, CapacityMeter meter) {
        this.detail = request.choice("ReturnConsumedCapacity", List.of("NONE", "INDEXES", "TOTAL"));
        this.direction = direction;
        this.meter = meter;
    }

    void add(String table, CapacityUnits units) {
        tables.computeIfAbsent(table, name -> new CapacityUnits()).add(units, direction.factor());
        meter.add(direction.isWrite(), units.total() * direction.factor());
    }

    /** Writes the units of the only table. */
    void writeSingleTo(ObjectNode response) {
        if (!detail.equals("NONE")) {
            tables.forEach((table, units) -> response.set(MEMBER, document(table, units)));
        }
    }

    /** Writes the units of all tables as a list. */
    void writeListTo(ObjectNode response) {
        if (!detail.equals("NONE")) {
            ArrayNode list = response.putArray(MEMBER);
            tables.forEach((table, units) -> list.add(document(table, units)));
        }
    }

    private ObjectNode document(String table, CapacityUnits units) {
        ObjectNode document = NODES.objectNode();
        document.put("TableName", table);
        putUnits(document, units.total());
        if (detail.equals("INDEXES")) {
            putUnits(document.putObject("Table"), units.table());
            if (!units.indexes().isEmpty()) {
                ObjectNode indexes = document.putObject("GlobalSecondaryIndexes");
                units.indexes().forEach((index, indexUnits) -> putUnits(indexes.putObject(index), indexUnits));
            }
        }
        return document;
    }

    private void putUnits(ObjectNode document, double units) {
        document.put("CapacityUnits", units);
        if (direction == Direction.TRANSACTIONAL_READ) {
            document.put("ReadCapacityUnits", units);
        } else if (direction == Direction.TRANSACTIONAL_WRITE) {
            document.put("WriteCapacityUnits", units);
        }
    }
}
