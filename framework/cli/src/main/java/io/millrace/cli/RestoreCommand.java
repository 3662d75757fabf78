package io.millrace.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.Checkpoints;
import io.millrace.aws.RestoreReport;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace restore}: makes a checkpoint the state of its pipeline again. */
@Command(
        name = "restore",
        description = {
            "Makes a checkpoint the state of its pipeline again. Records behind it are processed once more when they are delivered.",
            "It writes a new generation beside the current one. If it is broken off, nothing is processed until it is run again."
        },
        mixinStandardHelpOptions = true)
final class RestoreCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private CheckpointsOptions options = new CheckpointsOptions();

    @Option(
            names = "--from",
            paramLabel = "ID",
            required = true,
            description = "The checkpoint's id, or the savepoint's name.")
    private String from = "";

    @Option(names = "--dry-run", description = "Only checks whether it can be done, all objects included.")
    private boolean dryRun;

    @Option(
            names = "--allow-non-restored-state",
            description = "Leaves state behind whose stage the pipeline does not have any more.")
    private boolean allowNonRestoredState;

    @Option(
            names = "--drain",
            paramLabel = "DURATION",
            description =
                    "How long invocations that are under way get to end, such as 60s. Default: none; their writes cannot"
                            + " reach the restored state.")
    private String drain = "0s";

    RestoreCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        Duration drainTime = DurationText.parse("--drain", drain);
        CheckpointProgress progress =
                new CheckpointProgress(options.json() ? terminal.quiet() : terminal, "restore", OptionalLong.empty());
        return options.work(builder -> builder.listener(progress), checkpoints -> {
            Checkpoints.Restore restore = checkpoints
                    .restore(from)
                    .allowNonRestoredState(allowNonRestoredState)
                    .drain(drainTime);
            RestoreReport report = dryRun ? restore.check() : restore.run();
            long unused = progress.finish();
            show(report);
            return Millrace.EXIT_OK;
        });
    }

    private void show(RestoreReport report) {
        if (options.json()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("checkpoint", report.checkpoint());
            json.put("dryRun", dryRun);
            json.put("generation", report.generation());
            json.put("cells", report.cells());
            json.put("deadLetters", report.deadLetters());
            json.put("replayFrom", report.replayFrom().map(Object::toString).orElse(null));
            terminal.out().println(json);
            return;
        }
        String cells =
                String.format(Locale.ROOT, "%,d cells and %,d dead letters", report.cells(), report.deadLetters());
        if (dryRun) {
            terminal.out()
                    .println("The checkpoint " + report.checkpoint() + " can be restored: " + cells
                            + ". Nothing was changed.");
            return;
        }
        terminal.out()
                .println("Restored " + cells + " of checkpoint " + report.checkpoint() + " as generation "
                        + report.generation() + ".");
        if (!report.stagesLeft().isEmpty()) {
            terminal.out().println("Left behind is the state of the stages " + report.stagesLeft() + ".");
        }
        terminal.out()
                .println("Next: start a mapping "
                        + report.replayFrom()
                                .map(from -> "at " + from + " or earlier")
                                .orElse("at TRIM_HORIZON")
                        + "; a local run does so by itself (./millrace run ... --no-input).");
    }
}
