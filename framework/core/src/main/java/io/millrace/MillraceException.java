package io.millrace;

import org.jspecify.annotations.Nullable;

/**
 * The root of all errors that Millrace raises. The message names what is wrong, the actual value, the limit and the
 * likely fix; the cause is always kept.
 */
public class MillraceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MillraceException(String message) {
        super(message);
    }

    public MillraceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
