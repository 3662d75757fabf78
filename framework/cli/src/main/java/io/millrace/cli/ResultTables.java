package io.millrace.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.cli.Example.Board.Fact;
import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.serde.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The tables of a pipeline's sinks, in the order of their definition, as read back from DynamoDB. Immutable. */
record ResultTables(List<ResultTable> tables) {

    /** Reads all rows. */
    static ResultTables read(DynamoDbClient dynamoDb, PipelinePlan plan) {
        Map<String, ResultTable> tables = new LinkedHashMap<>();
        for (StagePlan stage : plan.stages()) {
            for (OutputPlan output : stage.outputs()) {
                String name = output.sink().table();
                var sortKey = output.sink().sortKey();
                tables.computeIfAbsent(
                        name,
                        unread -> new ResultTable(
                                name,
                                output.sink().partitionKey().attribute(),
                                sortKey == null ? null : sortKey.attribute(),
                                items(dynamoDb, name)));
            }
        }
        return new ResultTables(List.copyOf(tables.values()));
    }

    /** The names of the tables. */
    static List<String> names(PipelinePlan plan) {
        return plan.stages().stream()
                .flatMap(stage -> stage.outputs().stream())
                .map(output -> output.sink().table())
                .distinct()
                .toList();
    }

    private static List<Map<String, AttributeValue>> items(DynamoDbClient dynamoDb, String table) {
        List<Map<String, AttributeValue>> items = new ArrayList<>();
        dynamoDb.scanPaginator(request -> request.tableName(table).consistentRead(true))
                .items()
                .forEach(items::add);
        return items;
    }

    /** The table of a name, which must be one of them. */
    ResultTable table(String name) {
        return tables.stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no table " + name));
    }

    /** How many rows there are in all. */
    int size() {
        return tables.stream().mapToInt(table -> table.items().size()).sum();
    }

    /** How many rows each table has. */
    List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        for (ResultTable table : tables) {
            String rows =
                    String.format(Locale.ROOT, "%,d rows in %s", table.items().size(), table.name());
            facts.add(new Fact(facts.isEmpty() ? "result" : "", rows));
        }
        return facts;
    }

    /** Tables as a JSON object: a list of rows for each name, a row a line. */
    static String json(List<ResultTable> tables) {
        StringBuilder json = new StringBuilder("{");
        String tableSeparator = "\n";
        for (ResultTable table : tables) {
            json.append(tableSeparator)
                    .append(Json.mapper().getNodeFactory().textNode(table.name()))
                    .append(": [");
            String rowSeparator = "\n  ";
            for (ObjectNode row : table.rows()) {
                json.append(rowSeparator).append(text(row));
                rowSeparator = ",\n  ";
            }
            json.append("\n]");
            tableSeparator = ",\n";
        }
        return json.append("\n}\n").toString();
    }

    private static String text(ObjectNode row) {
        try {
            return Json.mapper().writeValueAsString(row);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A tree can always be written", e);
        }
    }

    /** The differences from the tables that these must be, each in a line, in the order of the rows. */
    List<String> differences(ResultTables expected) {
        Map<String, String> actualRows = rowsByKey();
        Map<String, String> expectedRows = expected.rowsByKey();
        List<String> differences = new ArrayList<>();
        expectedRows.forEach((key, row) -> {
            String actual = actualRows.get(key);
            if (actual == null) {
                differences.add(key + ": no row, expected " + row);
            } else if (!actual.equals(row)) {
                differences.add(key + ": " + actual + ", expected " + row);
            }
        });
        actualRows.forEach((key, row) -> {
            if (!expectedRows.containsKey(key)) {
                differences.add(key + ": " + row + ", expected no row");
            }
        });
        return differences;
    }

    private Map<String, String> rowsByKey() {
        Map<String, String> rows = new TreeMap<>();
        for (ResultTable table : tables) {
            String sortKey = table.sortKey();
            for (ObjectNode row : table.rows()) {
                String sort = sortKey == null ? "" : " " + row.get(sortKey);
                rows.put(table.name() + " " + row.get(table.partitionKey()) + sort, text(row));
            }
        }
        return rows;
    }
}
