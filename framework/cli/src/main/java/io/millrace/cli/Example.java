package io.millrace.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What the command knows of a pipeline beyond its definition: an input for its stream, what its table must hold for
 * what its stream holds, and how to show the table. A pipeline without it only works off what its stream holds.
 */
interface Example {
    /** All examples. */
    List<Example> ALL = List.of(new FlightsExample());

    /** The example of a pipeline, or null. */
    static @Nullable Example of(String pipeline) {
        return ALL.stream()
                .filter(example -> example.pipeline().equals(pipeline))
                .findFirst()
                .orElse(null);
    }

    /** The name of the pipeline. */
    String pipeline();

    /** The stream that the input goes to and the expectation is computed from. */
    String stream();

    /** The table that holds the result. */
    String table();

    /**
     * Opens the input.
     *
     * @param file null for the one that comes with the example
     * @param brokenLines is told what is wrong with a line that is passed over
     */
    Input open(@Nullable Path file, Consumer<String> brokenLines) throws IOException;

    /** A new expectation of an empty stream. */
    Expectation expectation();

    /** The result as read back from its table. */
    Board board(List<Map<String, AttributeValue>> items);

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

        /** The board that it must be. */
        Board board();

        /** The differences of a board, each in a line, in the order of the rows. */
        List<String> differences(Board board);
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
