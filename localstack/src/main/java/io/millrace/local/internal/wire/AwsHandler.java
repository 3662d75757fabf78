package io.millrace.local.internal.wire;

import java.io.IOException;

/** What answers HTTP requests below a transport: the router, or a layer around it. Thread-safe. */
@FunctionalInterface
public interface AwsHandler {
    /**
     * Answers one request.
     *
     * @throws IOException if the caller must see a broken connection instead of a response
     */
    AwsResponse handle(AwsRequest request) throws IOException;
}
