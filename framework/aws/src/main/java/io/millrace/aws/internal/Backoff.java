package io.millrace.aws.internal;

import io.millrace.MillraceException;

/** Waiting before trying again: exponential, with full jitter. Thread-safe. */
public final class Backoff {
    /** How often one thing is tried in a row. */
    static final int ATTEMPTS_MAX = 12;

    private static final long FIRST_MILLIS = 20;
    private static final long LONGEST_MILLIS = 1_000;

    private final Surroundings surroundings;

    public Backoff(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** Waits before the attempt after {@code attempt} (1 for the first). */
    void await(int attempt) {
        long ceilingMillis = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(attempt - 1, 10));
        try {
            surroundings.sleeper().sleep(surroundings.random().nextLong(ceilingMillis + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MillraceException("The invocation was interrupted while it waited to try again.", e);
        }
    }
}
