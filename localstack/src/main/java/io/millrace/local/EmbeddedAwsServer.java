package io.millrace.local;

import io.millrace.local.internal.wire.HttpListener;
import java.net.URI;

/** An embedded AWS that listens on a port, for other processes and the AWS command line. Close it to free the port. */
public final class EmbeddedAwsServer implements AutoCloseable {
    private final HttpListener listener;

    EmbeddedAwsServer(HttpListener listener) {
        this.listener = listener;
    }

    /** The URL to use as the endpoint of a client, such as {@code http://127.0.0.1:4566}. */
    public URI endpoint() {
        return listener.endpoint();
    }

    /** Stops listening at once: requests that are being answered see a broken connection, though they may be applied. */
    @Override
    public void close() {
        listener.close();
    }
}
