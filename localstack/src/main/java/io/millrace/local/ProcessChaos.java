package io.millrace.local;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Seeded misfortune for the processes of a {@link ProcessFunctionInvoker}: a given number of kills and of time-outs,
 * spread over a given number of records. What happens in which order follows from the seed; at which instruction of the
 * process, nobody decides. A batch is hit a bounded number of times. For one function only. Thread-safe.
 */
public final class ProcessChaos {
    /** What can happen to an invocation. */
    public enum Misfortune {
        /** A new process is killed while it starts; it never gets an event. */
        KILL_BEFORE_FIRST_EVENT,
        /** The process is killed while the function runs. */
        KILL_DURING,
        /** The process is killed when it has just answered; the answer arrives or is lost. */
        KILL_AFTER_ANSWER,
        /** The invocation is taken for timed out, and the process goes on to its end beside the retry. */
        TIME_OUT,
        /** As a time-out, and the process is stopped for a while, so that it writes late. */
        TIME_OUT_STOPPED
    }

    /** The most time-outs whose processes go on at the same time. */
    static final int ZOMBIES_MAX = 2;
    /** The same, when there are hardly enough batches left. */
    static final int LATE_ZOMBIES_MAX = 6;

    private static final int HITS_PER_BATCH_MAX = 2;
    /** A batch that was begun twice is run record by record, which takes long; so only some are hit again. */
    private static final int SECOND_HIT_OF = 4;

    /** When there are hardly enough batches left for what is still to happen. */
    private static final int HITS_PER_LATE_BATCH_MAX = 6;
    /** The last records are left for what could not happen before. */
    private static final double SPREAD_SHARE = 0.8;

    private static final double KILL_MOMENT_MAX = 1.1;
    private static final double TIME_OUT_MOMENT_MIN = 0.05;
    private static final double TIME_OUT_MOMENT_MAX = 0.7;
    private static final long FIRST_DURATION_MILLIS = 400;
    private static final double DURATION_WEIGHT = 0.3;

    private record Planned(long atRecord, Misfortune misfortune) {}

    private final long records;
    private final Random random;
    private final Object monitor = new Object();

    // Guarded by the monitor.
    private final Deque<Planned> plan = new ArrayDeque<>();
    private final Map<String, Integer> hits = new HashMap<>();
    private final Map<Misfortune, Long> injected = new EnumMap<>(Misfortune.class);
    private long acknowledged;
    private long underWay;
    /** The last invocation that was to time out answered first, so the next does so as soon as it runs. */
    private boolean timeOutMissed;

    private double typicalMillis = FIRST_DURATION_MILLIS;

    private ProcessChaos(Builder builder) {
        records = builder.records;
        random = new Random(builder.seed);
        for (Misfortune misfortune : Misfortune.values()) {
            injected.put(misfortune, 0L);
        }
        List<Misfortune> misfortunes = new ArrayList<>();
        Misfortune[] kills = {
            Misfortune.KILL_DURING,
            Misfortune.KILL_BEFORE_FIRST_EVENT,
            Misfortune.KILL_DURING,
            Misfortune.KILL_AFTER_ANSWER
        };
        for (int i = 0; i < builder.kills; i++) {
            misfortunes.add(kills[i % kills.length]);
        }
        for (int i = 0; i < builder.timeOuts; i++) {
            misfortunes.add(i % 2 == 0 ? Misfortune.TIME_OUT_STOPPED : Misfortune.TIME_OUT);
        }
        Collections.shuffle(misfortunes, random);
        List<Long> points = new ArrayList<>();
        for (int i = 0; i < misfortunes.size(); i++) {
            points.add((long) (random.nextDouble() * SPREAD_SHARE * records));
        }
        Collections.sort(points);
        for (int i = 0; i < misfortunes.size(); i++) {
            plan.add(new Planned(points.get(i), misfortunes.get(i)));
        }
    }

    public static Builder builder(long seed) {
        return new Builder(seed);
    }

    /** How often each misfortune happened. */
    public Map<Misfortune, Long> injected() {
        synchronized (monitor) {
            return new EnumMap<>(injected);
        }
    }

    /** What is to happen to this delivery of a batch, named by its first record, or null. Each that is begun is also ended. */
    @Nullable
    Misfortune begin(String batch, int size, int zombies) {
        synchronized (monitor) {
            // What is under way beside this delivery gives no further chance, unless it fails.
            long reached = acknowledged + underWay;
            underWay += size;
            boolean late = records - reached <= (long) plan.size() * size;
            if (isSpared(hits.getOrDefault(batch, 0), late)) {
                return null;
            }
            for (Planned next : plan) {
                if (!late && next.atRecord() > reached + size) {
                    return null;
                }
                if (!isTimeOut(next.misfortune()) || zombies < (late ? LATE_ZOMBIES_MAX : ZOMBIES_MAX)) {
                    plan.remove(next);
                    hits.merge(batch, 1, Integer::sum);
                    return next.misfortune();
                }
            }
            return null;
        }
    }

    private boolean isSpared(int hitsSoFar, boolean late) {
        return late
                ? hitsSoFar >= HITS_PER_LATE_BATCH_MAX
                : hitsSoFar >= HITS_PER_BATCH_MAX || (hitsSoFar > 0 && random.nextInt(SECOND_HIT_OF) > 0);
    }

    private static boolean isTimeOut(Misfortune misfortune) {
        return misfortune == Misfortune.TIME_OUT || misfortune == Misfortune.TIME_OUT_STOPPED;
    }

    void end(String batch, int size, InvocationOutcome outcome) {
        synchronized (monitor) {
            underWay -= size;
            if (outcome instanceof InvocationOutcome.Returned returned && withoutFailures(returned.response())) {
                acknowledged += size;
                hits.remove(batch);
            }
        }
    }

    private static boolean withoutFailures(@Nullable StreamsEventResponse response) {
        return response == null
                || response.getBatchItemFailures() == null
                || response.getBatchItemFailures().isEmpty();
    }

    void happened(Misfortune misfortune) {
        synchronized (monitor) {
            injected.merge(misfortune, 1L, Long::sum);
            timeOutMissed &= !isTimeOut(misfortune);
        }
    }

    /** It could not happen this time and is still to come. */
    void putBack(Misfortune misfortune) {
        synchronized (monitor) {
            plan.addFirst(new Planned(0, misfortune));
            timeOutMissed |= isTimeOut(misfortune);
        }
    }

    void noteDuration(Duration invocation) {
        synchronized (monitor) {
            typicalMillis += DURATION_WEIGHT * (invocation.toMillis() - typicalMillis);
        }
    }

    /** When an invocation that has begun is killed: a random moment, rarely a little later than its answer. */
    long killMillis() {
        synchronized (monitor) {
            return momentMillis(0, KILL_MOMENT_MAX);
        }
    }

    /** When an invocation that has begun is taken for timed out. */
    long timeOutMillis() {
        synchronized (monitor) {
            return timeOutMissed ? 0 : momentMillis(TIME_OUT_MOMENT_MIN, TIME_OUT_MOMENT_MAX);
        }
    }

    /**
     * A random moment of a typical invocation between two of its parts; rather an early one, since cold invocations take
     * many times as long as warm ones.
     */
    private long momentMillis(double from, double to) {
        double point = random.nextDouble();
        return (long) ((from + (to - from) * point * point) * typicalMillis);
    }

    long betweenMillis(long from, long to) {
        synchronized (monitor) {
            return from + (long) ((to - from) * random.nextDouble());
        }
    }

    boolean toss() {
        synchronized (monitor) {
            return random.nextBoolean();
        }
    }

    /** Configures the chaos. Not thread-safe. */
    public static final class Builder {
        private final long seed;
        private int kills;
        private int timeOuts;
        private long records;

        private Builder(long seed) {
            this.seed = seed;
        }

        /** How many processes are killed; default 0. */
        public Builder kills(int value) {
            kills = notNegative("kills", value);
            return this;
        }

        /** How many invocations are taken for timed out while their processes go on; default 0. */
        public Builder timeOuts(int value) {
            timeOuts = notNegative("timeOuts", value);
            return this;
        }

        /** Over how many records it is spread; with the default 0 all happens as soon as it can. */
        public Builder records(long value) {
            if (value < 0) {
                throw new IllegalArgumentException("records is " + value + "; it must not be negative");
            }
            records = value;
            return this;
        }

        private static int notNegative(String name, int value) {
            if (value < 0) {
                throw new IllegalArgumentException(name + " is " + value + "; it must not be negative");
            }
            return value;
        }

        public ProcessChaos build() {
            return new ProcessChaos(this);
        }
    }
}
