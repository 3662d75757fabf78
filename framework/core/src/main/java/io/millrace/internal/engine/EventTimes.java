package io.millrace.internal.engine;

import io.millrace.internal.item.UnacceptableException;
import io.millrace.internal.plan.EventTimePlan;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.Step;
import io.millrace.time.WatermarkStrategy;
import java.util.ArrayList;
import java.util.List;

/** Runs the elements of one record through the stateless steps, and gives them their event time on the way. For one use. */
final class EventTimes {
    /** The largest event time, either way of the epoch: 100,000,000 days, so that no sum with a window's size overflows. */
    static final long TIMESTAMP_MAX = 8_640_000_000_000_000L;

    private final KeyedStagePlan plan;
    private final InputRecord record;
    private long max = WatermarkStrategy.NO_WATERMARK;
    private int future;

    /** An element with its event time. */
    record Timed(Object value, long timestamp) {}

    EventTimes(KeyedStagePlan plan, InputRecord record) {
        this.plan = plan;
        this.record = record;
    }

    /** What the steps make of decoded elements. */
    List<Timed> ofElements(List<Object> decoded) throws Exception {
        List<Timed> timed = new ArrayList<>(decoded.size());
        EventTimePlan eventTime = plan.eventTime();
        if (eventTime == null) {
            long arrivalMillis = record.arrival().toEpochMilli();
            for (Object element : decoded) {
                Step.applyAll(plan.steps(), element, value -> timed.add(new Timed(value, arrivalMillis)));
            }
            return timed;
        }
        List<Step> before = plan.steps().subList(0, eventTime.stepsBefore());
        List<Step> behind =
                plan.steps().subList(eventTime.stepsBefore(), plan.steps().size());
        List<Object> untimed = new ArrayList<>(decoded.size());
        for (Object element : decoded) {
            Step.applyAll(before, element, untimed::add);
        }
        for (Object element : untimed) {
            long timestamp = timestamp(eventTime.strategy(), element);
            Step.applyAll(behind, element, value -> timed.add(new Timed(value, timestamp)));
        }
        return timed;
    }

    private long timestamp(WatermarkStrategy<Object> strategy, Object element) {
        long timestamp = strategy.timestampOf(element, record.arrival());
        if (Math.abs(timestamp) > TIMESTAMP_MAX || timestamp == Long.MIN_VALUE) {
            throw new UnacceptableException(
                    "The event time of an element is " + timestamp + " milliseconds since 1970; "
                            + -TIMESTAMP_MAX + " to " + TIMESTAMP_MAX
                            + " are allowed. Does the timestamp assigner take the right field, in milliseconds?");
        }
        if (strategy.isFuture(timestamp, record.arrival())) {
            future++;
        } else {
            max = Math.max(max, timestamp);
        }
        return timestamp;
    }

    /** The highest event time of those that are not from the future. */
    long max() {
        return max;
    }

    /** How many are from the future. */
    int future() {
        return future;
    }
}
