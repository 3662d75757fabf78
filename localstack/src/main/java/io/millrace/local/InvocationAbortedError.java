package io.millrace.local;

/**
 * The simulated death of a function's process at one of its AWS requests. It is an {@link Error}, so that neither the
 * SDK retries it nor {@code catch (Exception)} in a function survives it.
 */
public final class InvocationAbortedError extends Error {
    private static final long serialVersionUID = 1L;

    InvocationAbortedError(int request) {
        super("The fault injector ended this invocation: its AWS request " + request
                + " and all later ones are refused");
    }
}
