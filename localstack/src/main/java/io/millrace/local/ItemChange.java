package io.millrace.local;

import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What a write, or the end of its time to live, made of one item. The two maps are unmodifiable, with the attributes in
 * the order of their names; at least one is there, and they are equal if the write changed nothing.
 *
 * @param table the name of the item's table
 * @param before the item until now, or null if there was none
 * @param after the item from now on, or null if there is none any more
 * @param expired whether the item went because its time to live had passed
 */
public record ItemChange(
        String table,
        @Nullable Map<String, AttributeValue> before,
        @Nullable Map<String, AttributeValue> after,
        boolean expired) {
    public ItemChange {
        before = before == null ? null : Collections.unmodifiableMap(before);
        after = after == null ? null : Collections.unmodifiableMap(after);
    }
}
