package io.millrace.aws;

/** What became of a dead letter that was to be redriven. */
public sealed interface RedriveOutcome {
    /**
     * Its record is absorbed now.
     *
     * @param cells how many keys absorbed it; none if the code drops the record
     * @param rows how many rows were written with them
     */
    record Redriven(int cells, int rows) implements RedriveOutcome {}

    /** It was closed before, by another redrive or because it was dropped; nothing was done. */
    record ClosedBefore(StoredDeadLetter.State state) implements RedriveOutcome {}

    /**
     * The code failed at it once more. It stays open, with this error and these attempts; nothing else was written.
     *
     * @param error the class and message of what was thrown
     * @param attempts how often it was tried in all
     */
    record FailedAgain(String error, int attempts) implements RedriveOutcome {}

    /**
     * It cannot be redriven, or not now. It stays as it is; nothing was written.
     *
     * @param reason why, and what to do
     */
    record Refused(String reason) implements RedriveOutcome {}

    /** Whether the dead letter is still to be dealt with. */
    default boolean isLeftOpen() {
        return this instanceof FailedAgain || this instanceof Refused;
    }
}
