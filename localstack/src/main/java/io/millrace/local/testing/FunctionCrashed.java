package io.millrace.local.testing;

/**
 * The end of an invocation at one of its AWS requests. It is an {@link Error}, so that neither the SDK retries it nor
 * {@code catch (Exception)} in user code survives it.
 */
final class FunctionCrashed extends Error {
    private static final long serialVersionUID = 1L;

    FunctionCrashed() {
        super("the driver has ended this invocation", null, false, false);
    }
}
