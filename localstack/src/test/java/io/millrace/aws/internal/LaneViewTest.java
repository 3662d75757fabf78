package io.millrace.aws.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.internal.engine.LaneLineage;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.time.WatermarkStrategy;
import java.time.Instant;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which lanes of a view count for the stage's watermark. */
class LaneViewTest {
    private static final LaneLineage DISCOVERED =
            LaneLineage.discovered(Instant.parse("2026-01-31T12:00:00Z"), Set.of());

    private final NavigableMap<String, LaneRecord> lanes = new TreeMap<>();

    private void add(String shard, long watermark, LaneLineage lineage) {
        lanes.put(shard, LaneRecord.unknown().withLineage(lineage).withWatermark(watermark));
    }

    private long watermark() {
        return new LaneView(lanes, true).watermark(ShellRules.PROTOCOL);
    }

    @Test
    void theLowestCounts() {
        add("a", 20, DISCOVERED);
        add("b", 10, DISCOVERED);
        assertThat(watermark()).isEqualTo(10);
    }

    @Test
    void aLaneThatHasNotSpokenHoldsTheWatermark() {
        add("a", 20, DISCOVERED);
        lanes.put("silent", LaneRecord.unknown().withLineage(DISCOVERED));
        assertThat(watermark()).isEqualTo(WatermarkStrategy.NO_WATERMARK);
    }

    @Test
    void withoutALaneThereIsNone() {
        assertThat(watermark()).isEqualTo(WatermarkStrategy.NO_WATERMARK);
    }

    /** The lanes are not read at one moment: a parent can be read behind its end, and its children before their beginning. */
    @Test
    void aFinishedParentCountsUntilAllItsChildrenAreInTheView() {
        add("parent", 10, DISCOVERED.finishedWith(Set.of("left", "right")));
        add("other", 50, DISCOVERED);
        assertThat(watermark()).isEqualTo(10);

        add("left", 20, DISCOVERED);
        assertThat(watermark()).as("one child is missing").isEqualTo(10);

        add("right", 30, DISCOVERED);
        assertThat(watermark()).as("both are there").isEqualTo(20);
    }

    @Test
    void aFinishedLaneWithoutChildrenDoesNotCount() {
        add("gone", 10, DISCOVERED.finishedWith(Set.of()));
        add("other", 50, DISCOVERED);
        assertThat(watermark()).isEqualTo(50);
    }
}
