package io.millrace.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.Checkpoints;
import io.millrace.aws.StoredCheckpoint;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace checkpoint}: takes a checkpoint of a pipeline, which goes on meanwhile. */
@Command(
        name = "checkpoint",
        description = {
            "Takes a checkpoint of a pipeline's state, or goes on with one that was broken off. The pipeline goes on meanwhile.",
            "A savepoint is a checkpoint with a name, which is kept until it is deleted."
        },
        mixinStandardHelpOptions = true)
final class CheckpointCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private CheckpointsOptions options = new CheckpointsOptions();

    @Option(names = "--savepoint", paramLabel = "NAME", description = "Gives it a name, under which it is kept.")
    private @Nullable String savepoint;

    @Option(
            names = "--segments",
            paramLabel = "N",
            defaultValue = "" + Checkpoints.SEGMENTS_DEFAULT,
            description = "Into how many parts tables are scanned side by side. Default: ${DEFAULT-VALUE}.")
    private int segments = Checkpoints.SEGMENTS_DEFAULT;

    @Option(
            names = "--read-units",
            paramLabel = "N",
            defaultValue = "0",
            description = "How many read units a second the scans take together at most; 0 for no limit, the default.")
    private double readUnits;

    CheckpointCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        CheckpointProgress progress = new CheckpointProgress(
                options.json() ? terminal.quiet() : terminal, "checkpoint", OptionalLong.empty());
        return options.work(
                builder ->
                        builder.segments(segments).readUnitsPerSecond(readUnits).listener(progress),
                checkpoints -> {
                    StoredCheckpoint taken =
                            savepoint == null ? checkpoints.take() : checkpoints.takeSavepoint(savepoint);
                    long unused = progress.finish();
                    show(taken);
                    return Millrace.EXIT_OK;
                });
    }

    private void show(StoredCheckpoint taken) {
        if (options.json()) {
            terminal.out().println(json(taken));
            return;
        }
        terminal.out().println("Checkpoint " + CheckpointText.line(taken));
        terminal.out()
                .println("To go back to it: ./millrace restore " + options.arguments() + " --from "
                        + taken.savepoint().orElse(taken.id()));
    }

    static ObjectNode json(StoredCheckpoint checkpoint) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", checkpoint.id());
        json.put("savepoint", checkpoint.savepoint().orElse(null));
        json.put("generation", checkpoint.generation());
        json.put("begun", checkpoint.begun().toString());
        json.put("completed", checkpoint.completed().toString());
        ObjectNode cells = json.putObject("cells");
        checkpoint.cells().forEach((stage, count) -> cells.put(stage, count.longValue()));
        json.put("deadLetters", checkpoint.deadLetters());
        json.put("objects", checkpoint.objects());
        json.put("bytes", checkpoint.bytes());
        return json;
    }
}
