package io.millrace.aws.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneLineage;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.LaneTime;
import io.millrace.internal.engine.Position;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which lanes are idle, and how far their watermarks are raised. */
class IdlenessTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
    private static final Instant LONG_AGO = NOW.minus(TIMEOUT);
    private static final Instant LATELY = LONG_AGO.plusMillis(1);

    private final Map<Lane, LaneRecord> lanes = new LinkedHashMap<>();
    private final Map<Lane, Instant> proven = new LinkedHashMap<>();
    private WatermarkStrategy<Object> strategy =
            WatermarkStrategy.forMonotonousTimestamps().withIdleness(TIMEOUT);

    private static Lane lane(String shard) {
        return new Lane(0, "stream", shard);
    }

    private void add(String shard, long watermark, @Nullable Instant lastArrival, boolean isProvenEmpty) {
        add(shard, watermark, watermark, lastArrival, isProvenEmpty);
    }

    private void add(String shard, long watermark, long ofData, @Nullable Instant lastArrival, boolean isProvenEmpty) {
        lanes.put(
                lane(shard),
                new LaneRecord(
                        "v",
                        lastArrival == null ? null : Position.of("1"),
                        lastArrival,
                        null,
                        null,
                        new LaneTime(watermark, ofData),
                        LaneLineage.discovered(LONG_AGO, Set.of())));
        if (isProvenEmpty) {
            proven.put(lane(shard), NOW);
        }
    }

    private Map<Lane, Long> raises() {
        return new Idleness(strategy, TIMEOUT, ShellRules.PROTOCOL).raises(lanes, proven, NOW);
    }

    @Test
    void anIdleLaneIsRaisedToTheLowestOfThoseThatAreNot() {
        add("idle", 10, LONG_AGO, true);
        add("behind", 40, LONG_AGO, false);
        add("busy", 30, LATELY, true);
        assertThat(raises()).containsExactly(Map.entry(lane("idle"), 30L));
    }

    @Test
    void allIdleAreRaisedToTheHighest() {
        add("a", 10, LONG_AGO, true);
        add("b", 40, LONG_AGO, true);
        add("never", WatermarkStrategy.NO_WATERMARK, null, true);
        assertThat(raises()).containsExactly(Map.entry(lane("a"), 40L), Map.entry(lane("never"), 40L));
    }

    @Test
    void aLaneThatIsAheadStaysWhereItIs() {
        add("idle", 50, LONG_AGO, true);
        add("busy", 30, LATELY, false);
        assertThat(raises()).isEmpty();
    }

    @Test
    void silenceIsNoProofAndAProofIsNoSilence() {
        add("silent", 10, LONG_AGO, false);
        add("empty", 20, LATELY, true);
        add("busy", 30, LATELY, false);
        assertThat(raises()).isEmpty();
    }

    @Test
    void aLaneThatWasNeverDiscoveredIsNotIdle() {
        lanes.put(lane("unknown"), LaneRecord.unknown());
        proven.put(lane("unknown"), NOW);
        add("busy", 30, LATELY, false);
        assertThat(raises()).isEmpty();
    }

    @Test
    void aLaneWithoutWatermarkHoldsTheOthersDown() {
        add("idle", 10, LONG_AGO, true);
        add("new", WatermarkStrategy.NO_WATERMARK, LATELY, false);
        assertThat(raises()).isEmpty();
    }

    @Test
    void theClockMovesAnIdleLaneFromItsDataToTheProof() {
        strategy = strategy.advanceWithClockWhenIdle();
        add("idle", 700, 500, LONG_AGO, true);
        add("busy", 30, LATELY, false);
        assertThat(raises()).containsExactly(Map.entry(lane("idle"), 500 + TIMEOUT.toMillis()));
        proven.put(lane("idle"), NOW.plusMillis(5));
        assertThat(raises()).containsExactly(Map.entry(lane("idle"), 505 + TIMEOUT.toMillis()));
    }

    @Test
    void theClockMovesNoLaneWithoutData() {
        strategy = strategy.advanceWithClockWhenIdle();
        add("idle", 10, WatermarkStrategy.NO_WATERMARK, LONG_AGO, true);
        add("never", 10, WatermarkStrategy.NO_WATERMARK, null, true);
        add("busy", 30, LATELY, false);
        assertThat(raises()).containsExactly(Map.entry(lane("idle"), 30L), Map.entry(lane("never"), 30L));
    }
}
