package io.millrace.internal.item;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.Map;

/**
 * DynamoDB's JSON: attributes as text, each value in an object that names its type ({@code {"S":"text"}},
 * {@code {"B":"base64"}}, {@code {"M":{...}}}), as AWS's command line and its exports write them. Numbers keep all
 * digits, and binary values stay binary, which plain JSON would lose.
 */
public final class ItemJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /**
     * Names are user data, such as the keys of a map: they may be long, they are not kept in a table of names, and
     * nobody can fill such a table with names that collide. The size is bounded by what is read.
     */
    private static final ObjectMapper MAPPER = new ObjectMapper(new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build());

    private ItemJson() {}

    /** Attributes as UTF-8 text, in the order that they have. */
    public static byte[] write(ObjectNode attributes) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (JsonGenerator out = MAPPER.createGenerator(text)) {
            writeAttributes(attributes, out);
        } catch (IOException e) {
            throw new UncheckedIOException("an array in memory does no I/O", e);
        }
        return text.toByteArray();
    }

    private static void writeAttributes(ObjectNode attributes, JsonGenerator out) throws IOException {
        out.writeStartObject();
        for (Map.Entry<String, JsonNode> attribute : attributes.properties()) {
            out.writeFieldName(attribute.getKey());
            writeTyped(attribute.getValue(), out);
        }
        out.writeEndObject();
    }

    private static void writeTyped(JsonNode value, JsonGenerator out) throws IOException {
        out.writeStartObject();
        switch (value.getNodeType()) {
            case OBJECT -> {
                out.writeFieldName("M");
                writeAttributes((ObjectNode) value, out);
            }
            case ARRAY -> {
                out.writeArrayFieldStart("L");
                for (JsonNode element : value) {
                    writeTyped(element, out);
                }
                out.writeEndArray();
            }
            case STRING -> out.writeStringField("S", value.textValue());
            case BINARY -> out.writeBinaryField("B", value.binaryValue());
            case NUMBER -> out.writeStringField("N", value.decimalValue().toPlainString());
            case BOOLEAN -> out.writeBooleanField("BOOL", value.booleanValue());
            default -> out.writeBooleanField("NULL", true);
        }
        out.writeEndObject();
    }

    /**
     * The attributes of a text that {@link #write} made.
     *
     * @throws IOException if it is something else
     */
    public static ObjectNode read(byte[] text) throws IOException {
        return attributesOf(MAPPER.readTree(text));
    }

    private static ObjectNode attributesOf(JsonNode tree) throws IOException {
        if (!tree.isObject()) {
            throw new IOException("attributes are written as " + tree.getNodeType());
        }
        ObjectNode attributes = NODES.objectNode();
        for (Map.Entry<String, JsonNode> attribute : tree.properties()) {
            attributes.set(attribute.getKey(), valueOf(attribute.getValue()));
        }
        return attributes;
    }

    private static JsonNode valueOf(JsonNode typed) throws IOException {
        if (!typed.isObject() || typed.size() != 1) {
            throw new IOException("a value names no type, or several");
        }
        Map.Entry<String, JsonNode> only = typed.properties().iterator().next();
        JsonNode value = only.getValue();
        return switch (only.getKey()) {
            case "M" -> attributesOf(value);
            case "L" -> elementsOf(value);
            case "S" -> NODES.textNode(textOf(value));
            case "B" -> NODES.binaryNode(NODES.textNode(textOf(value)).binaryValue());
            case "N" -> NODES.numberNode(numberOf(textOf(value)));
            case "BOOL" -> NODES.booleanNode(value.booleanValue());
            case "NULL" -> NODES.nullNode();
            default -> throw new IOException("the type " + only.getKey() + " is unknown");
        };
    }

    private static ArrayNode elementsOf(JsonNode elements) throws IOException {
        ArrayNode array = NODES.arrayNode();
        for (JsonNode element : elements) {
            array.add(valueOf(element));
        }
        return array;
    }

    private static String textOf(JsonNode value) throws IOException {
        if (!value.isTextual()) {
            throw new IOException("a " + value.getNodeType() + " is written where a text is expected");
        }
        return value.textValue();
    }

    private static BigDecimal numberOf(String text) throws IOException {
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw new IOException("a number is written as '" + text + "'", e);
        }
    }
}
