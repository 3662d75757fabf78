package io.millrace.cli;

import io.millrace.PipelineDefinition;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run, checked as far as that goes without running it.
 *
 * @param example what is known of the pipeline beyond its definition
 * @param output where the result goes; null for nowhere
 * @param input what is published; null for nothing
 * @param drain whether the last windows are closed at the end
 * @param outOfOrderness the bound of an example's watermark strategy; null for its own
 * @param chaosSeed null for no chaos
 * @param endpoint null for the embedded AWS
 */
record RunOptions(
        FoundPipeline pipeline,
        @Nullable Example example,
        int shards,
        @Nullable ResultFile output,
        @Nullable InputSource input,
        boolean drain,
        @Nullable Duration outOfOrderness,
        @Nullable Long chaosSeed,
        @Nullable URI endpoint) {

    /** A new definition for a function instance. */
    PipelineDefinition definition() {
        return example == null || outOfOrderness == null
                ? pipeline.definition()
                : example.withOutOfOrderness(outOfOrderness);
    }
}
