package io.millrace.cli;

import io.millrace.MillraceException;
import io.millrace.aws.DeadLetterFilter;
import io.millrace.aws.DeadLetters;
import io.millrace.aws.StoredDeadLetter;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which dead letters a command closes: those that are named, or with {@code --all} all open ones of a stage or kind. */
final class DeadLetterSelection {
    @Option(names = "--all", description = "All open ones, narrowed by --stage and --kind.")
    private boolean all;

    @Option(names = "--stage", paramLabel = "UID", description = "With --all: only those of this stage.")
    private @Nullable String stage;

    @Option(names = "--kind", paramLabel = "KIND", description = "With --all: only those of this kind.")
    private @Nullable String kind;

    /** Refuses what is neither of the two ways to select. */
    void check(List<String> ids) {
        if (!all && (stage != null || kind != null)) {
            throw CommandFailure.usage("--stage and --kind narrow --all down. Add --all, or name ids instead.");
        }
        if (all && !ids.isEmpty()) {
            throw CommandFailure.usage("--all takes no ids. Leave out one of them.");
        }
        if (!all && ids.isEmpty()) {
            throw CommandFailure.usage("Which ones? Name ids, as ls shows them, or add --all for all open ones.");
        }
        kindOf(kind);
        ids.forEach(DeadLetterSelection::checkId);
    }

    /** Refuses a text that is no id, before anything is done to other ones. */
    static void checkId(String id) {
        try {
            DeadLetters.checkId(id);
        } catch (MillraceException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()), e);
        }
    }

    /** The ids, read as they are needed. */
    Iterator<String> ids(List<String> ids, DeadLetters deadLetters) {
        if (!all) {
            return ids.iterator();
        }
        DeadLetterFilter filter = filter(stage, kind).state(StoredDeadLetter.State.OPEN);
        return StreamSupport.stream(deadLetters.list(filter).spliterator(), false)
                .map(StoredDeadLetter::id)
                .iterator();
    }

    /** The filter of a stage and a kind, each of which can be left open. */
    static DeadLetterFilter filter(@Nullable String stage, @Nullable String kind) {
        DeadLetterFilter filter = DeadLetterFilter.all();
        if (stage != null) {
            filter = filter.stage(stage);
        }
        StoredDeadLetter.Kind wanted = kindOf(kind);
        return wanted == null ? filter : filter.kind(wanted);
    }

    private static StoredDeadLetter.@Nullable Kind kindOf(@Nullable String text) {
        if (text == null) {
            return null;
        }
        return Arrays.stream(StoredDeadLetter.Kind.values())
                .filter(kind -> kind.name().equals(text.toUpperCase(Locale.ROOT).replace('-', '_')))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("--kind is '" + text + "'; there are "
                        + Arrays.stream(StoredDeadLetter.Kind.values())
                                .map(Enum::name)
                                .collect(Collectors.joining(", "))
                        + "."));
    }
}
