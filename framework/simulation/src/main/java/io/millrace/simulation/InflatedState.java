package io.millrace.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads states that are stored compressed, gzip over DynamoDB's JSON, without the code that wrote them. */
final class InflatedState {
    private static final ObjectMapper JSON = new ObjectMapper();

    private InflatedState() {}

    static Map<String, AttributeValue> of(byte[] compressed) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
            return attributes(JSON.readTree(in));
        }
    }

    private static Map<String, AttributeValue> attributes(JsonNode object) throws IOException {
        Map<String, AttributeValue> attributes = new TreeMap<>();
        for (Map.Entry<String, JsonNode> attribute : object.properties()) {
            attributes.put(attribute.getKey(), value(attribute.getValue()));
        }
        return attributes;
    }

    private static AttributeValue value(JsonNode typed) throws IOException {
        Map.Entry<String, JsonNode> only = typed.properties().iterator().next();
        JsonNode content = only.getValue();
        return switch (only.getKey()) {
            case "S" -> AttributeValue.fromS(content.textValue());
            case "N" -> AttributeValue.fromN(content.textValue());
            case "B" -> AttributeValue.fromB(SdkBytes.fromByteArray(content.binaryValue()));
            case "M" -> AttributeValue.fromM(attributes(content));
            case "L" -> {
                List<AttributeValue> elements = new ArrayList<>();
                for (JsonNode element : content) {
                    elements.add(value(element));
                }
                yield AttributeValue.fromL(elements);
            }
            default -> throw new IOException("a state has an attribute of type " + only.getKey());
        };
    }
}
