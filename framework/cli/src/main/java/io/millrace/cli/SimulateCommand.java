package io.millrace.cli;

import io.millrace.MillraceException;
import io.millrace.simulation.Exercised;
import io.millrace.simulation.Mutant;
import io.millrace.simulation.Simulation;
import io.millrace.simulation.Simulations;
import io.millrace.simulation.Violation;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace simulate}: simulates the protocol under seeded misfortune until a seed shows a rule broken. */
@Command(
        name = "simulate",
        description = {
            "Runs the production code in virtual time under crashes, zombies, lost responses and the like, and checks the"
                    + " protocol's rules at every change.",
            "A seed decides all that happens. The exit code is 1 at the first violation, which is told with what happened"
                    + " before it; with --mutant that means that the mutant is caught, and 0 that it is not."
        },
        mixinStandardHelpOptions = true)
final class SimulateCommand implements Callable<Integer> {
    /** The most seeds of which each step is printed. */
    static final int TRACED_SEEDS_MAX = 20;

    private final Terminal terminal;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            description = "How many simulations, each of a seed of its own. Default: ${DEFAULT-VALUE}.")
    private int seeds = 200;

    @Option(names = "--first", paramLabel = "SEED", description = "The first seed. Default: ${DEFAULT-VALUE}.")
    private long first = 1;

    @Option(
            names = "--mutant",
            paramLabel = "NAME",
            description = "Breaks one rule of the protocol on purpose, to see whether that is noticed.")
    private @Nullable String mutantName;

    @Option(
            names = "--trace",
            description = "Prints each step, one seed after the other; for " + TRACED_SEEDS_MAX + " seeds at most.")
    boolean trace;

    @Option(
            names = "--list-mutants",
            description = "Prints the mutants' names and what each breaks; simulates nothing.")
    boolean listMutants;

    @Option(names = "--verbose", description = "Shows the stack trace of an error.")
    boolean verbose;

    SimulateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (listMutants) {
            list();
            return Millrace.EXIT_OK;
        }
        if (seeds < 1) {
            throw CommandFailure.usage("--seeds is " + seeds + "; 1 or more are possible.");
        }
        if (trace && seeds > TRACED_SEEDS_MAX) {
            throw CommandFailure.usage("--trace prints some hundred lines a seed, so 1 to " + TRACED_SEEDS_MAX
                    + " seeds are possible with it, not " + seeds + ". Set --seeds, and with --first the seed.");
        }
        Mutant mutant = mutant();
        if (mutant != null) {
            terminal.out().println("The mutant '" + mutant.name() + "' breaks a rule on purpose. " + mutant.rule());
        }
        long startNanos = System.nanoTime();
        Simulations.Summary summary = trace ? traced(mutant) : simulated(mutant);
        double seconds = Math.max(1, System.nanoTime() - startNanos) / 1e9;
        Violation violation = summary.violation();
        if (violation != null) {
            tell(violation, mutant);
        } else if (mutant != null) {
            tellNotCaught(mutant, summary.seeds());
        }
        terminal.out()
                .println(String.format(
                        Locale.ROOT,
                        "%,d seeds, %d violations, in %.1f s, %.1f seeds/s: %s",
                        summary.seeds(),
                        violation == null ? 0 : 1,
                        seconds,
                        summary.seeds() / seconds,
                        summary.exercised()));
        terminal.out().flush();
        return violation == null ? Millrace.EXIT_OK : Millrace.EXIT_FAILED;
    }

    private void list() {
        int nameCharacters = Mutant.all().stream()
                .mapToInt(mutant -> mutant.name().length())
                .max()
                .orElse(1);
        for (Mutant mutant : Mutant.all()) {
            terminal.out().printf(Locale.ROOT, "%-" + nameCharacters + "s  %s%n", mutant.name(), mutant.rule());
        }
        terminal.out().flush();
    }

    private @Nullable Mutant mutant() {
        if (mutantName == null) {
            return null;
        }
        try {
            return Mutant.named(mutantName);
        } catch (MillraceException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()), e);
        }
    }

    private Simulations.Summary simulated(@Nullable Mutant mutant) throws InterruptedException {
        Progress progress = new Progress(terminal, "simulating", "seeds", OptionalLong.of(seeds), System::nanoTime);
        boolean finished = false;
        try {
            Simulations.Summary summary =
                    Simulations.run(first, seeds, mutant, sofar -> progress.update(sofar.seeds()));
            progress.finish(summary.seeds());
            finished = true;
            return summary;
        } finally {
            if (!finished) {
                progress.abandon();
            }
        }
    }

    private Simulations.Summary traced(@Nullable Mutant mutant) {
        Exercised exercised = new Exercised();
        int done = 0;
        Violation violation = null;
        while (done < seeds && violation == null) {
            long seed = first + done;
            terminal.out().println("seed " + seed);
            Simulation.Result result = Simulation.run(seed, mutant, terminal.out()::println);
            exercised.add(result.exercised());
            violation = result.violation();
            done++;
            terminal.out().println("seed " + seed + " ends after " + result.steps() + " steps");
        }
        return new Simulations.Summary(done, exercised, violation);
    }

    private void tell(Violation violation, @Nullable Mutant mutant) {
        terminal.out().flush();
        terminal.err().println(violation);
        terminal.err()
                .println(
                        mutant == null
                                ? "millrace: a rule of the protocol is broken: the code, the protocol or the simulation is wrong."
                                : "millrace: the mutant '" + mutant.name() + "' is caught. " + mutant.rule());
        terminal.err()
                .println("Step by step: ./millrace simulate --seeds 1 --first " + violation.seed()
                        + (mutant == null ? "" : " --mutant " + mutant.name()) + " --trace");
        terminal.err().flush();
    }

    private void tellNotCaught(Mutant mutant, int simulated) {
        terminal.out().flush();
        terminal.err()
                .println("millrace: the mutant '" + mutant.name() + "' is NOT CAUGHT: " + simulated
                        + " seeds show no violation, though it breaks a rule. Try more with --seeds; if 2,000 from seed 1"
                        + " on do not catch it, the simulation misses what it must see.");
        terminal.err().flush();
    }
}
