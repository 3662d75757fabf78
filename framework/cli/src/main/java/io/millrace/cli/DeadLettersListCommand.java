package io.millrace.cli;

import io.millrace.aws.DeadLetterFilter;
import io.millrace.aws.StoredDeadLetter;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace dead-letters ls}: lists dead letters. */
@Command(
        name = "ls",
        description = "Lists the dead letters of a pipeline, as they are read: those of a shard in its order.",
        mixinStandardHelpOptions = true)
final class DeadLettersListCommand implements Callable<Integer> {
    private static final String ANY_STATE = "all";

    private final Terminal terminal;

    @Mixin
    private DeadLettersPlace place = new DeadLettersPlace();

    @Option(names = "--stage", paramLabel = "UID", description = "Only those of this stage.")
    private @Nullable String stage;

    @Option(names = "--kind", paramLabel = "KIND", description = "Only those of this kind, such as UNDECODABLE.")
    private @Nullable String kind;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "open, done, dropped or all. Default: ${DEFAULT-VALUE}.")
    private String state = "open";

    @Option(names = "--limit", paramLabel = "N", description = "Lists at most N.")
    private @Nullable Long limit;

    DeadLettersListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        if (limit != null && limit < 1) {
            throw CommandFailure.usage("--limit is " + limit + "; 1 or more are possible.");
        }
        DeadLetterFilter filter = withState(DeadLetterSelection.filter(stage, kind));
        return place.work(deadLetters -> {
            long listed = 0;
            for (StoredDeadLetter letter : deadLetters.list(filter)) {
                if (limit != null && listed == limit) {
                    note("There are more; --limit is " + limit + ".");
                    return Millrace.EXIT_OK;
                }
                if (listed == 0 && !place.json()) {
                    terminal.out().println(DeadLetterText.head());
                }
                terminal.out()
                        .println(place.json() ? DeadLetterText.json(letter).toString() : DeadLetterText.row(letter));
                listed++;
            }
            note(listed == 0 ? "There are none." : listed + (listed == 1 ? " dead letter." : " dead letters."));
            return Millrace.EXIT_OK;
        });
    }

    private void note(String text) {
        if (!place.json()) {
            terminal.out().println(text);
        }
    }

    private DeadLetterFilter withState(DeadLetterFilter filter) {
        String wanted = state.toLowerCase(Locale.ROOT);
        if (wanted.equals(ANY_STATE)) {
            return filter;
        }
        return Arrays.stream(StoredDeadLetter.State.values())
                .filter(known -> known.status().equals(wanted))
                .findFirst()
                .map(filter::state)
                .orElseThrow(() ->
                        CommandFailure.usage("--state is '" + state + "'; there are open, done, dropped and all."));
    }
}
