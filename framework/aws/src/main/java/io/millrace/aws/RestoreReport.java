package io.millrace.aws;

import io.millrace.aws.internal.checkpoint.RestoreRun;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** What a restore did, or would do. Immutable. */
public final class RestoreReport {
    private final String checkpoint;
    private final RestoreRun.Result result;

    RestoreReport(String checkpoint, RestoreRun.Result result) {
        this.checkpoint = checkpoint;
        this.result = result;
    }

    /** The checkpoint's id. */
    public String checkpoint() {
        return checkpoint;
    }

    /** The new generation; after a check the one that is current. */
    public long generation() {
        return result.generation();
    }

    /** How many cells were restored. */
    public long cells() {
        return result.cells();
    }

    /** How many dead letters were restored: those that the cells account for. After a check, how many the checkpoint has. */
    public long deadLetters() {
        return result.deadLetters();
    }

    /** No later than this a mapping must start, so that all records behind the checkpoint's cut are delivered again. */
    public Optional<Instant> replayFrom() {
        return Optional.ofNullable(result.replayFrom());
    }

    /** The stages whose state was left behind, since the pipeline does not have them any more. */
    public Set<String> stagesLeft() {
        return result.stagesLeft();
    }

    @Override
    public String toString() {
        return "generation " + generation() + " of checkpoint " + checkpoint + ": " + cells() + " cells";
    }
}
