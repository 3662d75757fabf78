package io.millrace.cli;

import io.millrace.PipelineDefinition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the command knows of a pipeline beyond its definition: an input for its stream, what its tables must hold
 * for what its stream holds, and how to show them. Of a pipeline without it only the definition is known: its input comes
 * from a file, and its result is shown and not checked.
 */
interface Example {
    /** The class of the pipeline. */
    Class<? extends PipelineDefinition> type();

    /** The stream that the input goes to and the expectation is computed from. */
    String stream();

    /**
     * Opens the input.
     *
     * @param file null for the one that comes with the example
     * @param brokenLines is told what is wrong with a line that is passed over
     */
    Input open(@Nullable Path file, Consumer<String> brokenLines) throws IOException;

    /**
     * The pipeline with another bound of its out-of-orderness.
     *
     * @throws CommandFailure if it has none that can be changed
     */
    default PipelineDefinition withOutOfOrderness(Duration outOfOrderness) {
        throw CommandFailure.usage("--out-of-orderness goes with flights; the pipeline " + type().getSimpleName()
                + " has no bound that can be changed.");
    }

    /** A new expectation of an empty stream. */
    Expectation expectation();

    /** The result as read back from its tables. */
    Board board(ResultTables tables);

    /** Records to publish, in order. Not thread-safe. */
    interface Input extends AutoCloseable {
        /** The next record, or null at the end. */
        @Nullable
        OutgoingRecord next() throws IOException;

        /** How many lines were broken so far. */
        long brokenLines();

        /** How many records there are, if that is known. */
        OptionalLong size();

        @Override
        void close() throws IOException;
    }

    /** A record to publish. The array is not to be changed. */
    record OutgoingRecord(String partitionKey, byte[] data) {}

    /** What the board must hold, computed by a plain loop over what the stream holds. Not thread-safe. */
    interface Expectation {
        /** Takes one record of the stream; one that cannot be decoded belongs to the dead letters and changes nothing. */
        void add(byte[] data);

        /** The board that it must be when all windows are closed and nothing came late. */
        Board board();

        /**
         * The differences of a board, each in a line, in the order of the rows.
         *
         * @param watermark up to which windows are closed, in milliseconds since the epoch
         */
        List<String> differences(Board board, long watermark);
    }

    /** A result, in the order in which it is written. */
    interface Board {
        /** A key and its value in words. */
        record Fact(String name, String value) {}

        /** How many rows there are. */
        int size();

        /** The result as CSV, with its header. */
        String csv();

        /** What a person wants to know of it. */
        List<Fact> facts();
    }
}
