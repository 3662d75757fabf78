package io.millrace.local.internal.wire;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server on a port that hands requests to a handler. Thread-safe. */
public final class HttpListener implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(HttpListener.class.getName());
    private static final int BACKLOG_CONNECTIONS = 128;
    private static final int THREADS_MAX = 256;
    private static final int THREAD_IDLE_SECONDS = 30;
    /** Room for an object or a part of one; requests of other services are far smaller. */
    private static final int BODY_BYTES_MAX = 256 * 1024 * 1024;

    private static final int PORT_MAX = 65_535;
    /** Without it, each response on a kept connection waits some 40 ms for the client's delayed acknowledgement. */
    private static final String NO_DELAY_PROPERTY = "sun.net.httpserver.nodelay";

    private final AwsHandler handler;
    private final HttpServer server;
    private final ExecutorService threads;
    private final URI endpoint;

    private HttpListener(AwsHandler handler, HttpServer server, String host) {
        this.handler = handler;
        this.server = server;
        String shownHost = host.contains(":") ? "[" + host + "]" : host;
        this.endpoint =
                URI.create("http://" + shownHost + ":" + server.getAddress().getPort());
        AtomicInteger threadNumber = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                0,
                THREADS_MAX,
                THREAD_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "embedded-aws-" + threadNumber.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                },
                // With every thread busy the accepting thread works too, and new connections wait in the backlog.
                new ThreadPoolExecutor.CallerRunsPolicy());
        server.setExecutor(threads);
        server.createContext("/", this::serve);
    }

    /**
     * Starts to listen.
     *
     * @param port 1 to 65,535, or 0 for any free port
     * @throws BindException if the port is taken or the host is no address of this machine
     */
    public static HttpListener start(AwsHandler handler, String host, int port) throws IOException {
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("port is " + port + "; it must be 0 (any free port) to " + PORT_MAX);
        }
        if (System.getProperty(NO_DELAY_PROPERTY) == null) {
            System.setProperty(NO_DELAY_PROPERTY, "true");
        }
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new BindException("cannot listen on " + host + ":" + port + ": the host name is unknown");
        }
        HttpServer server;
        try {
            server = HttpServer.create(address, BACKLOG_CONNECTIONS);
        } catch (BindException e) {
            BindException named = new BindException("cannot listen on " + host + ":" + port + " (" + e.getMessage()
                    + "): is another process using port " + port + "? Choose another, or 0 for any free one");
            named.initCause(e);
            throw named;
        }
        HttpListener listener = new HttpListener(handler, server, host);
        server.start();
        return listener;
    }

    /** Where clients find it, such as {@code http://127.0.0.1:4566}. */
    public URI endpoint() {
        return endpoint;
    }

    /** Stops at once: open connections break. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        // Closing an exchange without a response breaks the connection, which is what an IOException asks for.
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX + 1);
            if (body.length > BODY_BYTES_MAX) {
                sendText(exchange, 413, "the request body is larger than " + BODY_BYTES_MAX + " bytes");
                return;
            }
            URI uri = exchange.getRequestURI();
            String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
            AwsRequest request = new AwsRequest(
                    exchange.getRequestMethod(), uri.getRawPath(), query, exchange.getRequestHeaders(), body);
            AwsResponse response;
            try {
                response = handler.handle(request);
            } catch (RuntimeException e) {
                LOGGER.log(System.Logger.Level.ERROR, "the embedded AWS failed", e);
                sendText(exchange, 500, "the embedded AWS failed: " + e);
                return;
            }
            // Only where no body follows the server does not set the length itself: it is then that of the body left
            // out.
            boolean lengthKept = exchange.getRequestMethod().equals("HEAD");
            response.headers().forEach((name, value) -> {
                if (lengthKept || !name.equalsIgnoreCase("Content-Length")) {
                    exchange.getResponseHeaders().set(name, value);
                }
            });
            send(exchange, response.status(), response.body());
        }
    }

    private static void sendText(HttpExchange exchange, int status, String text) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        send(exchange, status, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        boolean withoutBody = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, withoutBody ? -1 : body.length);
        if (!withoutBody) {
            try (OutputStream stream = exchange.getResponseBody()) {
                stream.write(body);
            }
        }
    }
}
