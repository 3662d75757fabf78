package io.millrace.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code millrace checkpoints delete}: deletes a checkpoint with all of its objects. */
@Command(
        name = "delete",
        description = "Deletes a checkpoint or savepoint with all of its objects.",
        mixinStandardHelpOptions = true)
final class CheckpointsDeleteCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private CheckpointsOptions options = new CheckpointsOptions();

    @Parameters(index = "1", paramLabel = "ID", description = "The checkpoint's id, or the savepoint's name.")
    private String id = "";

    CheckpointsDeleteCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        return options.work(checkpoints -> {
            checkpoints.delete(id);
            if (!options.json()) {
                terminal.out().println("Deleted " + id + ".");
            }
            return Millrace.EXIT_OK;
        });
    }
}
