package io.millrace.simulation;

/** The mishaps of the simulated pipelines' code as it was loaded: none, if it was mended before. */
final class Mishaps {
    private final boolean mended;

    Mishaps(PostingRuns runs) {
        this.mended = runs.isMended();
    }

    /** Whether a posting goes wrong in this way. */
    boolean befall(Posting posting, Posting.Mishap mishap) {
        return posting.mishap() == mishap && !mended;
    }

    void failIf(boolean condition) {
        if (condition && !mended) {
            throw new IllegalStateException("a mishap");
        }
    }

    void killIf(boolean condition) {
        if (condition && !mended) {
            throw new OutOfMemoryError("a mishap that kills the process");
        }
    }
}
