package io.millrace.local.internal.kinesis;

/** What a shard has taken within one second of the clock, against its limits. Not thread-safe. */
final class ThroughputWindow {
    private static final long SECOND_MILLIS = 1_000;

    private final int callsMax;
    private final long bytesMax;
    private long second = Long.MIN_VALUE;
    private int calls;
    private long bytes;

    ThroughputWindow(int callsMax, long bytesMax) {
        this.callsMax = callsMax;
        this.bytesMax = bytesMax;
    }

    /** Counts one call of that size and returns true, or returns false if it is one too many for this second. */
    boolean tryAcquire(long nowMillis, long callBytes) {
        long nowSecond = Math.floorDiv(nowMillis, SECOND_MILLIS);
        if (nowSecond != second) {
            second = nowSecond;
            calls = 0;
            bytes = 0;
        }
        if (calls + 1 > callsMax || bytes + callBytes > bytesMax) {
            return false;
        }
        calls++;
        bytes += callBytes;
        return true;
    }
}
