package io.millrace.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** {@code millrace state}: what a pipeline keeps, for people to read. */
@Command(
        name = "state",
        description =
                "Shows what a pipeline keeps: its stages and their cells. Only reads, and needs no code of yours.",
        subcommands = {StateListCommand.class, StateGetCommand.class, StateExportCommand.class},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class StateCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "A command is missing; there are ls, get and export.");
        }
    }
}
