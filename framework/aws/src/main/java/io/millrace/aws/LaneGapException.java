package io.millrace.aws;

import io.millrace.MillraceException;

/**
 * Records are missing between what is committed and the batch that was delivered. The batch fails and is delivered
 * again; nothing of it is committed.
 */
public final class LaneGapException extends MillraceException {
    private static final long serialVersionUID = 1L;

    public LaneGapException(String message) {
        super(message);
    }
}
