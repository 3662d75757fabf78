package io.millrace.time;

/** Tells when an element happened. Must give the same each time. */
@FunctionalInterface
public interface TimestampAssigner<T> {
    /**
     * An element's event time.
     *
     * @param recordTimestamp when its record arrived in the stream, by Kinesis's clock, in milliseconds since the epoch
     * @return milliseconds since the epoch
     */
    long extractTimestamp(T element, long recordTimestamp);
}
