package io.millrace.local.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rows as maps of Java's own types. */
final class RowMaps {
    private RowMaps() {}

    static Map<String, Object> of(ObjectNode row) {
        Map<String, Object> map = new LinkedHashMap<>();
        row.properties().forEach(entry -> {
            if (!entry.getValue().isNull()) {
                map.put(entry.getKey(), value(entry.getValue()));
            }
        });
        return Collections.unmodifiableMap(map);
    }

    private static Object value(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> of((ObjectNode) node);
            case ARRAY -> {
                List<Object> elements = new ArrayList<>(node.size());
                node.forEach(element -> elements.add(value(element)));
                yield Collections.unmodifiableList(elements);
            }
            case NUMBER -> number(node.decimalValue());
            case BOOLEAN -> node.booleanValue();
            case BINARY -> bytes(node);
            default -> node.asText();
        };
    }

    /** A whole number that a {@code long} can hold is one; any other number is a {@code BigDecimal}. */
    private static Object number(BigDecimal number) {
        try {
            return number.longValueExact();
        } catch (ArithmeticException e) {
            return number;
        }
    }

    private static byte[] bytes(JsonNode node) {
        try {
            return node.binaryValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
