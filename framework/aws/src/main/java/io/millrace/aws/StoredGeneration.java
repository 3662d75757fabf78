package io.millrace.aws;

import io.millrace.aws.internal.PipelineControl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A generation of a pipeline's state: the first one, or one that a restore has made. Immutable. */
public final class StoredGeneration {
    private static final long FIRST = 1;

    private final long number;
    private final PipelineControl.@Nullable Branch branch;
    private final boolean current;

    private StoredGeneration(long number, PipelineControl.@Nullable Branch branch, boolean current) {
        this.number = number;
        this.branch = branch;
        this.current = current;
    }

    static List<StoredGeneration> of(PipelineControl control) {
        List<StoredGeneration> generations = new ArrayList<>();
        generations.add(new StoredGeneration(FIRST, null, control.generation() == FIRST));
        for (PipelineControl.Branch branch : control.lineage()) {
            generations.add(
                    new StoredGeneration(branch.generation(), branch, branch.generation() == control.generation()));
        }
        return generations;
    }

    /** Its number, which no other generation ever has. */
    public long number() {
        return number;
    }

    /** Whether it is the one that is read and written. */
    public boolean isCurrent() {
        return current;
    }

    /** The generation that its checkpoint was made of; empty for the first one. */
    public Optional<Long> parent() {
        return Optional.ofNullable(branch).map(PipelineControl.Branch::parent);
    }

    /** The id of the checkpoint that it was restored from; empty for the first one. */
    public Optional<String> checkpoint() {
        return Optional.ofNullable(branch).map(PipelineControl.Branch::checkpoint);
    }

    /** When it became the current one; empty for the first one. */
    public Optional<Instant> begun() {
        return Optional.ofNullable(branch).map(PipelineControl.Branch::begun).map(Instant::parse);
    }
}
