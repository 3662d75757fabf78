package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.internal.Items;
import io.millrace.internal.item.Row;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A table of rows as read back from DynamoDB, sorted by its key, without what Millrace adds to a row. Immutable.
 *
 * @param items the rows as they lie in DynamoDB
 */
record ResultTable(
        String name, String partitionKey, @Nullable String sortKey, List<Map<String, AttributeValue>> items) {
    private static final int SHOWN_CHARACTERS_MAX = 32;
    private static final int COLUMNS_SHOWN_MAX = 8;

    ResultTable {
        items = items.stream().sorted(order(partitionKey, sortKey)).toList();
    }

    private static Comparator<Map<String, AttributeValue>> order(String partitionKey, @Nullable String sortKey) {
        Comparator<Map<String, AttributeValue>> byPartition = byAttribute(partitionKey);
        return sortKey == null ? byPartition : byPartition.thenComparing(byAttribute(sortKey));
    }

    private static Comparator<Map<String, AttributeValue>> byAttribute(String name) {
        return (one, other) -> {
            AttributeValue left = one.get(name);
            AttributeValue right = other.get(name);
            if (left == null || right == null) {
                return Boolean.compare(left != null, right != null);
            }
            return left.n() != null && right.n() != null
                    ? new BigDecimal(left.n()).compareTo(new BigDecimal(right.n()))
                    : String.valueOf(left.s()).compareTo(String.valueOf(right.s()));
        };
    }

    /** The rows as JSON objects, the key first and the other attributes by name. */
    List<ObjectNode> rows() {
        List<String> columns = columns();
        return items.stream().map(item -> row(item, columns)).toList();
    }

    private static ObjectNode row(Map<String, AttributeValue> item, List<String> columns) {
        ObjectNode unordered = Items.fromAttributes(item);
        ObjectNode row = unordered.objectNode();
        for (String column : columns) {
            JsonNode value = unordered.get(column);
            if (value != null) {
                row.set(column, value);
            }
        }
        return row;
    }

    /** The attributes of all rows: the key, then the others by name. */
    List<String> columns() {
        TreeSet<String> others = new TreeSet<>();
        items.forEach(item -> others.addAll(item.keySet()));
        List<String> keys = sortKey == null ? List.of(partitionKey) : List.of(partitionKey, sortKey);
        keys.forEach(others::remove);
        others.remove(Row.GENERATION);
        return Stream.concat(keys.stream(), others.stream()).toList();
    }

    /** The rows as CSV with a header. An attribute that a row does not have is empty, a list or a map is JSON. */
    String csv() {
        List<String> columns = columns();
        StringBuilder csv = new StringBuilder();
        csv.append(columns.stream().map(ResultTable::quoted).collect(Collectors.joining(",")))
                .append('\n');
        for (ObjectNode row : rows()) {
            csv.append(columns.stream()
                            .map(column -> quoted(text(row.get(column))))
                            .collect(Collectors.joining(",")))
                    .append('\n');
        }
        return csv.toString();
    }

    private static String text(@Nullable JsonNode value) {
        if (value == null || value.isNull()) {
            return "";
        }
        if (value.isNumber()) {
            return value.decimalValue().toPlainString();
        }
        return value.isContainerNode() ? value.toString() : value.asText();
    }

    private static String quoted(String text) {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    /** The first rows in columns for a person to look at, long values cut. */
    List<String> preview(int rowsMax) {
        List<String> columns = columns().stream().limit(COLUMNS_SHOWN_MAX).toList();
        List<List<String>> lines = new ArrayList<>(List.of(columns));
        rows().stream()
                .limit(rowsMax)
                .forEach(row -> lines.add(columns.stream()
                        .map(column -> shown(text(row.get(column))))
                        .toList()));
        int[] widths = IntStream.range(0, columns.size())
                .map(i -> lines.stream()
                        .mapToInt(line -> line.get(i).length())
                        .max()
                        .orElse(0))
                .toArray();
        return lines.stream()
                .map(line -> IntStream.range(0, widths.length)
                        .mapToObj(i ->
                                line.get(i) + " ".repeat(widths[i] - line.get(i).length()))
                        .collect(Collectors.joining("  "))
                        .stripTrailing())
                .toList();
    }

    private static String shown(String text) {
        String safe = text.replaceAll("\\p{Cntrl}", "?");
        return safe.length() <= SHOWN_CHARACTERS_MAX ? safe : safe.substring(0, SHOWN_CHARACTERS_MAX - 3) + "...";
    }
}
