package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads attribute values from their wire form and refuses what DynamoDB refuses. */
final class ValueReader {
    static final int NESTING_LEVELS_MAX = 32;
    static final int NUMBER_DIGITS_MAX = 38;
    private static final int NUMBER_EXPONENT_MAX = 125;
    private static final int NUMBER_EXPONENT_MIN = -130;
    /** Longer texts are no number that anyone means, and parsing them would take quadratic time. */
    private static final int NUMBER_TEXT_LENGTH_MAX = 1_000;

    private ValueReader() {}

    /** Reads an item or a key: a document of attribute names and values. */
    static MapValue item(JsonNode document) {
        return attributes(document, 0);
    }

    static Value value(JsonNode document) {
        return value(document, 0);
    }

    private static MapValue attributes(JsonNode document, int level) {
        if (!document.isObject()) {
            throw ServiceErrors.serialization("Start of structure or map found where not expected");
        }
        TreeMap<String, Value> attributes = new TreeMap<>();
        for (Map.Entry<String, JsonNode> attribute : document.properties()) {
            attributes.put(attribute.getKey(), value(attribute.getValue(), level));
        }
        return MapValue.of(attributes);
    }

    private static Value value(JsonNode document, int level) {
        if (level > NESTING_LEVELS_MAX) {
            throw ServiceErrors.validation("Nesting Levels have exceeded supported limits");
        }
        if (!document.isObject()) {
            throw ServiceErrors.serialization("Unexpected value type in payload");
        }
        if (document.isEmpty()) {
            throw ServiceErrors.validation(
                    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
        }
        if (document.size() > 1) {
            throw ServiceErrors.validation("Supplied AttributeValue has more than one datatypes set, "
                    + "must contain exactly one of the supported datatypes");
        }
        Iterator<Map.Entry<String, JsonNode>> members = document.properties().iterator();
        Map.Entry<String, JsonNode> member = members.next();
        JsonNode content = member.getValue();
        return switch (member.getKey()) {
            case "S" -> new Value.Text(text(content));
            case "N" -> number(text(content));
            case "B" -> binary(content);
            case "BOOL" -> Value.Bool.of(flag(content));
            case "NULL" -> nullValue(content);
            case "L" -> list(content, level);
            case "M" -> attributes(content, level + 1);
            case "SS" -> stringSet(content);
            case "NS" -> numberSet(content);
            case "BS" -> binarySet(content);
            default ->
                throw ServiceErrors.validation(
                        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
        };
    }

    private static String text(JsonNode content) {
        String text = content.textValue();
        if (text == null) {
            throw ServiceErrors.serialization(content.getNodeType() + "_VALUE cannot be converted to String");
        }
        return text;
    }

    private static boolean flag(JsonNode content) {
        if (!content.isBoolean()) {
            throw ServiceErrors.serialization(content.getNodeType() + "_VALUE cannot be converted to Boolean");
        }
        return content.booleanValue();
    }

    private static Value nullValue(JsonNode content) {
        if (!flag(content)) {
            throw ServiceErrors.invalidParameters("Null attribute value types must have the value of true");
        }
        return Value.Null.NULL;
    }

    private static Value list(JsonNode content, int level) {
        List<Value> elements = new ArrayList<>();
        for (JsonNode element : array(content)) {
            elements.add(value(element, level + 1));
        }
        return new Value.Sequence(elements);
    }

    private static JsonNode array(JsonNode content) {
        if (!content.isArray()) {
            throw ServiceErrors.serialization("Unexpected field type");
        }
        return content;
    }

    private static Value stringSet(JsonNode content) {
        List<Value> members = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (JsonNode member : array(content)) {
            texts.add(text(member));
            members.add(new Value.Text(text(member)));
        }
        if (members.isEmpty()) {
            throw ServiceErrors.invalidParameters("An string set  may not be empty");
        }
        if (hasDuplicates(members)) {
            throw ServiceErrors.invalidParameters("Input collection " + texts + " contains duplicates.");
        }
        return new Value.Members(AttributeType.SS, members);
    }

    private static Value numberSet(JsonNode content) {
        List<Value> members = new ArrayList<>();
        for (JsonNode member : array(content)) {
            members.add(number(text(member)));
        }
        if (members.isEmpty()) {
            throw ServiceErrors.invalidParameters("An number set  may not be empty");
        }
        if (hasDuplicates(members)) {
            throw ServiceErrors.validation("Input collection contains duplicates");
        }
        return new Value.Members(AttributeType.NS, members);
    }

    private static Value binarySet(JsonNode content) {
        List<Value> members = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (JsonNode member : array(content)) {
            members.add(binary(member));
            texts.add(member.asText());
        }
        if (members.isEmpty()) {
            throw ServiceErrors.invalidParameters("Binary sets should not be empty");
        }
        if (hasDuplicates(members)) {
            throw ServiceErrors.invalidParameters("Input collection " + texts + "of type BS contains duplicates.");
        }
        return new Value.Members(AttributeType.BS, members);
    }

    private static boolean hasDuplicates(List<Value> members) {
        return new HashSet<>(members).size() < members.size();
    }

    private static Value binary(JsonNode content) {
        byte @Nullable [] bytes;
        try {
            bytes = content.binaryValue();
        } catch (IOException e) {
            throw ServiceErrors.serialization("Invalid Base64 in a binary value: " + e.getMessage());
        }
        if (bytes == null) {
            throw ServiceErrors.serialization(content.getNodeType() + "_VALUE cannot be converted to Blob");
        }
        return new Value.Binary(bytes);
    }

    static Value.Numeric number(String text) {
        if (text.isEmpty()) {
            throw ServiceErrors.validation("The parameter cannot be converted to a numeric value");
        }
        if (text.length() > NUMBER_TEXT_LENGTH_MAX) {
            throw notNumeric(text.substring(0, NUMBER_TEXT_LENGTH_MAX));
        }
        BigDecimal number;
        try {
            number = new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw notNumeric(text);
        }
        return number(number);
    }

    private static RuntimeException notNumeric(String text) {
        return ServiceErrors.validation("The parameter cannot be converted to a numeric value: " + text);
    }

    /** Normalises a number and checks precision and magnitude. */
    static Value.Numeric number(BigDecimal number) {
        if (number.signum() == 0) {
            return new Value.Numeric(BigDecimal.ZERO);
        }
        BigDecimal normal = number.stripTrailingZeros();
        long exponent = (long) normal.precision() - normal.scale() - 1;
        if (exponent > NUMBER_EXPONENT_MAX) {
            throw ServiceErrors.validation(
                    "Number overflow. Attempting to store a number with magnitude larger than supported range");
        }
        if (exponent < NUMBER_EXPONENT_MIN) {
            throw ServiceErrors.validation(
                    "Number underflow. Attempting to store a number with magnitude smaller than supported range");
        }
        if (normal.precision() > NUMBER_DIGITS_MAX) {
            throw ServiceErrors.validation("Attempting to store more than 38 significant digits in a Number");
        }
        return new Value.Numeric(normal);
    }
}
