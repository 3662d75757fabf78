package io.millrace.cli;

import io.millrace.aws.StoredCheckpoint;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code millrace checkpoints describe}: what a checkpoint consists of. */
@Command(
        name = "describe",
        description = "Describes a checkpoint: its cells by stage, its size, and its generation.",
        mixinStandardHelpOptions = true)
final class CheckpointsDescribeCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private CheckpointsOptions options = new CheckpointsOptions();

    @Parameters(index = "1", paramLabel = "ID", description = "The checkpoint's id, or the savepoint's name.")
    private String id = "";

    CheckpointsDescribeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        return options.work(checkpoints -> {
            StoredCheckpoint found = checkpoints
                    .find(id)
                    .orElseThrow(() -> CommandFailure.failed(
                            "There is no complete checkpoint or savepoint '" + id + "'. See ./millrace checkpoints ls "
                                    + options.arguments(),
                            null));
            if (options.json()) {
                terminal.out().println(CheckpointCommand.json(found));
                return Millrace.EXIT_OK;
            }
            terminal.out().println(CheckpointText.line(found));
            found.cells().forEach((stage, count) -> terminal.out().println("  " + stage + ": " + count + " cells"));
            terminal.out().println("  complete since " + found.completed());
            return Millrace.EXIT_OK;
        });
    }
}
