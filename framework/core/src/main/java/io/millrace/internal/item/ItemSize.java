package io.millrace.internal.item;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NumericNode;
import java.math.BigDecimal;
import java.util.Map;

/**
 * The size of an item as DynamoDB counts it, never below the real one: names and values, 3 bytes a list or map and one
 * more an element; a number at about two digits a byte. Source: "DynamoDB item sizes and formats" in AWS's developer
 * guide.
 */
public final class ItemSize {
    /** DynamoDB's limit for an item. */
    public static final int ITEM_BYTES_MAX = 400 * 1024;

    /** DynamoDB's limit for all items of a transaction. */
    public static final int TRANSACTION_BYTES_MAX = 4 * 1024 * 1024;

    /** What one write unit pays for; a transaction takes two for it. */
    public static final int WRITE_UNIT_BYTES = 1024;

    /** The most bytes that a number takes. */
    public static final int NUMBER_BYTES_MAX = 21;

    private static final int NUMBER_DIGITS_MAX = 38;
    private static final int NUMBER_EXPONENT_MAX = 125;
    private static final int NUMBER_EXPONENT_MIN = -130;
    private static final int DEPTH_MAX = 32;
    private static final int CONTAINER_BYTES = 3;

    private ItemSize() {}

    /**
     * The size of an item, or of a value in it that is no map.
     *
     * @throws UnacceptableException if it holds a number, a text or a nesting that DynamoDB does not take
     */
    public static int of(JsonNode value) {
        return of(value, 0);
    }

    /** The units that a write of an item of this size takes outside of a transaction. */
    public static int writeUnits(int bytes) {
        return (bytes + WRITE_UNIT_BYTES - 1) / WRITE_UNIT_BYTES;
    }

    private static int of(JsonNode value, int depth) {
        if (depth > DEPTH_MAX) {
            throw new UnacceptableException(
                    "A value is nested more than " + DEPTH_MAX + " levels deep, DynamoDB's limit. Flatten it.");
        }
        return switch (value.getNodeType()) {
            case OBJECT -> ofMap(value, depth);
            case ARRAY -> ofList(value, depth);
            case STRING -> utf8Length(value.textValue());
            case BINARY -> ofBinary(value);
            case NUMBER -> ofNumber(decimal((NumericNode) value));
            default -> 1;
        };
    }

    private static int ofMap(JsonNode map, int depth) {
        int size = depth == 0 ? 0 : CONTAINER_BYTES;
        for (Map.Entry<String, JsonNode> entry : map.properties()) {
            size += utf8Length(entry.getKey()) + of(entry.getValue(), depth + 1) + (depth == 0 ? 0 : 1);
        }
        return size;
    }

    private static int ofList(JsonNode list, int depth) {
        int size = CONTAINER_BYTES;
        for (JsonNode element : list) {
            size += of(element, depth + 1) + 1;
        }
        return size;
    }

    private static int ofBinary(JsonNode value) {
        try {
            return value.binaryValue().length;
        } catch (java.io.IOException e) {
            throw new IllegalStateException("a binary node has no bytes", e);
        }
    }

    private static BigDecimal decimal(NumericNode value) {
        if (value.isNaN()) {
            throw new UnacceptableException("A number is " + value.asText()
                    + ", which DynamoDB does not know. Leave it out, or store it as text.");
        }
        return value.decimalValue();
    }

    /** At most: the digits count in pairs from the decimal point on, then a byte for the magnitude, one for a sign. */
    private static int ofNumber(BigDecimal number) {
        BigDecimal stripped = number.stripTrailingZeros();
        int digits = stripped.precision();
        if (digits > NUMBER_DIGITS_MAX) {
            throw new UnacceptableException("A number has " + digits + " significant digits; DynamoDB keeps "
                    + NUMBER_DIGITS_MAX + ". Round it, or store it as text.");
        }
        int exponent = digits - stripped.scale() - 1;
        if (exponent > NUMBER_EXPONENT_MAX || exponent < NUMBER_EXPONENT_MIN) {
            throw new UnacceptableException("A number is of magnitude 1E" + exponent + "; DynamoDB keeps 1E"
                    + NUMBER_EXPONENT_MIN + " to 1E" + NUMBER_EXPONENT_MAX + ". Store it as text.");
        }
        return Math.min(NUMBER_BYTES_MAX, digits / 2 + 3);
    }

    /**
     * The length of a text in UTF-8.
     *
     * @throws UnacceptableException if it is no Unicode: it would be stored as another text, so that two keys could
     *     become one
     */
    public static int utf8Length(String text) {
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            if (unit <= 0x7f) {
                length++;
            } else if (unit <= 0x7ff) {
                length += 2;
            } else if (!Character.isSurrogate(unit)) {
                length += 3;
            } else if (Character.isHighSurrogate(unit)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                length += 4;
                i++;
            } else {
                throw new UnacceptableException(
                        "A text or key is no valid Unicode: it has half a surrogate pair at " + i + ". Clean it.");
            }
        }
        return length;
    }
}
