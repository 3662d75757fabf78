package io.millrace.cli;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run, checked as far as that goes without running it.
 *
 * @param example what is known of the pipeline beyond its definition
 * @param output where the result goes; null for nowhere
 * @param input what is published; null for nothing
 * @param chaosSeed null for no chaos
 * @param endpoint null for the embedded AWS
 */
record RunOptions(
        FoundPipeline pipeline,
        @Nullable Example example,
        int shards,
        @Nullable ResultFile output,
        @Nullable InputSource input,
        @Nullable Long chaosSeed,
        @Nullable URI endpoint) {}
