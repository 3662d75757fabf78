package io.millrace.cli;

import io.millrace.cli.Example.OutgoingRecord;
import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The way of an input into its stream, with its progress. */
final class InputPublishing {
    private final Terminal terminal;
    private final InputSource source;

    InputPublishing(Terminal terminal, InputSource source) {
        this.terminal = terminal;
        this.source = source;
    }

    /** Opens the input; its broken lines are told on the terminal. */
    Example.Input open() {
        try {
            return source.opener().open(terminal.err()::println);
        } catch (IOException e) {
            throw CommandFailure.failed("The input cannot be read: " + e.getMessage() + ".", e);
        }
    }

    /** How many records there are to publish; reads the input for it. */
    long count() {
        try (Example.Input input = source.opener().open(untold -> {})) {
            return skip(input) ? take(input, record -> {}) : 0;
        } catch (IOException e) {
            throw CommandFailure.failed("The input cannot be read: " + e.getMessage() + ".", e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("counting waits for nobody", e);
        }
    }

    /** Publishes it and returns how many records the stream has accepted. */
    long publish(KinesisClient kinesis, Example.Input input) throws InterruptedException {
        StreamPublisher publisher = new StreamPublisher(kinesis, source.stream());
        Progress progress = Progress.start(terminal, "publishing", size(input));
        try {
            if (skip(input)) {
                take(input, record -> {
                    publisher.put(record);
                    progress.update(publisher.published());
                });
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

    /** Passes over the records that are left out; false if the input ends with them. */
    private boolean skip(Example.Input input) throws IOException {
        for (long skipped = 0; skipped < source.skip(); skipped++) {
            if (input.next() == null) {
                return false;
            }
        }
        return true;
    }

    private long take(Example.Input input, RecordTaker taker) throws IOException, InterruptedException {
        long taken = 0;
        while (taken < source.limitOrMax()) {
            @Nullable OutgoingRecord record = input.next();
            if (record == null) {
                break;
            }
            taker.take(record);
            taken++;
        }
        return taken;
    }

    private OptionalLong size(Example.Input input) {
        if (input.size().isEmpty()) {
            return OptionalLong.empty();
        }
        long behindSkip = Math.max(0, input.size().getAsLong() - source.skip());
        return OptionalLong.of(Math.min(behindSkip, source.limitOrMax()));
    }

    private interface RecordTaker {
        void take(OutgoingRecord record) throws InterruptedException;
    }
}
