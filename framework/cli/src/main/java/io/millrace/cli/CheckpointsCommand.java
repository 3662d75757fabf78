package io.millrace.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** {@code millrace checkpoints}: what can be done with checkpoints that are there. */
@Command(
        name = "checkpoints",
        description = "Lists a pipeline's checkpoints, describes and deletes them.",
        subcommands = {CheckpointsListCommand.class, CheckpointsDescribeCommand.class, CheckpointsDeleteCommand.class},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class CheckpointsCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "A command is missing; there are ls, describe and delete.");
        }
    }
}
