package io.millrace.cli;

import io.millrace.aws.StateReader;
import io.millrace.aws.StoredCell;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace state ls}: lists cells. */
@Command(
        name = "ls",
        description = "Lists the cells of a pipeline, as they are read, and counts them.",
        mixinStandardHelpOptions = true)
final class StateListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private StatePlace place = new StatePlace();

    @Option(names = "--stage", paramLabel = "UID", description = "Only those of this stage.")
    private @Nullable String stage;

    @Option(names = "--limit", paramLabel = "N", description = "Lists at most N.")
    private @Nullable Long limit;

    @Option(names = "--json", description = "Prints one JSON object a line.")
    private boolean json;

    StateListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        if (limit != null && limit < 1) {
            throw CommandFailure.usage("--limit is " + limit + "; 1 or more are possible.");
        }
        return place.work(this::list);
    }

    private int list(StateReader state) {
        CellCounts counts = new CellCounts();
        boolean more = false;
        for (StoredCell cell : stage == null ? state.cells() : state.cells(stage)) {
            if (limit != null && counts.cells() == limit) {
                more = true;
                break;
            }
            if (counts.cells() == 0 && !json) {
                terminal.out().println(CellText.head());
            }
            terminal.out().println(json ? CellText.summary(cell).toString() : CellText.row(cell));
            counts.add(cell);
            if (terminal.out().checkError()) {
                throw CommandFailure.failed("Nobody reads the list any more: standard output is closed.", null);
            }
        }
        counts.checkStage(state, stage);
        if (json) {
            terminal.out().println(counts.json());
        } else if (counts.cells() == 0) {
            terminal.out().println("There are none in generation " + state.generation() + ".");
        } else {
            terminal.out().println(more ? counts.text() + " There are more; --limit is " + limit + "." : counts.text());
        }
        return counts.exitCode();
    }
}
