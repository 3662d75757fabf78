package io.millrace.local;

import io.millrace.local.internal.wire.AwsRequest;
import io.millrace.local.internal.wire.AwsResponse;
import io.millrace.local.internal.wire.HttpListener;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A place that passes requests on to another, each only when the one before it is answered, whichever process it comes
 * from. A moto server needs it where functions are processes; within one JVM {@link AwsEndpoint#oneRequestAtATime} does.
 * A request is passed on to its end, also when whoever sent it is gone. Signatures are passed on as they are, for another
 * host: what checks them cannot be behind it. Thread-safe.
 */
public final class OneAtATimeProxy implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final Duration ANSWER_MAX = Duration.ofSeconds(60);
    /** Headers of one connection, which are not passed on; the HTTP client sets its own. */
    private static final Set<String> HOP_HEADERS = Set.of(
            "connection", "content-length", "expect", "host", "keep-alive", "te", "transfer-encoding", "upgrade");

    private final URI target;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ReentrantLock turn = new ReentrantLock(true);
    private final HttpListener listener;

    private OneAtATimeProxy(URI target) throws IOException {
        this.target = target;
        this.listener = HttpListener.start(this::passOn, HOST, 0);
    }

    /** Starts one on a free port of the loopback address. */
    public static OneAtATimeProxy of(URI target) throws IOException {
        return new OneAtATimeProxy(target);
    }

    /** The URL to use instead of the target's. */
    public URI endpoint() {
        return listener.endpoint();
    }

    private AwsResponse passOn(AwsRequest request) throws IOException {
        String query = request.query().isEmpty() ? "" : "?" + request.query();
        HttpRequest.Builder passed = HttpRequest.newBuilder(target.resolve(request.path() + query))
                .timeout(ANSWER_MAX)
                .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(request.body()));
        request.headers().forEach((name, value) -> {
            if (!HOP_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
                passed.header(name, value);
            }
        });
        HttpResponse<byte[]> response;
        turn.lock();
        try {
            response = client.send(passed.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the proxy was closed");
        } finally {
            turn.unlock();
        }
        Map<String, String> headers = new HashMap<>();
        response.headers().map().forEach((name, values) -> {
            if (!HOP_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
                headers.put(name, String.join(",", values));
            }
        });
        return new AwsResponse(response.statusCode(), headers, response.body());
    }

    /** Stops at once: open connections break. */
    @Override
    public void close() {
        listener.close();
    }
}
