package io.millrace.simulation;

import io.millrace.aws.MillraceFunction;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A function instance of a simulation: a process that runs one invocation at a time and can die at each pause. */
final class SimulatedProcess {
    private final int number;
    private final String stream;
    private final SimulatedAws aws;
    private final VirtualClock time;
    private final Clock clock;
    private final int pace;
    private final Instant begunAt;
    private final List<Fiber> fibers = new ArrayList<>();
    private @Nullable MillraceFunction function;
    private @Nullable Invocation invocation;
    private Instant frozenUntil = Instant.MIN;
    private boolean outdated;
    private boolean dead;

    /**
     * @param skew by how much its machine's clock is wrong
     * @param pace how often it has its turn, compared with others
     */
    SimulatedProcess(int number, String stream, SimulatedAws aws, VirtualClock time, Duration skew, int pace) {
        this.number = number;
        this.stream = stream;
        this.aws = aws;
        this.time = time;
        this.clock = time.skewedBy(skew);
        this.pace = pace;
        this.begunAt = time.instant();
    }

    /** Gives it its function, as at a cold start. */
    void load(MillraceFunction newFunction) {
        function = newFunction;
    }

    /** The stream whose records it processes. */
    String stream() {
        return stream;
    }

    SimulatedAws aws() {
        return aws;
    }

    /** The true time. */
    VirtualClock time() {
        return time;
    }

    /** The clock of its machine. */
    Clock clock() {
        return clock;
    }

    /** When it began, by the true time. */
    Instant begunAt() {
        return begunAt;
    }

    int pace() {
        return pace;
    }

    @Nullable
    Invocation invocation() {
        return invocation;
    }

    /** Begins an invocation; it runs when its fiber is resumed. */
    Fiber begin(Invocation newInvocation, Runnable code) {
        invocation = newInvocation;
        return startFiber(code);
    }

    /** The process is idle again. */
    void end() {
        invocation = null;
        fibers.clear();
    }

    MillraceFunction function() {
        return Objects.requireNonNull(function, "a process is loaded before it is invoked");
    }

    Fiber startFiber(Runnable code) {
        Fiber fiber = new Fiber(this, code);
        fibers.add(fiber);
        return fiber;
    }

    List<Fiber> fibers() {
        return fibers;
    }

    /** Stands still until then, as a machine does that swaps, collects garbage or is frozen. */
    void freeze(Instant until) {
        frozenUntil = until;
    }

    Instant frozenUntil() {
        return frozenUntil;
    }

    /** The function has other environment variables now: this instance is not used again. */
    void outdate() {
        outdated = true;
    }

    boolean isOutdated() {
        return outdated;
    }

    boolean isDead() {
        return dead;
    }

    /**
     * Ends the process.
     *
     * @param random decides which of its requests are on their way already; null for none
     * @return how many requests are
     */
    int kill(@Nullable SplittableRandom random) {
        dead = true;
        int onTheirWay = 0;
        for (Fiber fiber : List.copyOf(fibers)) {
            if (random != null && random.nextBoolean() && fiber.dieAfterRequest()) {
                onTheirWay++;
            } else {
                fiber.die();
            }
        }
        fibers.removeIf(Fiber::hasEnded);
        return onTheirWay;
    }

    @Override
    public String toString() {
        return "process " + number;
    }
}
