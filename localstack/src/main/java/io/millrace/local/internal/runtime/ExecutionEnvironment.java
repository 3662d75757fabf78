package io.millrace.local.internal.runtime;

import io.millrace.local.internal.wire.HttpListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lambda's execution environment: one process of a function and the runtime API that it asks. It takes one invocation at
 * a time and serves many, one after the other. Thread-safe.
 */
public final class ExecutionEnvironment {
    private static final String HOST = "127.0.0.1";

    private final Path javaHome;
    private final RuntimeApi api;
    private final HttpListener listener;
    private final FunctionProcess process;
    private final Object monitor = new Object();
    private @Nullable RuntimeAnswer end;

    private ExecutionEnvironment(Path javaHome, RuntimeApi api, HttpListener listener, FunctionProcess process) {
        this.javaHome = javaHome;
        this.api = api;
        this.listener = listener;
        this.process = process;
    }

    static ExecutionEnvironment start(ProcessSettings settings, Path javaHome, int number, Consumer<String> lines)
            throws IOException {
        RuntimeApi api = new RuntimeApi(settings.functionArn());
        HttpListener listener = HttpListener.start(api, HOST, 0);
        FunctionProcess process;
        try {
            String address = HOST + ":" + listener.endpoint().getPort();
            process = FunctionProcess.start(settings, javaHome, number, address, lines);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
        ExecutionEnvironment environment = new ExecutionEnvironment(javaHome, api, listener, process);
        CompletableFuture<Void> unused = process.exit().thenAccept(environment::ended);
        return environment;
    }

    private void ended(FunctionProcess.Exit exit) {
        RuntimeAnswer.Failed initError = api.initError();
        RuntimeAnswer answer = initError == null ? new RuntimeAnswer.Exited(exit.describe()) : initError;
        synchronized (monitor) {
            end = answer;
            api.answerAll(answer);
        }
        api.asked().complete(null);
        listener.close();
    }

    /** The Java that the process runs on. */
    public Path javaHome() {
        return javaHome;
    }

    /** The process's number in the operating system. */
    public long processId() {
        return process.id();
    }

    /** Completed when the process has asked for its first event, or has ended. */
    public CompletableFuture<Void> asked() {
        return api.asked();
    }

    /** Hands an invocation to the process, which takes it when it asks. One that has ended answers at once. */
    public void submit(RuntimeInvocation invocation) {
        synchronized (monitor) {
            if (end == null) {
                api.offer(invocation);
            } else {
                invocation.answer().complete(end);
            }
        }
    }

    public boolean alive() {
        synchronized (monitor) {
            return end == null;
        }
    }

    /**
     * Ends the process as {@code kill -9} does.
     *
     * @return whether it ended by this signal, and not by itself before
     */
    public boolean kill() throws InterruptedException {
        return process.kill();
    }

    /** Stops the process where it is; false if the machine cannot. */
    public boolean stop() throws InterruptedException {
        return process.stop();
    }

    /** Lets a stopped process go on. */
    public boolean resume() throws InterruptedException {
        return process.resume();
    }
}
