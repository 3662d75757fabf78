package io.millrace.local.internal.wire;

import java.util.SplittableRandom;
import java.util.UUID;

/** The request ids that responses carry: drawn from a seed, so that a run can be repeated. Thread-safe. */
public final class RequestIds {
    private static final long VERSION_MASK = 0xFFFFFFFFFFFF0FFFL;
    private static final long VERSION_4 = 0x4000L;
    private static final long VARIANT_MASK = 0x3FFFFFFFFFFFFFFFL;
    private static final long VARIANT_IETF = 0x8000000000000000L;

    private final SplittableRandom random;

    public RequestIds(long seed) {
        this.random = new SplittableRandom(seed);
    }

    public synchronized String next() {
        long high = (random.nextLong() & VERSION_MASK) | VERSION_4;
        long low = (random.nextLong() & VARIANT_MASK) | VARIANT_IETF;
        return new UUID(high, low).toString();
    }
}
