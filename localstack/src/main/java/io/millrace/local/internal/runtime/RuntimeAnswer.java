package io.millrace.local.internal.runtime;

import org.jspecify.annotations.Nullable;

/** How a function's process answered an invocation, or that it ended without an answer. */
public sealed interface RuntimeAnswer {
    /** The function returned; the body is JSON. */
    record Response(byte[] body) implements RuntimeAnswer {}

    /** The function threw, or the runtime could not start it. */
    record Failed(String errorType, @Nullable String errorMessage) implements RuntimeAnswer {}

    /** The process ended before it answered. */
    record Exited(String reason) implements RuntimeAnswer {}
}
