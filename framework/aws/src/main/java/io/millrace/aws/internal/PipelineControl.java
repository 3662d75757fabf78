package io.millrace.aws.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The control item of a pipeline.
 *
 * @param version the nonce of the write that made it
 * @param generation the generation that is current
 * @param sources the streams, by the index that fences know them by; only ever appended to
 * @param stopReason why processing is stopped, as the preflight check found; null if it is not
 */
public record PipelineControl(
        String version,
        long generation,
        List<String> sources,
        @Nullable String stopReason) {}
