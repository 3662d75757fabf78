package io.millrace.aws.internal;

import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.StoredRow;
import io.millrace.internal.item.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The expressions of one write of a row. Attributes and values have short names of their own, so that reserved words and
 * dots in names mean nothing. Not thread-safe.
 */
final class RowExpression {
    private final Map<String, String> names = new LinkedHashMap<>();
    private final Map<String, AttributeValue> values = new LinkedHashMap<>();
    private final List<String> sets = new ArrayList<>();
    private final List<String> removes = new ArrayList<>();
    private final List<String> conditions = new ArrayList<>();

    /** The name of an attribute in expressions. */
    String name(String attribute) {
        for (Map.Entry<String, String> known : names.entrySet()) {
            if (known.getValue().equals(attribute)) {
                return known.getKey();
            }
        }
        String name = "#" + Integer.toString(names.size(), Character.MAX_RADIX);
        names.put(name, attribute);
        return name;
    }

    /** The name of a value in expressions. */
    String value(AttributeValue value) {
        String name = ":" + Integer.toString(values.size(), Character.MAX_RADIX);
        values.put(name, value);
        return name;
    }

    RowExpression set(String attribute, AttributeValue value) {
        sets.add(name(attribute) + "=" + value(value));
        return this;
    }

    RowExpression remove(String attribute) {
        removes.add(name(attribute));
        return this;
    }

    /** And the condition holds. */
    RowExpression and(String condition) {
        conditions.add("(" + condition + ")");
        return this;
    }

    /** And no newer generation has written the row. */
    RowExpression andGenerationUpTo(long generation) {
        String name = name(Row.GENERATION);
        return and("attribute_not_exists(" + name + ") OR " + name + " <= " + value(Items.number(generation)));
    }

    /** And the row has the version that was read, or none if none was. */
    RowExpression andVersion(@Nullable String versionRead) {
        String name = name(Row.VERSION);
        return and(
                versionRead == null
                        ? "attribute_not_exists(" + name + ")"
                        : name + " = " + value(Items.text(versionRead)));
    }

    /** And the row has absorbed less of a lane than up to a position, in this generation. */
    RowExpression andFenceBelow(Lane lane, Position position, long generation) {
        String entry = name(StoredRow.fenceAttribute(lane.fenceName()));
        String last = value(AttributeValue.fromB(SdkBytes.fromByteArray(position.encode())));
        return and("attribute_not_exists(" + entry + ") OR " + entry + " < " + last + " OR " + name(Row.GENERATION)
                + " < " + value(Items.number(generation)));
    }

    /** What is set and removed. */
    String update() {
        String set = "SET " + String.join(",", sets);
        return removes.isEmpty() ? set : set + " REMOVE " + String.join(",", removes);
    }

    String condition() {
        return String.join(" AND ", conditions);
    }

    Map<String, String> names() {
        return names;
    }

    Map<String, AttributeValue> values() {
        return values;
    }
}
