package io.millrace.cli;

import io.millrace.aws.StoredCheckpoint;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code millrace checkpoints ls}: the complete checkpoints of a pipeline, oldest first. */
@Command(
        name = "ls",
        description = "Lists the complete checkpoints of a pipeline, oldest first.",
        mixinStandardHelpOptions = true)
final class CheckpointsListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private CheckpointsOptions options = new CheckpointsOptions();

    CheckpointsListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        return options.work(checkpoints -> {
            List<StoredCheckpoint> found = checkpoints.list();
            found.forEach(checkpoint -> terminal.out()
                    .println(options.json() ? CheckpointCommand.json(checkpoint) : CheckpointText.line(checkpoint)));
            if (found.isEmpty() && !options.json()) {
                terminal.out()
                        .println("There is no checkpoint. Take one: ./millrace checkpoint " + options.arguments());
            }
            return Millrace.EXIT_OK;
        });
    }
}
