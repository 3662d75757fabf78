package io.millrace.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** {@code millrace generations}: what can be done with the generations of a pipeline's state. */
@Command(
        name = "generations",
        description = "Shows how the generations of a pipeline's state came of each other, and drops old ones.",
        subcommands = {GenerationsListCommand.class, GenerationsDropCommand.class},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class GenerationsCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "A command is missing; there are ls and drop.");
        }
    }
}
