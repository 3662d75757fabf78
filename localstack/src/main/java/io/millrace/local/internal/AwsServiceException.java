package io.millrace.local.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** An error as AWS answers it: HTTP status, error code ({@code __type} without its prefix), message, further members. */
public final class AwsServiceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int httpStatus;
    private final String code;
    private final transient @Nullable ObjectNode members;

    public AwsServiceException(int httpStatus, String code, String message, @Nullable ObjectNode members) {
        super(message);
        this.httpStatus = httpStatus;
        this.code = code;
        this.members = members;
    }

    /** A client error (HTTP 400) without further members. */
    public static AwsServiceException client(String code, String message) {
        return new AwsServiceException(400, code, message, null);
    }

    public int httpStatus() {
        return httpStatus;
    }

    public String code() {
        return code;
    }

    /** Members of the error document beside type and message, such as {@code Item} or {@code CancellationReasons}. */
    public @Nullable ObjectNode members() {
        return members;
    }
}
