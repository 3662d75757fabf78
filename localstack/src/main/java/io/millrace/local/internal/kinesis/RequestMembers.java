package io.millrace.local.internal.kinesis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.POJONode;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The members of a request document, read with AWS's checks: type first, then presence, length, range and pattern. */
final class RequestMembers {
    private final JsonNode document;
    private final String path;

    /** @param path what stands before a member's name in an error, such as {@code records.1.member.} */
    RequestMembers(JsonNode document, String path) {
        this.document = document;
        this.path = path;
    }

    boolean has(String name) {
        return member(name) != null;
    }

    @Nullable
    String text(String name) {
        JsonNode member = member(name);
        if (member == null) {
            return null;
        }
        if (!member.isTextual()) {
            throw wrongType(member, name, "a string");
        }
        return member.textValue();
    }

    String requiredText(String name) {
        return required(text(name), name);
    }

    /** A text of that many characters (Unicode code points). */
    String requiredText(String name, int lengthMin, int lengthMax) {
        String text = requiredText(name);
        int length = text.codePointCount(0, text.length());
        if (length < lengthMin) {
            throw KinesisErrors.validation(
                    "'" + text + "'", pathOf(name), "Member must have length greater than or equal to " + lengthMin);
        }
        if (length > lengthMax) {
            throw KinesisErrors.validation(
                    "'" + text + "'", pathOf(name), "Member must have length less than or equal to " + lengthMax);
        }
        return text;
    }

    @Nullable
    String text(String name, Pattern pattern) {
        String text = text(name);
        if (text != null && !pattern.matcher(text).matches()) {
            throw KinesisErrors.validation(
                    "'" + text + "'",
                    pathOf(name),
                    "Member must satisfy regular expression pattern: " + pattern.pattern());
        }
        return text;
    }

    String requiredText(String name, Pattern pattern) {
        return required(text(name, pattern), name);
    }

    <E extends Enum<E>> E requiredEnum(String name, Class<E> type) {
        String text = requiredText(name);
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(text)) {
                return constant;
            }
        }
        throw KinesisErrors.validation(
                "'" + text + "'",
                pathOf(name),
                "Member must satisfy enum value set: " + Arrays.toString(type.getEnumConstants()));
    }

    @Nullable
    Integer integer(String name, int min, int max) {
        JsonNode member = member(name);
        if (member == null) {
            return null;
        }
        if (!member.isIntegralNumber() || !member.canConvertToInt()) {
            throw wrongType(member, name, "an integer");
        }
        int value = member.intValue();
        if (value < min) {
            throw KinesisErrors.validation(
                    "'" + value + "'", pathOf(name), "Member must have value greater than or equal to " + min);
        }
        if (value > max) {
            throw KinesisErrors.validation(
                    "'" + value + "'", pathOf(name), "Member must have value less than or equal to " + max);
        }
        return value;
    }

    int integer(String name, int min, int max, int otherwise) {
        Integer value = integer(name, min, max);
        return value == null ? otherwise : value;
    }

    /** A time in milliseconds since 1970. */
    @Nullable
    Long millis(String name) {
        JsonNode member = member(name);
        if (member == null) {
            return null;
        }
        if (member instanceof POJONode pojo && pojo.getPojo() instanceof Instant time) {
            return time.toEpochMilli();
        }
        if (!member.isNumber()) {
            throw wrongType(member, name, "a time in seconds");
        }
        BigDecimal millis = member.decimalValue().movePointRight(3);
        if (millis.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw wrongType(member, name, "a time in seconds");
        }
        return millis.longValue();
    }

    byte[] requiredBinary(String name) {
        JsonNode member = required(member(name), name);
        if (!member.isTextual() && !member.isBinary()) {
            throw wrongType(member, name, "binary");
        }
        try {
            return member.binaryValue();
        } catch (IOException e) {
            throw KinesisErrors.serialization("The member " + pathOf(name) + " is no valid base64.");
        }
    }

    @Nullable
    RequestMembers structure(String name) {
        JsonNode member = member(name);
        if (member == null) {
            return null;
        }
        if (!member.isObject()) {
            throw wrongType(member, name, "a structure");
        }
        return new RequestMembers(member, pathOf(name) + ".");
    }

    JsonNode requiredList(String name, int sizeMin, int sizeMax) {
        JsonNode member = required(member(name), name);
        if (!member.isArray()) {
            throw wrongType(member, name, "a list");
        }
        if (member.size() < sizeMin) {
            throw KinesisErrors.validation(
                    "'[]'", pathOf(name), "Member must have length greater than or equal to " + sizeMin);
        }
        if (member.size() > sizeMax) {
            throw KinesisErrors.validation(
                    "'[" + member.size() + " members]'",
                    pathOf(name),
                    "Member must have length less than or equal to " + sizeMax);
        }
        return member;
    }

    /** The member's path as AWS's errors show it, such as {@code streamName}. */
    String pathOf(String name) {
        return path + name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    private @Nullable JsonNode member(String name) {
        JsonNode member = document.get(name);
        return member == null || member.isNull() ? null : member;
    }

    private <T> T required(@Nullable T value, String name) {
        if (value == null) {
            throw KinesisErrors.validation("null", pathOf(name), "Member must not be null");
        }
        return value;
    }

    private RuntimeException wrongType(JsonNode member, String name, String expected) {
        return KinesisErrors.serialization(
                member.getNodeType() + "_VALUE can not be converted to " + expected + " for " + pathOf(name));
    }
}
