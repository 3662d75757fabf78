package io.millrace.local;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Seeded misfortune for the invocations of a mapping: everything that Lambda's delivery allows and a healthy day hides.
 * Each batch is hit a bounded number of times, so every run ends. A hit counts as a failed invocation, so a mapping with
 * fewer retries than {@link Builder#hitsPerBatchMax} can lose a batch to it, as on AWS. Thread-safe.
 */
public final class MappingChaos {
    /** What can happen to an invocation. */
    public enum Misfortune {
        /** The process dies before the function runs. */
        CRASH_BEFORE,
        /** The process dies at one of the function's AWS requests (see {@link InvocationScope}). */
        CRASH_DURING,
        /** The function does all its work, and its answer is lost. */
        RESPONSE_LOST,
        /** The invocation is reported as timed out and goes on in the background, beside its retry. */
        ZOMBIE,
        /** An acknowledged run of records is delivered once more, beside what comes next. */
        DUPLICATE,
        /** The records are delivered in another composition, preceded by some that were acknowledged before. */
        RECOMPOSED
    }

    private final long seed;
    private final Map<Misfortune, Double> probabilities;
    private final int hitsPerBatchMax;
    private final int requestsBeforeCrashMax;
    private final int backgroundMax;
    private final Executor background;
    private final Semaphore backgroundPermits;
    private final Map<Misfortune, LongAdder> counts = new EnumMap<>(Misfortune.class);
    private final Map<String, LaneChaos> lanes = new ConcurrentHashMap<>();
    private volatile boolean quiet;

    private MappingChaos(Builder builder) {
        seed = builder.seed;
        probabilities = new EnumMap<>(builder.probabilities);
        hitsPerBatchMax = builder.hitsPerBatchMax;
        requestsBeforeCrashMax = builder.requestsBeforeCrashMax;
        backgroundMax = builder.backgroundMax;
        background = builder.background;
        backgroundPermits = new Semaphore(backgroundMax);
        for (Misfortune misfortune : Misfortune.values()) {
            counts.put(misfortune, new LongAdder());
        }
    }

    /** Chaos with the default probabilities. */
    public static MappingChaos seeded(long seed) {
        return builder(seed).build();
    }

    public static Builder builder(long seed) {
        return new Builder(seed);
    }

    /** Stops all further misfortune; what runs in the background goes on. */
    public void quiesce() {
        quiet = true;
    }

    /** How often each misfortune happened. */
    public Map<Misfortune, Long> injected() {
        Map<Misfortune, Long> injected = new EnumMap<>(Misfortune.class);
        counts.forEach((misfortune, count) -> injected.put(misfortune, count.sum()));
        return injected;
    }

    /**
     * Waits for the zombies and duplicates in the background.
     *
     * @return false if some still run after {@code timeout}
     */
    public boolean awaitBackground(Duration timeout) throws InterruptedException {
        if (!backgroundPermits.tryAcquire(backgroundMax, timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        backgroundPermits.release(backgroundMax);
        return true;
    }

    FunctionInvoker decorate(FunctionInvoker function, int batchSize, boolean reportBatchItemFailures) {
        MappingChaos chaos = this;
        return new FunctionInvoker() {
            @Override
            public InvocationOutcome invoke(KinesisEvent event, InvocationContext context) {
                LaneChaos lane = lanes.computeIfAbsent(
                        context.shardId() + "/" + context.lane(),
                        name -> new LaneChaos(
                                chaos, new SplittableRandom(mix(name)), function, batchSize, reportBatchItemFailures));
                return lane.invoke(event, context);
            }

            @Override
            public boolean awaitZombies(Duration timeout) throws InterruptedException {
                return awaitBackground(timeout) && function.awaitZombies(timeout);
            }
        };
    }

    private long mix(String name) {
        return seed * 0x9E3779B97F4A7C15L + name.hashCode();
    }

    /** A discarded batch leaves a gap, and a recomposed batch must be a contiguous run of the shard. */
    EventSourceMappingListener listener() {
        return new EventSourceMappingListener() {
            @Override
            public void discarded(DiscardedBatch batch) {
                lanes.forEach((name, lane) -> {
                    if (name.startsWith(batch.shardId() + "/")) {
                        lane.forgetHistory();
                    }
                });
            }
        };
    }

    /** Draws the misfortune of an invocation, or null; counts it. */
    @Nullable
    Misfortune draw(SplittableRandom random) {
        double point = random.nextDouble();
        if (quiet) {
            return null;
        }
        for (Map.Entry<Misfortune, Double> entry : probabilities.entrySet()) {
            point -= entry.getValue();
            if (point < 0) {
                return entry.getKey();
            }
        }
        return null;
    }

    void count(Misfortune misfortune) {
        LongAdder count = counts.get(misfortune);
        if (count != null) {
            count.increment();
        }
    }

    /** Runs an invocation in the background unless too many run there already. */
    boolean runInBackground(Runnable invocation) {
        if (!backgroundPermits.tryAcquire()) {
            return false;
        }
        background.execute(() -> {
            try {
                invocation.run();
            } finally {
                backgroundPermits.release();
            }
        });
        return true;
    }

    int hitsPerBatchMax() {
        return hitsPerBatchMax;
    }

    int requestsBeforeCrashMax() {
        return requestsBeforeCrashMax;
    }

    /** Configures the chaos. The probabilities of all misfortunes together must not exceed 1. Not thread-safe. */
    public static final class Builder {
        private final long seed;
        private final Map<Misfortune, Double> probabilities = new EnumMap<>(Misfortune.class);
        private int hitsPerBatchMax = 3;
        private int requestsBeforeCrashMax = 8;
        private int backgroundMax = 8;
        private Executor background = Builder::runOnDaemonThread;

        private Builder(long seed) {
            this.seed = seed;
            probabilities.put(Misfortune.CRASH_BEFORE, 0.05);
            probabilities.put(Misfortune.CRASH_DURING, 0.10);
            probabilities.put(Misfortune.RESPONSE_LOST, 0.08);
            probabilities.put(Misfortune.ZOMBIE, 0.05);
            probabilities.put(Misfortune.DUPLICATE, 0.08);
            probabilities.put(Misfortune.RECOMPOSED, 0.10);
        }

        private static void runOnDaemonThread(Runnable task) {
            Thread thread = new Thread(task, "mapping-chaos");
            thread.setDaemon(true);
            thread.start();
        }

        /** The probability of one misfortune per invocation, 0 to 1. */
        public Builder probability(Misfortune misfortune, double value) {
            if (!(value >= 0 && value <= 1)) {
                throw new IllegalArgumentException(
                        "The probability of " + misfortune + " is " + value + "; it must lie between 0 and 1");
            }
            probabilities.put(misfortune, value);
            return this;
        }

        /** The most hits on a batch (named by its first record), default 3. */
        public Builder hitsPerBatchMax(int value) {
            hitsPerBatchMax = positive("hitsPerBatchMax", value);
            return this;
        }

        /** A crash happens at one of the first so many AWS requests of an invocation, default 8. */
        public Builder requestsBeforeCrashMax(int value) {
            requestsBeforeCrashMax = positive("requestsBeforeCrashMax", value);
            return this;
        }

        /** The most invocations in the background at the same time, default 8; beyond it there is no misfortune. */
        public Builder backgroundMax(int value) {
            backgroundMax = positive("backgroundMax", value);
            return this;
        }

        /** What runs zombies and duplicates; default a daemon thread each. A simulation can pass a queue of its own. */
        public Builder background(Executor value) {
            background = value;
            return this;
        }

        private static int positive(String name, int value) {
            if (value < 1) {
                throw new IllegalArgumentException(name + " is " + value + "; it must be at least 1");
            }
            return value;
        }

        public MappingChaos build() {
            double sum = probabilities.values().stream()
                    .mapToDouble(Double::doubleValue)
                    .sum();
            if (sum > 1) {
                throw new IllegalArgumentException("The probabilities " + probabilities + " add up to " + sum
                        + "; an invocation meets one misfortune at most, so they must not exceed 1");
            }
            return new MappingChaos(this);
        }
    }
}
