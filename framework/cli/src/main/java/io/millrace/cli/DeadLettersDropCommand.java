package io.millrace.cli;

import io.millrace.aws.DeadLetters;
import io.millrace.aws.DropOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code millrace dead-letters drop}: closes dead letters without redriving them. */
@Command(
        name = "drop",
        description = {
            "Closes dead letters without redriving them: nobody will.",
            "They stay listed as dropped, with their payload, for a week beyond the stream's retention. The exit code is 1"
                    + " if there is no such dead letter."
        },
        mixinStandardHelpOptions = true)
final class DeadLettersDropCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private DeadLettersPlace place = new DeadLettersPlace();

    @Parameters(index = "1..*", paramLabel = "ID", description = "The ids of dead letters, as ls shows them.")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private DeadLetterSelection selection = new DeadLetterSelection();

    DeadLettersDropCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        selection.check(ids);
        return place.work(this::drop);
    }

    private int drop(DeadLetters deadLetters) {
        ClosingReport report = new ClosingReport(terminal, place.json());
        return report.closeEach(selection.ids(ids, deadLetters), id -> tell(report, id, deadLetters.drop(id)));
    }

    private static void tell(ClosingReport report, String id, DropOutcome outcome) {
        switch (outcome) {
            case DROPPED -> report.add(id, "dropped", null, false);
            case DROPPED_BEFORE -> report.add(id, "dropped before", null, false);
            case REDRIVEN_BEFORE -> report.add(id, "redriven before", null, false);
            case UNKNOWN -> report.addUnknown(id);
        }
    }
}
