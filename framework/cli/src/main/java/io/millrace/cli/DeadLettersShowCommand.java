package io.millrace.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.DeadLetters;
import io.millrace.aws.StoredDeadLetter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace dead-letters show}: shows one dead letter with its payload. */
@Command(name = "show", description = "Shows one dead letter with its payload.", mixinStandardHelpOptions = true)
final class DeadLettersShowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private DeadLettersPlace place = new DeadLettersPlace();

    @Parameters(index = "1", paramLabel = "ID", description = "The id of the dead letter, as ls shows it.")
    private String id = "";

    @Option(names = "--payload", paramLabel = "FILE", description = "Writes the record's data to a file, as it came.")
    private @Nullable Path payloadFile;

    DeadLettersShowCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        DeadLetterSelection.checkId(id);
        return place.work(this::show);
    }

    private int show(DeadLetters deadLetters) {
        StoredDeadLetter letter = deadLetters
                .find(id)
                .orElseThrow(() -> CommandFailure.failed(
                        "There is no dead letter " + id + " of '" + place.pipeline()
                                + "'. List those that there are: ./millrace dead-letters ls " + place.arguments()
                                + " --state all",
                        null));
        byte[] payload = deadLetters.payload(id);
        if (place.json()) {
            ObjectNode json = DeadLetterText.json(letter);
            json.put("payload", payload);
            terminal.out().println(json);
        } else {
            DeadLetterText.lines(letter, payload).forEach(terminal.out()::println);
        }
        if (payloadFile != null) {
            write(payloadFile, payload);
        }
        return Millrace.EXIT_OK;
    }

    private static void write(Path file, byte[] payload) {
        try {
            Files.write(file, payload);
        } catch (IOException e) {
            throw CommandFailure.failed("The payload cannot be written to '" + file + "': " + e + ".", e);
        }
    }
}
