package io.millrace.aws.internal;

import java.util.function.IntSupplier;

/**
 * The time that an invocation has: user code may run for its first half, commits may begin until a reserve is left, in
 * which the lane record is written. So an invocation ends by itself before it is ended.
 */
public final class Deadline {
    private static final int RESERVE_PART = 10;
    private static final int RESERVE_MILLIS_MAX = 5_000;

    private final IntSupplier remainingMillis;
    private final int reserveMillis;
    private final int runUntilMillis;

    /** The deadline of an invocation that begins now. */
    public Deadline(IntSupplier remainingMillis) {
        this.remainingMillis = remainingMillis;
        int total = remainingMillis.getAsInt();
        this.reserveMillis = Math.min(RESERVE_MILLIS_MAX, total / RESERVE_PART);
        this.runUntilMillis = Math.max(reserveMillis, total / 2);
    }

    /** Whether no further record should be run. */
    boolean isPastRunning() {
        return remainingMillis.getAsInt() <= runUntilMillis;
    }

    /** Whether no further request should begin. */
    public boolean isNear() {
        return remainingMillis.getAsInt() <= reserveMillis;
    }
}
