package io.millrace.cli;

import io.millrace.PipelineDefinition;
import java.net.URI;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run, checked as far as that goes without running it.
 *
 * @param definitions makes a definition for each function instance
 * @param example what is known of the pipeline beyond its definition
 * @param output where the result goes as CSV; null for nowhere
 * @param input what is published; null for nothing
 * @param chaosSeed null for no chaos
 * @param endpoint null for the embedded AWS
 */
record RunOptions(
        String pipeline,
        Supplier<PipelineDefinition> definitions,
        @Nullable Example example,
        int shards,
        @Nullable Path output,
        @Nullable Selection input,
        @Nullable Long chaosSeed,
        @Nullable URI endpoint) {

    /**
     * A part of an input.
     *
     * @param file null for the one that comes with the example
     * @param limit null for all
     */
    record Selection(
            @Nullable Path file, long skip, @Nullable Long limit) {}
}
