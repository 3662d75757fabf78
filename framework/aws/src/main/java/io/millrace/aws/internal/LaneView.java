package io.millrace.aws.internal;

import io.millrace.internal.engine.LaneRecord;
import io.millrace.time.WatermarkStrategy;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The lane records of a stage as they were read at about one time. Immutable.
 *
 * @param byShard the records, by shard
 * @param complete whether these are the lanes that the stage's *lanes complete* item names, which was read before them
 */
record LaneView(NavigableMap<String, LaneRecord> byShard, boolean complete) {
    LaneView {
        byShard = Collections.unmodifiableNavigableMap(byShard);
    }

    /** The record of a lane; an empty one if it has none. */
    LaneRecord of(String shardId) {
        return byShard.getOrDefault(shardId, LaneRecord.unknown());
    }

    /** This view with a newer record. */
    LaneView with(String shardId, LaneRecord record) {
        NavigableMap<String, LaneRecord> newer = new TreeMap<>(byShard);
        newer.put(shardId, record);
        return new LaneView(newer, complete);
    }

    /** The lowest of the lanes that count; none without a lane. */
    long watermark(ShellRules rules) {
        return byShard.entrySet().stream()
                .filter(lane -> rules.counts(this, lane.getValue()))
                .mapToLong(lane -> lane.getValue().time().watermark())
                .min()
                .orElse(WatermarkStrategy.NO_WATERMARK);
    }

    boolean holds(Set<String> shardIds) {
        return byShard.keySet().containsAll(shardIds);
    }

    /** The lanes that are not finished. */
    Map<String, LaneRecord> unfinished() {
        Map<String, LaneRecord> unfinished = new TreeMap<>(byShard);
        unfinished.values().removeIf(record -> record.lineage().finished());
        return unfinished;
    }
}
