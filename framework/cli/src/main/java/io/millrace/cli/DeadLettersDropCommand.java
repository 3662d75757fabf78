package io.millrace.cli;

import io.millrace.aws.DeadLetters;
import io.millrace.aws.DropOutcome;
import java.util.ArrayList;
import java.util.Iterator;
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
        boolean known = true;
        try {
            for (Iterator<String> each = selection.ids(ids, deadLetters); each.hasNext(); ) {
                String id = each.next();
                DropOutcome outcome = deadLetters.drop(id);
                known &= outcome != DropOutcome.UNKNOWN;
                report.add(id, word(outcome), null, false);
            }
        } finally {
            report.summarize();
        }
        return known ? report.exitCode() : Millrace.EXIT_FAILED;
    }

    private static String word(DropOutcome outcome) {
        return switch (outcome) {
            case DROPPED -> "dropped";
            case DROPPED_BEFORE -> "dropped before";
            case REDRIVEN_BEFORE -> "redriven before";
            case UNKNOWN -> "unknown";
        };
    }
}
