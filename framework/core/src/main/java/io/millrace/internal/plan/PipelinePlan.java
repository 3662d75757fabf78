package io.millrace.internal.plan;

import io.millrace.MillraceException;
import java.util.List;

/** A pipeline as defined: its name and its stages, in the order of their definition. */
public record PipelinePlan(String name, List<StagePlan> stages) {
    /**
     * The stage with a uid.
     *
     * @throws MillraceException if there is none
     */
    public StagePlan stage(String uid) {
        return stages.stream()
                .filter(stage -> stage.uid().equals(uid))
                .findFirst()
                .orElseThrow(() -> new MillraceException("The pipeline '" + name + "' has no stage '" + uid
                        + "'; it has "
                        + stages.stream().map(StagePlan::uid).toList() + "."));
    }
}
