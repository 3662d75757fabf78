package io.millrace.aws;

import io.millrace.MillraceException;

/**
 * A batch came of a shard that was made by a split or a merge, while the shard that it came of is not proven to be committed
 * to its end. The batch fails and is delivered again; nothing of it is committed. Its order, and what is late, would be wrong
 * otherwise.
 */
public final class UnfinishedParentException extends MillraceException {
    private static final long serialVersionUID = 1L;

    public UnfinishedParentException(String message) {
        super(message);
    }
}
