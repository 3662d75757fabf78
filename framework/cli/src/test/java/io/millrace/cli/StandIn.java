package io.millrace.cli;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A stand-in for AWS that somebody else wrote, as a process of its own. */
final class StandIn implements AutoCloseable {
    private static final int START_POLLS_MAX = 600;
    private static final int POLL_MILLIS = 200;
    private static final int ANSWER_MILLIS_MAX = 5_000;

    private final Process process;
    private final URI endpoint;

    private StandIn(Process process, URI endpoint) {
        this.process = process;
        this.endpoint = endpoint;
    }

    /** The file of a command on the path. */
    static Optional<Path> installed(String command) {
        String path = System.getenv().getOrDefault("PATH", "");
        for (String directory : path.split(File.pathSeparator, -1)) {
            Path file = Path.of(directory, command);
            if (Files.isExecutable(file)) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    static StandIn moto(Path command) {
        int port = freePort();
        return start(List.of(command.toString(), "-H", "127.0.0.1", "-p", String.valueOf(port)), Map.of(), port);
    }

    /** Its certificate lies beside its script, to which the command is a link. */
    static StandIn kinesisMock(Path command) {
        int port = freePort();
        try {
            Path certificate = command.toRealPath().resolveSibling("server.json");
            return start(
                    List.of(command.toString()),
                    Map.of(
                            "KINESIS_MOCK_PLAIN_PORT",
                            String.valueOf(port),
                            "KINESIS_MOCK_TLS_PORT",
                            String.valueOf(freePort()),
                            "KINESIS_MOCK_CERT_PATH",
                            certificate.toString(),
                            "LOG_LEVEL",
                            "ERROR"),
                    port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static StandIn start(List<String> command, Map<String, String> environment, int port) {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        URI endpoint = URI.create("http://127.0.0.1:" + port);
        try {
            StandIn started = new StandIn(builder.start(), endpoint);
            started.awaitAnswer(command);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void awaitAnswer(List<String> command) throws InterruptedException {
        for (int poll = 0; poll < START_POLLS_MAX; poll++) {
            if (answers()) {
                return;
            }
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(command + " ended with exit code " + process.exitValue());
            }
        }
        close();
        throw new IllegalStateException(command + " does not answer at " + endpoint);
    }

    private boolean answers() {
        try {
            HttpURLConnection connection = (HttpURLConnection) endpoint.toURL().openConnection();
            connection.setConnectTimeout(ANSWER_MILLIS_MAX);
            connection.setReadTimeout(ANSWER_MILLIS_MAX);
            connection.getResponseCode();
            connection.disconnect();
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    URI endpoint() {
        return endpoint;
    }

    @Override
    public void close() {
        // A launcher script can leave the server itself as a child.
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }
}
