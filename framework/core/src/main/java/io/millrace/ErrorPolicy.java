package io.millrace;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a record that cannot be processed. Immutable.
 *
 * <p>An attempt is one run of the user's code over the record. Attempts are counted in DynamoDB before the code runs, so
 * a record that kills the process (memory, an endless loop) is counted too; a throttle or a conflict never counts.
 * Records behind the failing one are not processed before it is decided: order holds.
 */
public final class ErrorPolicy {
    /** The most attempts that can be asked for. */
    public static final int ATTEMPTS_MAX = 1_000;

    private final @Nullable Integer attempts;

    private ErrorPolicy(@Nullable Integer attempts) {
        this.attempts = attempts;
    }

    /**
     * Fail the batch at the record, again and again, until the code is mended or the record expires from the stream.
     * The default for user code: nothing is skipped behind the user's back.
     */
    public static ErrorPolicy fail() {
        return new ErrorPolicy(null);
    }

    /**
     * Try the record up to {@code attempts} times in all, then put it into the dead letters and go on.
     *
     * @param attempts 1 to {@value #ATTEMPTS_MAX}
     * @throws IllegalArgumentException outside these bounds
     */
    public static ErrorPolicy retryThenDeadLetter(int attempts) {
        if (attempts < 1 || attempts > ATTEMPTS_MAX) {
            throw new IllegalArgumentException("attempts is " + attempts + "; 1 to " + ATTEMPTS_MAX + " are allowed");
        }
        return new ErrorPolicy(attempts);
    }

    /** Put the record into the dead letters at its first failure and go on. The default for undecodable records. */
    public static ErrorPolicy deadLetter() {
        return retryThenDeadLetter(1);
    }

    /** Whether a record goes to the dead letters in the end. */
    public boolean deadLetters() {
        return attempts != null;
    }

    /** Whether a record that was tried {@code made} times has used up its attempts. */
    public boolean exhausted(int made) {
        return attempts != null && made >= attempts;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ErrorPolicy policy && Objects.equals(attempts, policy.attempts);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(attempts);
    }

    @Override
    public String toString() {
        return attempts == null ? "fail" : "dead letter after " + attempts + (attempts == 1 ? " attempt" : " attempts");
    }
}
