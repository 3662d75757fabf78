package io.millrace.aws.internal;

import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far the watermarks of lanes that get nothing are raised, by the protocol page ("Idle lanes raise their own watermark").
 * A lane is idle when it was proven empty and its last record, or its discovery if it has none, is long enough ago. Pure.
 */
final class Idleness {
    private final WatermarkStrategy<?> strategy;
    private final Duration timeout;
    private final ShellRules rules;

    /** @param timeout after which time without records a lane is idle */
    Idleness(WatermarkStrategy<?> strategy, Duration timeout, ShellRules rules) {
        this.strategy = strategy;
        this.timeout = timeout;
        this.rules = rules;
    }

    /**
     * The watermarks of idle lanes, where they are higher than those that they have.
     *
     * @param lanes the lanes that are not finished, as they were read before the proofs
     * @param provenEmpty the lanes that were proven empty, with the time up to which
     * @param now the time at which the lanes were read
     */
    Map<Lane, Long> raises(Map<Lane, LaneRecord> lanes, Map<Lane, Instant> provenEmpty, Instant now) {
        Map<Lane, LaneRecord> idle = new LinkedHashMap<>();
        long lowestAwake = WatermarkStrategy.END_OF_INPUT;
        long highest = WatermarkStrategy.NO_WATERMARK;
        for (var entry : lanes.entrySet()) {
            LaneRecord record = entry.getValue();
            highest = Math.max(highest, record.time().watermark());
            if (rules.isIdle(record, provenEmpty.get(entry.getKey()), now, timeout)) {
                idle.put(entry.getKey(), record);
            } else {
                lowestAwake = Math.min(lowestAwake, record.time().watermark());
            }
        }
        long target = idle.size() == lanes.size() ? highest : lowestAwake;
        Map<Lane, Long> raises = new LinkedHashMap<>();
        idle.forEach((lane, record) -> {
            long raised = Math.max(target, byClock(record, provenEmpty.getOrDefault(lane, now)));
            if (raised > record.time().watermark()) {
                raises.put(lane, raised);
            }
        });
        return raises;
    }

    /** By its last data and the time that passed since then, up to the proof and never beyond it. */
    private long byClock(LaneRecord record, Instant provenAt) {
        Instant lastArrival = record.lastArrival();
        long ofData = record.time().ofData();
        if (!strategy.advancesWithClockWhenIdle()
                || lastArrival == null
                || ofData == WatermarkStrategy.NO_WATERMARK
                || !provenAt.isAfter(lastArrival)) {
            return WatermarkStrategy.NO_WATERMARK;
        }
        return ofData + Duration.between(lastArrival, provenAt).toMillis();
    }
}
