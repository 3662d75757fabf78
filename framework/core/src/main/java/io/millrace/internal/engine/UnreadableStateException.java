package io.millrace.internal.engine;

import io.millrace.MillraceException;
import org.jspecify.annotations.Nullable;

/**
 * Stored state that the code at hand cannot read: the code's fault, not a record's, so no record is given up for it. The
 * batch fails until code that can read it is deployed.
 */
public final class UnreadableStateException extends MillraceException {
    private static final long serialVersionUID = 1L;

    UnreadableStateException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
