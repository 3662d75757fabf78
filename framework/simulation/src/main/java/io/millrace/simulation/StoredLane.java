package io.millrace.simulation;

import io.millrace.internal.engine.Position;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A lane's record as it is stored: its cursor, the batch that was begun, and the record that is tried alone.
 *
 * @param givingUps how often the process died while it gave that record up
 */
record StoredLane(
        @Nullable Position cursor,
        @Nullable Position batchFirst,
        @Nullable Position batchLast,
        int begun,
        @Nullable Position alone,
        int attempts,
        boolean open,
        boolean keyed,
        int givingUps) {
    /** The record of a lane that has none yet. */
    static final StoredLane NONE = new StoredLane(null, null, null, 0, null, 0, false, false, 0);

    static StoredLane of(@Nullable Map<String, AttributeValue> item) {
        return item == null
                ? NONE
                : new StoredLane(
                        position(item, "cursor"),
                        position(item, "batch_first"),
                        position(item, "batch_last"),
                        number(item, "batch_begun"),
                        position(item, "alone_position"),
                        number(item, "alone_attempts"),
                        flag(item, "alone_open"),
                        flag(item, "alone_keyed"),
                        number(item, "alone_giving_ups"));
    }

    /** Whether this record, stored instead of that one, counts a further attempt of a record alone. */
    boolean beginsAlone(StoredLane before) {
        return alone != null && open && (!alone.equals(before.alone) || attempts > before.attempts);
    }

    private static @Nullable Position position(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null ? null : Position.parse(value.s());
    }

    private static int number(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null ? 0 : Integer.parseInt(value.n());
    }

    private static boolean flag(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value != null && value.bool();
    }

    /** In words, with the records' names. */
    String describe(SentLane lane) {
        StringBuilder text = new StringBuilder("cursor ").append(cursor == null ? "none" : lane.describe(cursor));
        if (batchFirst != null) {
            text.append(", batch ").append(lane.describe(batchFirst)).append(" to ");
            text.append(lane.describe(Objects.requireNonNull(batchLast)));
            text.append(" begun ").append(begun).append(" times");
        }
        if (alone != null) {
            text.append(", ")
                    .append(lane.describe(alone))
                    .append(" alone, attempt ")
                    .append(attempts);
            text.append(open ? " runs" : " has ended").append(keyed ? ", keyed" : "");
            text.append(givingUps == 0 ? "" : ", giving up " + givingUps);
        }
        return text.toString();
    }
}
