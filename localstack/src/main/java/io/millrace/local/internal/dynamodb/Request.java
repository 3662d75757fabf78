package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A request document, or a part of one, with typed access to its members. JSON null counts as absent. */
record Request(ObjectNode document) {
    private static final int TABLE_NAME_LENGTH_MIN = 3;
    private static final int TABLE_NAME_LENGTH_MAX = 255;
    private static final Pattern TABLE_NAME = Pattern.compile("[a-zA-Z0-9_.-]+");
    private static final Pattern TABLE_ARN = Pattern.compile("arn:aws[a-z-]*:dynamodb:[^:]*:[^:]*:table/([^/]+)");

    boolean has(String member) {
        return document.hasNonNull(member);
    }

    private @Nullable JsonNode member(String member) {
        JsonNode node = document.get(member);
        return node == null || node.isNull() ? null : node;
    }

    @Nullable
    String text(String member) {
        JsonNode node = member(member);
        if (node == null) {
            return null;
        }
        if (!node.isTextual()) {
            throw ServiceErrors.serialization(node.getNodeType() + "_VALUE cannot be converted to String");
        }
        return node.textValue();
    }

    String requiredText(String member) {
        String text = text(member);
        if (text == null) {
            throw missing(member);
        }
        return text;
    }

    boolean flag(String member) {
        JsonNode node = member(member);
        if (node == null) {
            return false;
        }
        if (!node.isBoolean()) {
            throw ServiceErrors.serialization(node.getNodeType() + "_VALUE cannot be converted to Boolean");
        }
        return node.booleanValue();
    }

    @Nullable
    Integer integer(String member) {
        JsonNode node = member(member);
        if (node == null) {
            return null;
        }
        if (!node.canConvertToInt()) {
            throw ServiceErrors.serialization(node.getNodeType() + "_VALUE cannot be converted to Integer");
        }
        return node.intValue();
    }

    /** A number that must be at least one. */
    @Nullable
    Integer positive(String member) {
        Integer number = integer(member);
        if (number != null && number < 1) {
            throw ServiceErrors.constraint(
                    "'" + number + "'", decapitalised(member), "Member must have value greater than or equal to 1");
        }
        return number;
    }

    @Nullable
    ObjectNode object(String member) {
        JsonNode node = member(member);
        if (node == null) {
            return null;
        }
        if (!(node instanceof ObjectNode object)) {
            throw ServiceErrors.serialization("Unexpected field type");
        }
        return object;
    }

    ObjectNode requiredObject(String member) {
        ObjectNode object = object(member);
        if (object == null) {
            throw missing(member);
        }
        return object;
    }

    @Nullable
    Request part(String member) {
        ObjectNode object = object(member);
        return object == null ? null : new Request(object);
    }

    @Nullable
    ArrayNode array(String member) {
        JsonNode node = member(member);
        if (node == null) {
            return null;
        }
        if (!(node instanceof ArrayNode array)) {
            throw ServiceErrors.serialization("Unexpected field type");
        }
        return array;
    }

    ArrayNode requiredArray(String member) {
        ArrayNode array = array(member);
        if (array == null) {
            throw missing(member);
        }
        return array;
    }

    /** The parts of an array of documents. */
    static List<Request> parts(ArrayNode array) {
        return array.valueStream().map(Request::part).toList();
    }

    static Request part(JsonNode node) {
        if (!(node instanceof ObjectNode object)) {
            throw ServiceErrors.serialization("Unexpected value type in payload");
        }
        return new Request(object);
    }

    /** One of a few words; the first of them when absent. */
    String choice(String member, List<String> words) {
        String text = text(member);
        if (text == null) {
            return words.get(0);
        }
        if (!words.contains(text)) {
            throw ServiceErrors.constraint(
                    "'" + text + "'",
                    decapitalised(member),
                    "Member must satisfy enum value set: [" + String.join(", ", words) + "]");
        }
        return text;
    }

    /** The table's name, also when it is given as an ARN. */
    String tableName() {
        return tableName(requiredText("TableName"));
    }

    static String tableName(String text) {
        var arn = TABLE_ARN.matcher(text);
        String name = arn.matches() ? arn.group(1) : text;
        requireName(name, "TableName");
        return name;
    }

    static void requireName(String name, String member) {
        if (name.length() < TABLE_NAME_LENGTH_MIN || name.length() > TABLE_NAME_LENGTH_MAX) {
            throw ServiceErrors.validation(
                    member + " must be at least 3 characters long and at most 255 characters long");
        }
        if (!TABLE_NAME.matcher(name).matches()) {
            throw ServiceErrors.constraint(
                    "'" + name + "'",
                    decapitalised(member),
                    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
        }
    }

    /** Refuses parameters of the time before expressions: Millrace does not use them and they are not simulated. */
    void refuseLegacy(String... members) {
        for (String member : members) {
            if (has(member)) {
                throw ServiceErrors.validation("The legacy parameter " + member
                        + " is not supported by the embedded DynamoDB; use an expression instead.");
            }
        }
    }

    private static RuntimeException missing(String member) {
        return ServiceErrors.constraint("null", decapitalised(member), "Member must not be null");
    }

    private static String decapitalised(String member) {
        return Character.toLowerCase(member.charAt(0)) + member.substring(1);
    }
}
