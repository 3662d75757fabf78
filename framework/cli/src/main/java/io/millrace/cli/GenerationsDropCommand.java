package io.millrace.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code millrace generations drop}: deletes what an old generation has left. */
@Command(
        name = "drop",
        description = "Deletes the cells, lanes and dead letters of a generation that is not the current one.",
        mixinStandardHelpOptions = true)
final class GenerationsDropCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private CheckpointsOptions options = new CheckpointsOptions();

    @Parameters(index = "1", paramLabel = "GENERATION", description = "Its number, as ls shows it.")
    private long generation;

    GenerationsDropCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        return options.work(checkpoints -> {
            long items = checkpoints.dropGeneration(generation);
            if (!options.json()) {
                terminal.out().println("Dropped generation " + generation + ": " + items + " items.");
            }
            return Millrace.EXIT_OK;
        });
    }
}
