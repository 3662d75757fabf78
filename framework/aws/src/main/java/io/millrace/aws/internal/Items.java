package io.millrace.aws.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items between the engine's form (JSON nodes) and the SDK's. */
public final class Items {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Items() {}

    /** The SDK's form of an item. */
    public static Map<String, AttributeValue> toAttributes(ObjectNode item) {
        Map<String, AttributeValue> attributes = new LinkedHashMap<>();
        item.properties().forEach(entry -> attributes.put(entry.getKey(), toAttribute(entry.getValue())));
        return attributes;
    }

    /** The engine's form of an item. */
    public static ObjectNode fromAttributes(Map<String, AttributeValue> attributes) {
        ObjectNode item = NODES.objectNode();
        attributes.forEach((name, value) -> item.set(name, fromAttribute(value)));
        return item;
    }

    static AttributeValue text(String text) {
        return AttributeValue.fromS(text);
    }

    static AttributeValue number(long number) {
        return AttributeValue.fromN(Long.toString(number));
    }

    /** An attribute that every item of its kind has. */
    public static AttributeValue required(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        if (value == null) {
            throw new MillraceException("An item has no attribute '" + name + "', only " + item.keySet()
                    + ". Was it written by something other than Millrace?");
        }
        return value;
    }

    /** The SDK's form of a value. */
    static AttributeValue toAttribute(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> AttributeValue.fromM(toAttributes((ObjectNode) node));
            case ARRAY -> {
                List<AttributeValue> elements = new ArrayList<>(node.size());
                node.forEach(element -> elements.add(toAttribute(element)));
                yield AttributeValue.fromL(elements);
            }
            case STRING -> AttributeValue.fromS(node.textValue());
            case BINARY -> AttributeValue.fromB(SdkBytes.fromByteArrayUnsafe(bytes(node)));
            case NUMBER -> AttributeValue.fromN(node.decimalValue().toPlainString());
            case BOOLEAN -> AttributeValue.fromBool(node.booleanValue());
            default -> AttributeValue.fromNul(true);
        };
    }

    private static JsonNode fromAttribute(AttributeValue value) {
        return switch (value.type()) {
            case S -> NODES.textNode(value.s());
            case N -> NODES.numberNode(new BigDecimal(value.n()));
            case B -> NODES.binaryNode(value.b().asByteArrayUnsafe());
            case BOOL -> NODES.booleanNode(value.bool());
            case M -> fromAttributes(value.m());
            case L -> arrayOf(value.l());
            case SS -> arrayOf(value.ss().stream().map(AttributeValue::fromS).toList());
            case NS -> arrayOf(value.ns().stream().map(AttributeValue::fromN).toList());
            case BS -> arrayOf(value.bs().stream().map(AttributeValue::fromB).toList());
            default -> NODES.nullNode();
        };
    }

    private static ArrayNode arrayOf(List<AttributeValue> elements) {
        ArrayNode array = NODES.arrayNode(elements.size());
        elements.forEach(element -> array.add(fromAttribute(element)));
        return array;
    }

    private static byte[] bytes(JsonNode node) {
        try {
            return node.binaryValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
