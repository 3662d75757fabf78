package io.millrace.aws.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The control item of a pipeline.
 *
 * @param version the nonce of the write that made it
 * @param generation the generation that is current
 * @param sources the streams, by the index that fences know them by; only ever appended to
 * @param stopReason why processing is stopped, by a restore or as the preflight check found; null if it is not
 * @param lineage how the generations came of each other, oldest first; the first one has no entry
 * @param highestGiven the highest number that was ever given to a generation, a restore that was broken off included
 * @param restoring the restore that is under way; null if none is
 */
public record PipelineControl(
        String version,
        long generation,
        List<String> sources,
        @Nullable String stopReason,
        List<Branch> lineage,
        long highestGiven,
        @Nullable Restoring restoring) {

    /** A generation that nobody has restored. */
    public PipelineControl(String version, long generation, List<String> sources, @Nullable String stopReason) {
        this(version, generation, sources, stopReason, List.of(), generation, null);
    }

    public PipelineControl {
        sources = List.copyOf(sources);
        lineage = List.copyOf(lineage);
    }

    /**
     * How a generation began.
     *
     * @param parent the generation that the checkpoint was made of
     * @param checkpoint its id
     * @param cut when the checkpoint's lanes were read, in ISO 8601
     * @param begun when the generation became the current one, in ISO 8601
     */
    public record Branch(long generation, long parent, String checkpoint, String cut, String begun) {}

    /** A restore that has begun to write a generation, and has not made it the current one. */
    public record Restoring(long generation, String checkpoint) {}

    /** How a generation began; null if it is the first one. */
    public @Nullable Branch branchOf(long aGeneration) {
        return lineage.stream()
                .filter(branch -> branch.generation() == aGeneration)
                .findFirst()
                .orElse(null);
    }

    /** This item while a restore writes another generation; nothing is processed. */
    public PipelineControl withRestore(String newVersion, Restoring newRestoring, String reason) {
        return new PipelineControl(
                newVersion,
                generation,
                sources,
                reason,
                lineage,
                Math.max(highestGiven, newRestoring.generation()),
                newRestoring);
    }

    /** This item with another current generation, which is processed. */
    public PipelineControl withGeneration(String newVersion, Branch branch) {
        List<Branch> longer = new ArrayList<>(lineage);
        longer.add(branch);
        return new PipelineControl(newVersion, branch.generation(), sources, null, longer, highestGiven, null);
    }

    PipelineControl withSource(String newVersion, String stream) {
        List<String> more = new ArrayList<>(sources);
        more.add(stream);
        return new PipelineControl(newVersion, generation, more, stopReason, lineage, highestGiven, restoring);
    }
}
