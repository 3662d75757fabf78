package io.millrace.simulation;

import io.millrace.time.WatermarkStrategy;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What a lane's record tells of its time, and of its place among the shards, as it is stored.
 *
 * @param children by their lanes' names
 */
record LaneStanding(
        long watermark,
        long ofData,
        @Nullable Instant lastArrival,
        boolean discovered,
        boolean finished,
        Set<String> children) {
    /** Of a lane that has no record. */
    static final LaneStanding NONE = new LaneStanding(
            WatermarkStrategy.NO_WATERMARK, WatermarkStrategy.NO_WATERMARK, null, false, false, Set.of());

    static LaneStanding of(@Nullable Map<String, AttributeValue> item, String stream) {
        if (item == null) {
            return NONE;
        }
        Set<String> children = new TreeSet<>();
        AttributeValue stored = item.get("children");
        if (stored != null) {
            stored.ss().forEach(child -> children.add(stream + "/" + child));
        }
        AttributeValue arrival = item.get("last_arrival");
        return new LaneStanding(
                number(item, "watermark"),
                number(item, "watermark_of_data"),
                arrival == null ? null : Instant.parse(arrival.s()),
                item.containsKey("discovered"),
                item.containsKey("finished"),
                children);
    }

    /** A watermark in an item; none if it is not there. */
    static long number(Map<String, AttributeValue> item, String name) {
        AttributeValue value = item.get(name);
        return value == null ? WatermarkStrategy.NO_WATERMARK : Long.parseLong(value.n());
    }

    /** A watermark in words. */
    static String words(long watermark) {
        if (watermark == WatermarkStrategy.NO_WATERMARK) {
            return "none";
        }
        return watermark == WatermarkStrategy.END_OF_INPUT
                ? "the end"
                : Instant.ofEpochMilli(watermark).toString();
    }

    @Override
    public String toString() {
        return "watermark " + words(watermark) + (discovered ? "" : ", not discovered")
                + (finished ? ", finished" : "");
    }
}
