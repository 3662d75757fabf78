package io.millrace.aws.internal;

import io.millrace.MillraceException;
import java.util.function.Supplier;

/** A read that waits out throttling and broken connections, and fails with a named error if they go on. */
final class RetryingRead {
    private final Backoff backoff;

    RetryingRead(Backoff backoff) {
        this.backoff = backoff;
    }

    /**
     * Runs a read until it answers.
     *
     * @param what the read in words that begin a sentence, such as "Reading lane x"
     */
    <T> T of(String what, Supplier<T> read) {
        RuntimeException last = null;
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            try {
                return read.get();
            } catch (MillraceException e) {
                throw e;
            } catch (RuntimeException e) {
                CommitOutcome outcome = CommitOutcomes.of(e, old -> false);
                if (!(outcome instanceof CommitOutcome.Throttled || outcome instanceof CommitOutcome.Unknown)) {
                    throw new MillraceException(
                            what + " failed: " + e.getMessage()
                                    + " Check that it exists and that the function's role may read it.",
                            e);
                }
                last = e;
                backoff.await(attempt);
            }
        }
        throw ShellErrors.tooManyRetries(what, Backoff.ATTEMPTS_MAX, last);
    }
}
