package io.millrace.local;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Seeded misfortune for the ticks of a run: they die at one of their requests, and they meet a twin, as when a schedule fires
 * twice or a tick that was given up goes on beside the next one. Thread-safe.
 */
final class TickChaos {
    /** What can happen to a tick. */
    enum Misfortune {
        /** The process dies at one of the tick's AWS requests. */
        TICK_CRASH,
        /** Another tick of the stage runs at the same time. */
        TICK_TWIN,
        /** The process that ends the input dies at one of its AWS requests. */
        END_OF_INPUT_CRASH
    }

    private static final double CRASH_PROBABILITY = 0.25;
    private static final double TWIN_PROBABILITY = 0.25;
    private static final int TICK_REQUESTS_BEFORE_CRASH_MAX = 12;
    private static final int ENDING_REQUESTS_BEFORE_CRASH_MAX = 60;
    private static final int ENDING_CRASHES_MAX = 3;
    private static final int TWINS_MAX = 2;

    private final Object monitor = new Object();
    private final SplittableRandom random;
    private final Semaphore twins = new Semaphore(TWINS_MAX);
    private final AtomicInteger endingCrashes = new AtomicInteger();
    private final Map<Misfortune, LongAdder> counts = new EnumMap<>(Misfortune.class);

    TickChaos(long seed) {
        random = new SplittableRandom(seed);
        for (Misfortune misfortune : Misfortune.values()) {
            counts.put(misfortune, new LongAdder());
        }
    }

    /** How often each misfortune happened. */
    Map<Misfortune, Long> injected() {
        Map<Misfortune, Long> injected = new EnumMap<>(Misfortune.class);
        counts.forEach((misfortune, count) -> injected.put(misfortune, count.sum()));
        return injected;
    }

    /** The tick function with misfortune. */
    TickInvoker decorate(TickInvoker function) {
        return new TickInvoker() {
            @Override
            public TickOutcome tick(InvocationContext context) {
                @Nullable Misfortune misfortune = draw();
                if (misfortune == Misfortune.TICK_CRASH) {
                    context.scope().abortFrom(between(1, TICK_REQUESTS_BEFORE_CRASH_MAX));
                    TickOutcome outcome = function.tick(context);
                    countIfAborted(Misfortune.TICK_CRASH, context);
                    return outcome;
                }
                if (misfortune == Misfortune.TICK_TWIN) {
                    startTwin(function, context.again());
                }
                return function.tick(context);
            }

            @Override
            public boolean awaitZombies(Duration timeout) throws InterruptedException {
                if (!twins.tryAcquire(TWINS_MAX, timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                    return false;
                }
                twins.release(TWINS_MAX);
                return function.awaitZombies(timeout);
            }
        };
    }

    /** Lets some of the first attempts to end the input die. */
    void harmEnding(InvocationContext context) {
        if (endingCrashes.getAndIncrement() < ENDING_CRASHES_MAX) {
            context.scope().abortFrom(between(1, ENDING_REQUESTS_BEFORE_CRASH_MAX));
        }
    }

    /** Counts the death of an attempt to end the input, if it died. */
    void countEnding(InvocationContext context) {
        countIfAborted(Misfortune.END_OF_INPUT_CRASH, context);
    }

    private void startTwin(TickInvoker function, InvocationContext context) {
        if (!twins.tryAcquire()) {
            return;
        }
        count(Misfortune.TICK_TWIN);
        Thread thread = new Thread(
                () -> {
                    try {
                        function.tick(context);
                    } finally {
                        twins.release();
                    }
                },
                "tick-twin");
        thread.setDaemon(true);
        thread.start();
    }

    private @Nullable Misfortune draw() {
        double point;
        synchronized (monitor) {
            point = random.nextDouble();
        }
        if (point < CRASH_PROBABILITY) {
            return Misfortune.TICK_CRASH;
        }
        return point < CRASH_PROBABILITY + TWIN_PROBABILITY ? Misfortune.TICK_TWIN : null;
    }

    private int between(int from, int to) {
        synchronized (monitor) {
            return from + random.nextInt(to - from + 1);
        }
    }

    private void countIfAborted(Misfortune misfortune, InvocationContext context) {
        if (context.scope().aborted()) {
            count(misfortune);
        }
    }

    private void count(Misfortune misfortune) {
        LongAdder count = counts.get(misfortune);
        if (count != null) {
            count.increment();
        }
    }
}
