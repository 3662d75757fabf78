package io.millrace.cli;

import io.millrace.aws.DeadLetters;
import io.millrace.aws.RedriveOutcome;
import io.millrace.aws.StoredDeadLetter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace dead-letters redrive}: runs given-up records through the pipeline's code once more. */
@Command(
        name = "redrive",
        description = {
            "Runs given-up records through the pipeline's code once more, in this process, over the state as it is now.",
            "State, rows and the dead letter change in one transaction: a record is absorbed once, however often and by"
                    + " however many it is redriven. The exit code is 1 if a dead letter stayed open,"
                    + " or there is none of that id."
        },
        mixinStandardHelpOptions = true)
final class DeadLettersRedriveCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private DeadLettersPlace place = new DeadLettersPlace();

    @Parameters(index = "1..*", paramLabel = "ID", description = "The ids of dead letters, as ls shows them.")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private DeadLetterSelection selection = new DeadLetterSelection();

    @Option(
            names = "--even-if-partly-absorbed",
            description =
                    "Redrives also those of which nobody knows whether some of their keys have absorbed them already:"
                            + " these keys then count them twice.")
    private boolean evenIfPartlyAbsorbed;

    DeadLettersRedriveCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        selection.check(ids);
        return place.work(this::redrive);
    }

    private int redrive(DeadLetters deadLetters) {
        ClosingReport report = new ClosingReport(terminal, place.json());
        return report.closeEach(selection.ids(ids, deadLetters), id -> {
            RedriveOutcome outcome =
                    evenIfPartlyAbsorbed ? deadLetters.redriveEvenIfPartlyAbsorbed(id) : deadLetters.redrive(id);
            if (outcome instanceof RedriveOutcome.Refused
                    && deadLetters.find(id).isEmpty()) {
                report.addUnknown(id);
            } else {
                tell(report, id, outcome);
            }
        });
    }

    private static void tell(ClosingReport report, String id, RedriveOutcome outcome) {
        if (outcome instanceof RedriveOutcome.Redriven redriven) {
            report.add(
                    id, "redriven", counted(redriven.cells(), "key") + ", " + counted(redriven.rows(), "row"), false);
        } else if (outcome instanceof RedriveOutcome.ClosedBefore closed) {
            report.add(
                    id,
                    (closed.state() == StoredDeadLetter.State.DONE ? "redriven" : "dropped") + " before",
                    null,
                    false);
        } else if (outcome instanceof RedriveOutcome.FailedAgain failed) {
            report.add(id, "failed again", "attempt " + failed.attempts() + ": " + failed.error(), true);
        } else if (outcome instanceof RedriveOutcome.Refused refused) {
            report.add(id, "refused", refused.reason(), true);
        }
    }

    private static String counted(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
