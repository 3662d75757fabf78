package io.millrace.local;

import io.millrace.time.WatermarkStrategy;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The ticks of a run: of each stage with state one in a period, as a schedule calls them on AWS, and what ends the input. Two
 * ticks of a stage never run at once, unless the chaos wants it. Thread-safe once started.
 */
final class LocalTicks implements AutoCloseable {
    /** How long nothing may move before that is told as a failure: longer than a lease of a sweeper that died holds. */
    private static final Duration STANDSTILL_MAX = Duration.ofSeconds(90);

    /** How often in a row timers may fail before that is told as a failure. */
    private static final int FAILING_ATTEMPTS_MAX = 20;

    /** The pause before a repetition. */
    private static final Duration REPETITION_PAUSE = Duration.ofMillis(50);

    private final List<Stage> stages;
    private final Duration period;
    private final Duration timeout;
    private final @Nullable TickChaos chaos;
    private final Clock clock = Clock.systemUTC();
    private final ScheduledExecutorService scheduler;
    private final LongAdder ticks = new LongAdder();
    private final LongAdder timersFired = new LongAdder();
    private final LongAdder deadLetters = new LongAdder();
    private volatile @Nullable String lastFailure;

    /**
     * A stage with state.
     *
     * @param hasEventTime whether its watermark moves, so that its input can be ended
     * @param scheduled what the schedule calls
     * @param own a tick function in this JVM, which also ends the input
     */
    record Stage(String uid, boolean hasEventTime, TickInvoker scheduled, InJvmTickInvoker own) {}

    /**
     * Ticks that have not begun.
     *
     * @param timeout how long a tick may take
     * @param chaos null for none
     */
    LocalTicks(List<Stage> stages, Duration period, Duration timeout, @Nullable TickChaos chaos) {
        this.stages = List.copyOf(stages);
        this.period = period;
        this.timeout = timeout;
        this.chaos = chaos;
        this.scheduler = Executors.newScheduledThreadPool(Math.max(1, stages.size()), task -> {
            Thread thread = new Thread(task, "ticks");
            thread.setDaemon(true);
            return thread;
        });
    }

    void start() {
        for (Stage stage : stages) {
            Future<?> unused = scheduler.scheduleWithFixedDelay(
                    () -> tick(stage.scheduled()), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private TickOutcome tick(TickInvoker function) {
        return counted(function.tick(context()));
    }

    private InvocationContext context() {
        return InvocationContext.starting(clock, timeout, "tick", 0);
    }

    private TickOutcome counted(TickOutcome outcome) {
        ticks.increment();
        if (outcome instanceof TickOutcome.Done done) {
            timersFired.add(done.timersFired());
            deadLetters.add(done.deadLetters());
        } else {
            lastFailure = "tick: " + outcome;
        }
        return outcome;
    }

    /**
     * Ends the schedule, and waits for the ticks that run.
     *
     * @return false if that did not happen within {@code timeout}
     */
    boolean stop(Duration waitMax) throws InterruptedException {
        long endNanos = System.nanoTime() + waitMax.toNanos();
        scheduler.shutdown();
        if (!scheduler.awaitTermination(waitMax.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        for (Stage stage : stages) {
            if (!stage.scheduled().awaitZombies(Duration.ofNanos(Math.max(0, endNanos - System.nanoTime())))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Sweeps until nothing is left that is due.
     *
     * @return the watermarks by stage; of a stage without event time the end of its input
     * @throws IllegalStateException if ticks go on failing, or timers do
     */
    Map<String, Long> settle() throws InterruptedException {
        Map<String, Long> watermarks = new LinkedHashMap<>();
        for (Stage stage : stages) {
            Long watermark = untilComplete(
                            stage,
                            "sweep the due timers",
                            context -> stage.own().tick(context))
                    .watermark();
            if (stage.hasEventTime()) {
                watermarks.put(stage.uid(), watermark == null ? WatermarkStrategy.NO_WATERMARK : watermark);
            }
        }
        return watermarks;
    }

    /**
     * Ends the input of the stages with event time, and sweeps the others until nothing is left that is due.
     *
     * @throws IllegalStateException if that goes on failing, or timers do
     */
    void endInput() throws InterruptedException {
        for (Stage stage : stages) {
            untilComplete(stage, "end the input", context -> {
                if (!stage.hasEventTime()) {
                    return stage.own().tick(context);
                }
                if (chaos == null) {
                    return stage.own().endOfInput(context);
                }
                chaos.harmEnding(context);
                TickOutcome outcome = stage.own().endOfInput(context);
                chaos.countEnding(context);
                return outcome;
            });
        }
    }

    /** The stages with event time whose input was ended. */
    List<String> ended() {
        return stages.stream()
                .filter(stage -> stage.hasEventTime() && stage.own().isEnded(context()))
                .map(Stage::uid)
                .toList();
    }

    /** Repeats what is not complete, as long as it fires timers now and then. */
    private TickOutcome.Done untilComplete(
            Stage stage, String purpose, Function<InvocationContext, TickOutcome> attempt) throws InterruptedException {
        long movedNanos = System.nanoTime();
        int failing = 0;
        while (true) {
            TickOutcome outcome = counted(attempt.apply(context()));
            if (outcome instanceof TickOutcome.Done done) {
                if (done.sweepComplete()) {
                    return done;
                }
                movedNanos = done.timersFired() > 0 ? System.nanoTime() : movedNanos;
                failing = done.timersFailed() > 0 && done.timersFired() == 0 ? failing + 1 : 0;
            }
            if (failing == FAILING_ATTEMPTS_MAX || System.nanoTime() - movedNanos > STANDSTILL_MAX.toNanos()) {
                throw new IllegalStateException("Could not " + purpose + " of stage '" + stage.uid()
                        + "'; the last attempt: " + outcome
                        + (failing > 0
                                ? ". Timers go on failing, and the functions' logs say why. With an error policy that gives"
                                        + " them up they become dead letters."
                                : ""));
            }
            TimeUnit.NANOSECONDS.sleep(REPETITION_PAUSE.toNanos());
        }
    }

    long ticks() {
        return ticks.sum();
    }

    long timersFired() {
        return timersFired.sum();
    }

    long deadLetters() {
        return deadLetters.sum();
    }

    /** Why the last failed tick failed; null if none did. */
    @Nullable
    String lastFailure() {
        return lastFailure;
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
