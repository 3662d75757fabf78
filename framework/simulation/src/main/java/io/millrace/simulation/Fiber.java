package io.millrace.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Code of a simulated process on a thread of its own, which runs only while it has the baton: from one of its pauses (a
 * request, a wait) to the next. So one thread of a simulation runs at a time, and which one is decided by the seed. The
 * semaphores that hand the baton over also make the fields of all visible to the next.
 */
final class Fiber {
    private static final String ANSWER = "answer of ";
    private static final ThreadLocal<@Nullable Fiber> CURRENT = new ThreadLocal<>();
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "fiber");
        thread.setDaemon(true);
        return thread;
    });

    private final SimulatedProcess process;
    private final Semaphore turn = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private String doing = "begins";
    private boolean beforeRequest;
    private Instant notBefore = Instant.MIN;
    private @Nullable BooleanSupplier awaited;
    private boolean mustDie;
    private boolean diesAfterRequest;
    private boolean ended;

    /** Begins at its first turn. */
    Fiber(SimulatedProcess process, Runnable code) {
        this.process = process;
        THREADS.execute(() -> live(code));
    }

    /** The fiber whose code calls this; null on the thread that runs the simulation. */
    static @Nullable Fiber current() {
        return CURRENT.get();
    }

    private void live(Runnable code) {
        turn.acquireUninterruptibly();
        CURRENT.set(this);
        try {
            if (!mustDie) {
                code.run();
            }
        } catch (ProcessDied died) {
            doing = "died";
        } finally {
            CURRENT.remove();
            ended = true;
            back.release();
        }
    }

    SimulatedProcess process() {
        return process;
    }

    /** What it does next. */
    String doing() {
        return doing;
    }

    /** Whether the answer that it gets next holds what it has read of cells. */
    boolean isReading() {
        return doing.equals(ANSWER + "BatchGetItem");
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether it can go on now. */
    boolean isReady(Instant now) {
        return !ended
                && !notBefore.isAfter(now)
                && !process.frozenUntil().isAfter(now)
                && (awaited == null || awaited.getAsBoolean());
    }

    /** When it can go on if nothing else happens; null if it waits for another fiber, or has ended. */
    @Nullable
    Instant wakesAt() {
        if (ended || (awaited != null && !awaited.getAsBoolean())) {
            return null;
        }
        return notBefore.isAfter(process.frozenUntil()) ? notBefore : process.frozenUntil();
    }

    /** Gives it the baton, until its next pause or its end. Called by the simulation's thread. */
    void resume() {
        turn.release();
        back.acquireUninterruptibly();
    }

    /** Ends it at its pause. */
    void die() {
        if (!ended) {
            mustDie = true;
            resume();
        }
    }

    /**
     * Ends it, but for the request that it is about to make: that is on its way already and reaches AWS later, and nobody
     * hears the answer.
     *
     * @return whether there is such a request
     */
    boolean dieAfterRequest() {
        diesAfterRequest = !ended && beforeRequest;
        return diesAfterRequest;
    }

    /** Pauses before a request. Called by its own code, as are all below. */
    void pauseBefore(String request) {
        beforeRequest = true;
        pause(request);
        beforeRequest = false;
    }

    /** Pauses with the answer to a request on its way. */
    void pauseAfter(String request) {
        if (diesAfterRequest) {
            mustDie = true;
            throw new ProcessDied();
        }
        pause(ANSWER + request);
    }

    /** Sleeps in virtual time. */
    void sleep(Duration duration) {
        notBefore = process.time().instant().plus(duration);
        pause("sleeps");
        notBefore = Instant.MIN;
    }

    /** Waits for something that another fiber does. */
    void await(BooleanSupplier condition) {
        if (!condition.getAsBoolean()) {
            awaited = condition;
            pause("awaits requests");
            awaited = null;
        }
    }

    private void pause(String next) {
        if (!mustDie) {
            doing = next;
            back.release();
            turn.acquireUninterruptibly();
        }
        if (mustDie) {
            throw new ProcessDied();
        }
    }
}
