package io.millrace.local;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/**
 * What belongs to one invocation beside its event: its request id, its deadline, and the scope of its AWS requests.
 * {@code lane} is 0, or the number of the concurrent batch within the shard when the parallelization factor is above 1.
 */
public final class InvocationContext {
    private final Clock clock;
    private final Duration timeout;
    private final String shardId;
    private final int lane;
    private final Instant deadline;
    private final String requestId = UUID.randomUUID().toString();
    private final InvocationScope scope = new InvocationScope();

    private InvocationContext(Clock clock, Duration timeout, String shardId, int lane) {
        this.clock = clock;
        this.timeout = timeout;
        this.shardId = shardId;
        this.lane = lane;
        this.deadline = clock.instant().plus(timeout);
    }

    /** A context for an invocation that begins now. */
    public static InvocationContext starting(Clock clock, Duration timeout, String shardId, int lane) {
        return new InvocationContext(clock, timeout, shardId, lane);
    }

    /** A context for another invocation of the same lane that begins now: new request id, deadline and scope. */
    public InvocationContext again() {
        return new InvocationContext(clock, timeout, shardId, lane);
    }

    public String requestId() {
        return requestId;
    }

    public String shardId() {
        return shardId;
    }

    public int lane() {
        return lane;
    }

    public Duration timeout() {
        return timeout;
    }

    public Instant deadline() {
        return deadline;
    }

    public InvocationScope scope() {
        return scope;
    }

    /** Milliseconds until the deadline, 0 behind it. */
    public int remainingTimeMillis() {
        long millis = Duration.between(clock.instant(), deadline).toMillis();
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, millis));
    }
}
