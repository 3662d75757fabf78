package io.millrace.simulation;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Simulations of many seeds, several at a time. */
public final class Simulations {
    /** The most simulations at a time: two a processor, since each waits a little whenever the baton changes hands. */
    private static final int PARALLEL_MAX = 2 * Runtime.getRuntime().availableProcessors();

    private Simulations() {}

    /**
     * What has come of many simulations: how many ended, what they exercised, and the violation of the lowest seed. While they
     * run, what they exercised goes on growing.
     */
    public record Summary(
            int seeds, Exercised exercised, @Nullable Violation violation) {}

    /**
     * Runs the simulations of the seeds from the first on, up to the first violation.
     *
     * @param mutant which rule is broken on purpose; null for none
     * @param progress hears of each simulation that has ended, one at a time
     * @throws IllegalArgumentException if {@code seeds} is below 1
     */
    public static Summary run(long first, int seeds, @Nullable Mutant mutant, Consumer<Summary> progress)
            throws InterruptedException {
        if (seeds < 1) {
            throw new IllegalArgumentException("seeds is " + seeds + "; at least 1 is possible");
        }
        ExecutorService executor = Executors.newFixedThreadPool(PARALLEL_MAX, task -> {
            Thread thread = new Thread(task, "simulation");
            thread.setDaemon(true);
            return thread;
        });
        try {
            ExecutorCompletionService<Simulation.Result> ended = new ExecutorCompletionService<>(executor);
            Exercised exercised = new Exercised();
            Violation violation = null;
            int begun = 0;
            int done = 0;
            while (done < begun || (begun < seeds && violation == null)) {
                while (begun < seeds && begun - done < PARALLEL_MAX && violation == null) {
                    long seed = first + begun++;
                    var unused = ended.submit(() -> simulate(seed, mutant));
                }
                Simulation.Result result = resultOf(ended);
                done++;
                exercised.add(result.exercised());
                if (result.violation() != null && (violation == null || result.seed() < violation.seed())) {
                    violation = result.violation();
                }
                progress.accept(new Summary(done, exercised, violation));
            }
            return new Summary(done, exercised, violation);
        } finally {
            executor.shutdownNow();
        }
    }

    private static Simulation.Result simulate(long seed, @Nullable Mutant mutant) {
        try {
            return Simulation.run(seed, mutant, null);
        } catch (RuntimeException | Error e) {
            throw new IllegalStateException("The simulation of seed " + seed + " failed by itself: " + e, e);
        }
    }

    private static Simulation.Result resultOf(ExecutorCompletionService<Simulation.Result> ended)
            throws InterruptedException {
        try {
            return ended.take().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(String.valueOf(e.getMessage()), e);
        }
    }
}
