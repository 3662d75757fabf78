package io.millrace.cli;

import io.millrace.cli.Example.OutgoingRecord;
import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The way of a part of an example's input into its stream, with its progress. */
final class InputPublishing {
    private final Terminal terminal;
    private final Example example;
    private final RunOptions.Selection selection;

    InputPublishing(Terminal terminal, Example example, RunOptions.Selection selection) {
        this.terminal = terminal;
        this.example = example;
        this.selection = selection;
    }

    Example.Input open() {
        try {
            return example.open(selection.file(), terminal.err()::println);
        } catch (IOException e) {
            throw CommandFailure.failed("The input cannot be read: " + e.getMessage() + ".", e);
        }
    }

    /** Publishes it and returns how many records the stream has accepted. */
    long publish(KinesisClient kinesis, Example.Input input) throws InterruptedException {
        StreamPublisher publisher = new StreamPublisher(kinesis, example.stream());
        Progress progress = Progress.start(terminal, "publishing", size(input));
        long limit = selection.limit() == null ? Long.MAX_VALUE : selection.limit();
        long taken = 0;
        long skipped = 0;
        try {
            while (taken < limit) {
                @Nullable OutgoingRecord record = input.next();
                if (record == null) {
                    break;
                }
                if (skipped < selection.skip()) {
                    skipped++;
                    continue;
                }
                publisher.put(record);
                taken++;
                progress.update(publisher.published());
            }
            publisher.flush();
        } catch (IOException e) {
            progress.abandon();
            throw CommandFailure.failed(
                    "The input cannot be read to its end: " + e.getMessage() + ". " + publisher.published()
                            + " records of it are published.",
                    e);
        }
        progress.finish(publisher.published());
        return publisher.published();
    }

    private OptionalLong size(Example.Input input) {
        if (input.size().isEmpty()) {
            return OptionalLong.empty();
        }
        long behindSkip = Math.max(0, input.size().getAsLong() - selection.skip());
        return OptionalLong.of(selection.limit() == null ? behindSkip : Math.min(behindSkip, selection.limit()));
    }
}
