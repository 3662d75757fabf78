package io.millrace.internal.engine;

import io.millrace.time.WatermarkStrategy;

/**
 * How far a lane has come in event time. Both only rise. Immutable.
 *
 * @param watermark the lane's watermark
 * @param ofData as far as its own records have moved it, from where the clock moves an idle lane on
 */
public record LaneTime(long watermark, long ofData) {
    /** A lane without any event yet. */
    public static final LaneTime NONE = new LaneTime(WatermarkStrategy.NO_WATERMARK, WatermarkStrategy.NO_WATERMARK);

    LaneTime withData(long newWatermark) {
        return new LaneTime(Math.max(watermark, newWatermark), Math.max(ofData, newWatermark));
    }

    LaneTime raisedTo(long newWatermark) {
        return new LaneTime(Math.max(watermark, newWatermark), ofData);
    }
}
