package io.millrace.local;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A moto server, run as a process of its own on a free port. */
public final class MotoServer implements AutoCloseable {
    private static final String COMMAND = "moto_server";
    private static final Pattern RUNNING = Pattern.compile("Running on (http://127\\.0\\.0\\.1:\\d+)");
    private static final int START_SECONDS_MAX = 60;
    private static final int STOP_SECONDS_MAX = 10;

    private final Process process;
    private final URI endpoint;

    private MotoServer(Process process, URI endpoint) {
        this.process = process;
        this.endpoint = endpoint;
    }

    /** Whether the command is on the path. */
    public static boolean isInstalled() {
        String path = System.getenv("PATH");
        for (String directory : path == null ? new String[0] : path.split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(directory, COMMAND))) {
                return true;
            }
        }
        return false;
    }

    /** Starts one, and waits until it answers. */
    public static MotoServer start() {
        CompletableFuture<URI> endpoint = new CompletableFuture<>();
        Process process;
        try {
            process = new ProcessBuilder(COMMAND, "-H", "127.0.0.1", "-p", "0")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(COMMAND + " cannot be started", e);
        }
        // Goes on reading after the start: the server writes a line a request and would stop at a full pipe.
        Thread reader = new Thread(() -> readOutput(process, endpoint), "moto-output");
        reader.setDaemon(true);
        reader.start();
        try {
            return new MotoServer(process, endpoint.get(START_SECONDS_MAX, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new IllegalStateException("interrupted while " + COMMAND + " started", e);
        } catch (ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new IllegalStateException(
                    COMMAND + " did not say where it runs within " + START_SECONDS_MAX + " s", e);
        }
    }

    public URI endpoint() {
        return endpoint;
    }

    @Override
    public void close() {
        // A launcher script can leave the server itself as a child.
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }

    private static void readOutput(Process process, CompletableFuture<URI> endpoint) {
        StringBuilder head = new StringBuilder();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!endpoint.isDone()) {
                    head.append(line).append('\n');
                    Matcher matcher = RUNNING.matcher(line);
                    if (matcher.find()) {
                        endpoint.complete(URI.create(matcher.group(1)));
                    }
                }
            }
        } catch (IOException e) {
            head.append(e);
        }
        endpoint.completeExceptionally(new IllegalStateException(COMMAND + " ended: " + head));
    }
}
