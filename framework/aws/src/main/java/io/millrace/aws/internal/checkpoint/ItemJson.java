package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Items in DynamoDB's own JSON, in which each value is beside the name of its type, such as {@code {"pk": {"S": "a"}}}: the
 * form of DynamoDB's exports, which other tools read too.
 */
final class ItemJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private ItemJson() {}

    /** An item as JSON, its attributes by their names. */
    static ObjectNode write(Map<String, AttributeValue> item) {
        ObjectNode json = NODES.objectNode();
        new TreeMap<>(item).forEach((name, value) -> json.set(name, write(value)));
        return json;
    }

    private static JsonNode write(AttributeValue value) {
        ObjectNode typed = NODES.objectNode();
        String type = value.type().name();
        return switch (value.type()) {
            case S -> typed.put(type, value.s());
            case N -> typed.put(type, value.n());
            case B -> typed.put(type, value.b().asByteArrayUnsafe());
            case BOOL -> typed.put(type, value.bool());
            case M -> typed.set(type, write(value.m()));
            case L ->
                typed.set(type, array(value.l().stream().map(ItemJson::write).toList()));
            case SS ->
                typed.set(
                        type,
                        array(value.ss().stream().<JsonNode>map(NODES::textNode).toList()));
            case NS ->
                typed.set(
                        type,
                        array(value.ns().stream().<JsonNode>map(NODES::textNode).toList()));
            case BS ->
                typed.set(
                        type,
                        array(value.bs().stream()
                                .<JsonNode>map(bytes -> NODES.binaryNode(bytes.asByteArrayUnsafe()))
                                .toList()));
            default -> typed.put("NULL", true);
        };
    }

    private static ArrayNode array(List<JsonNode> elements) {
        return NODES.arrayNode(elements.size()).addAll(elements);
    }

    /**
     * The item that {@link #write} wrote.
     *
     * @throws IOException if it is none
     */
    static Map<String, AttributeValue> read(JsonNode json) throws IOException {
        Map<String, AttributeValue> item = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> attribute : json.properties()) {
            item.put(attribute.getKey(), value(attribute.getValue()));
        }
        return item;
    }

    private static AttributeValue value(JsonNode typed) throws IOException {
        if (typed.size() != 1) {
            throw new IOException("a value has " + typed.size() + " types instead of one");
        }
        Map.Entry<String, JsonNode> only = typed.properties().iterator().next();
        JsonNode content = only.getValue();
        return switch (only.getKey()) {
            case "S" -> AttributeValue.fromS(content.textValue());
            case "N" -> AttributeValue.fromN(content.textValue());
            case "B" -> AttributeValue.fromB(SdkBytes.fromByteArrayUnsafe(content.binaryValue()));
            case "BOOL" -> AttributeValue.fromBool(content.booleanValue());
            case "NULL" -> AttributeValue.fromNul(true);
            case "M" -> AttributeValue.fromM(read(content));
            case "L" -> {
                List<AttributeValue> elements = new ArrayList<>();
                for (JsonNode element : content) {
                    elements.add(value(element));
                }
                yield AttributeValue.fromL(elements);
            }
            case "SS" -> AttributeValue.fromSs(texts(content));
            case "NS" -> AttributeValue.fromNs(texts(content));
            default -> throw new IOException("a value is of the unknown type " + only.getKey());
        };
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(element -> texts.add(element.asText()));
        return texts;
    }
}
