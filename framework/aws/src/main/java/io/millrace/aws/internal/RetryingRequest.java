package io.millrace.aws.internal;

import io.millrace.MillraceException;
import java.util.function.Supplier;

/**
 * A request that may be sent again, a read or an idempotent put: it waits out throttling and broken connections, and fails
 * with a named error if they go on.
 */
public final class RetryingRequest {
    private final Backoff backoff;

    public RetryingRequest(Backoff backoff) {
        this.backoff = backoff;
    }

    /**
     * Sends a request until it is answered.
     *
     * @param what the request in words that begin a sentence, such as "Reading lane x"
     */
    public <T> T of(String what, Supplier<T> request) {
        RuntimeException last = null;
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            try {
                return request.get();
            } catch (MillraceException e) {
                throw e;
            } catch (RuntimeException e) {
                CommitOutcome outcome = CommitOutcomes.of(e, old -> false);
                if (!(outcome instanceof CommitOutcome.Throttled || outcome instanceof CommitOutcome.Unknown)) {
                    throw new MillraceException(
                            what + " failed: " + e.getMessage()
                                    + " Check that it exists and that the function's role may use it.",
                            e);
                }
                last = e;
                backoff.await(attempt);
            }
        }
        throw ShellErrors.tooManyRetries(what, Backoff.ATTEMPTS_MAX, last);
    }
}
