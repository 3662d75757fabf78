package io.millrace.internal.item;

import io.millrace.MillraceException;

/**
 * A record whose effects DynamoDB can never take: too large, or a value that it does not know. The record's own fault,
 * and the same at every attempt.
 */
public final class UnacceptableException extends MillraceException {
    private static final long serialVersionUID = 1L;

    public UnacceptableException(String message) {
        super(message);
    }
}
