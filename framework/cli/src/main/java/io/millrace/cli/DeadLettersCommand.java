package io.millrace.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** {@code millrace dead-letters}: what can be done with the records that a pipeline has given up. */
@Command(
        name = "dead-letters",
        description = "Shows the records that a pipeline has given up, redrives them and drops them.",
        subcommands = {
            DeadLettersListCommand.class,
            DeadLettersShowCommand.class,
            DeadLettersRedriveCommand.class,
            DeadLettersDropCommand.class
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class DeadLettersCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "A command is missing; there are ls, show, redrive and drop.");
        }
    }
}
