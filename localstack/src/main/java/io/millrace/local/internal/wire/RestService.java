package io.millrace.local.internal.wire;

/**
 * A service whose requests have no {@code X-Amz-Target} header: the method, the host, the path and the query string tell
 * the operation. Thread-safe.
 */
public interface RestService extends AwsHandler {
    /** Whether a request without {@code X-Amz-Target} looks like one to this service. */
    boolean serves(AwsRequest request);

    @Override
    AwsResponse handle(AwsRequest request);
}
