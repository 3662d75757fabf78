package io.millrace.aws.internal;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.random.RandomGenerator;

/**
 * What an invocation takes from outside: time, randomness, waiting. All of it is passed in, so that a test can decide
 * it. Thread-safe if its parts are.
 *
 * @param sweepLeaseMillis how long a sweeper that died keeps others from its bucket; nothing is right or wrong by it
 */
public record Surroundings(Clock clock, RandomGenerator random, Sleeper sleeper, long sweepLeaseMillis) {
    private static final int NONCE_BYTES = 16;

    /** Surroundings with leases as long as on Lambda. */
    public Surroundings(Clock clock, RandomGenerator random, Sleeper sleeper) {
        this(clock, random, sleeper, SweepLeases.LEASE_MILLIS);
    }

    /** Waits. */
    @FunctionalInterface
    public interface Sleeper {
        void sleep(long millis) throws InterruptedException;
    }

    /** The system's; SecureRandom is seeded anew when a Lambda snapshot is restored, so nonces stay unique. */
    public static Surroundings ofSystem() {
        return new Surroundings(Clock.systemUTC(), new SecureRandom(), Thread::sleep);
    }

    /** These surroundings with another length of leases; 0 for leases that keep nobody away. */
    public Surroundings withSweepLeaseMillis(long millis) {
        return new Surroundings(clock, random, sleeper, millis);
    }

    /** A text that was never given before: 22 characters, 128 random bits. */
    public String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
