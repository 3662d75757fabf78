package io.millrace.local.internal.runtime;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An operating system process that runs a function under AWS's runtime interface client. Thread-safe. */
final class FunctionProcess {
    private static final String RUNTIME_MAIN = "com.amazonaws.services.lambda.runtime.api.client.AWSLambda";
    private static final int SIGNALLED_EXIT_CODE = 128;
    private static final int KILL_SIGNAL = 9;
    private static final int SIGNAL_SECONDS_MAX = 5;

    /** How a process ended: its exit code (128 and the signal if it was killed) and the last lines of its output. */
    record Exit(int code, String lastLines) {
        /** In Lambda's words. */
        String describe() {
            String how = code == SIGNALLED_EXIT_CODE + KILL_SIGNAL ? "signal: killed" : "exit status " + code;
            String output = lastLines.isBlank() ? "" : "; its last output:\n" + lastLines;
            return "Error: Runtime exited with error: " + how + output;
        }
    }

    private final Process process;
    private final CompletableFuture<Exit> exit = new CompletableFuture<>();
    private volatile boolean killed;

    private FunctionProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a process.
     *
     * @param number tells the function's processes apart
     * @param runtimeApi host and port of the runtime API
     * @param lines is given each line of the output, from another thread
     */
    static FunctionProcess start(
            ProcessSettings settings, Path javaHome, int number, String runtimeApi, Consumer<String> lines)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.addAll(settings.jvmOptions());
        command.add("-D" + NativeClient.PATH_PROPERTY + "=" + settings.nativeLibrary());
        command.add("-cp");
        command.add(settings.classPath());
        command.add(RUNTIME_MAIN);
        command.add(settings.handler());
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(settings.taskRoot().toFile())
                .redirectErrorStream(true);
        setEnvironment(builder.environment(), settings, number, runtimeApi);
        FunctionProcess started = new FunctionProcess(builder.start());
        started.watch(settings.functionName() + "-" + number, lines);
        return started;
    }

    /** As on Lambda: the variables are Lambda's and the function's, and none of this process's own. */
    private static void setEnvironment(
            Map<String, String> environment, ProcessSettings settings, int number, String runtimeApi) {
        String path = environment.getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.clear();
        environment.put("PATH", path);
        environment.put("LANG", "en_US.UTF-8");
        environment.put("TZ", ":UTC");
        environment.put("LAMBDA_TASK_ROOT", settings.taskRoot().toString());
        environment.put("_HANDLER", settings.handler());
        environment.put("AWS_LAMBDA_RUNTIME_API", runtimeApi);
        environment.put("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand");
        environment.put("AWS_LAMBDA_FUNCTION_NAME", settings.functionName());
        environment.put("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST");
        environment.put("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", String.valueOf(settings.memoryMegabytes()));
        environment.put("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/" + settings.functionName());
        environment.put("AWS_LAMBDA_LOG_STREAM_NAME", "local/[$LATEST]" + number);
        environment.putAll(settings.environment());
    }

    private void watch(String name, Consumer<String> lines) {
        Thread thread = new Thread(() -> readToTheEnd(lines), "output-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void readToTheEnd(Consumer<String> lines) {
        OutputTail tail = new OutputTail();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                tail.add(line);
                tell(lines, line);
            }
        } catch (IOException streamClosed) {
            tail.add("(" + streamClosed + ")");
        } finally {
            exit.complete(new Exit(process.onExit().join().exitValue(), tail.text()));
        }
    }

    /** A listener that throws must not keep the output from being read: the process would stand still. */
    private static void tell(Consumer<String> lines, String line) {
        try {
            lines.accept(line);
        } catch (RuntimeException failure) {
            System.getLogger(FunctionProcess.class.getName())
                    .log(System.Logger.Level.WARNING, "a listener of a function's output failed", failure);
        }
    }

    /** Completed when the process has ended and its output is read; never exceptionally. */
    CompletableFuture<Exit> exit() {
        return exit;
    }

    long id() {
        return process.pid();
    }

    /**
     * Ends the process as {@code kill -9} does, and waits until it is gone.
     *
     * @return whether it ended by this signal, and not by itself before
     */
    boolean kill() throws InterruptedException {
        boolean first = !killed && process.isAlive();
        killed = true;
        process.destroyForcibly();
        process.waitFor();
        return first && process.exitValue() == SIGNALLED_EXIT_CODE + KILL_SIGNAL;
    }

    /** Stops the process where it is; false if the machine has no such signal. */
    boolean stop() throws InterruptedException {
        return signal("STOP");
    }

    /** Lets a stopped process go on. */
    boolean resume() throws InterruptedException {
        return signal("CONT");
    }

    private boolean signal(String name) throws InterruptedException {
        try {
            Process signal = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return signal.waitFor(SIGNAL_SECONDS_MAX, TimeUnit.SECONDS) && signal.exitValue() == 0;
        } catch (IOException noShell) {
            return false;
        }
    }
}
