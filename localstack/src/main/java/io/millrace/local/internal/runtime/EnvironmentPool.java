package io.millrace.local.internal.runtime;

import io.millrace.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The execution environments of a function: warm ones are used again, a new one is started when none is free, and one
 * that missed its time-out goes on alone to its end. No process outlives the pool, nor this JVM unless that is killed.
 * Thread-safe.
 */
public final class EnvironmentPool implements AutoCloseable {
    private final ProcessSettings settings;
    private final List<Path> javaHomes;
    private final Duration zombieLifeMax;
    private final Consumer<String> lines;
    private final ScheduledExecutorService timer;
    private final Thread shutdownHook = new Thread(this::end, "function-processes-end");
    private final Object monitor = new Object();

    // Guarded by the monitor.
    private final Deque<ExecutionEnvironment> free = new ArrayDeque<>();
    private final Set<ExecutionEnvironment> all = new HashSet<>();
    private final Set<ExecutionEnvironment> zombies = new HashSet<>();
    private int started;
    private boolean closed;

    /**
     * A pool without processes.
     *
     * @param javaHomes the Javas that the processes run on, in turn
     * @param zombieLifeMax how long a process may go on behind its time-out
     * @param lines is given each line that a process writes, from any thread
     */
    public EnvironmentPool(
            ProcessSettings settings, List<Path> javaHomes, Duration zombieLifeMax, Consumer<String> lines) {
        this.settings = settings;
        this.javaHomes = List.copyOf(javaHomes);
        this.zombieLifeMax = zombieLifeMax;
        this.lines = lines;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "function-zombies");
            thread.setDaemon(true);
            return thread;
        });
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    /**
     * A folder with AWS's native client in it, for all processes.
     *
     * @return the library
     */
    public static Path unpackNativeClient(String classPath, Path folder) throws IOException {
        return NativeClient.unpack(classPath, folder);
    }

    /** A free environment that is warm, or a new one. */
    public ExecutionEnvironment take() {
        synchronized (monitor) {
            while (!free.isEmpty()) {
                ExecutionEnvironment warm = free.pop();
                if (warm.alive()) {
                    return warm;
                }
                all.remove(warm);
            }
        }
        return start();
    }

    /**
     * A new environment.
     *
     * @throws MillraceException if its process cannot be started, or the pool is closed
     */
    public ExecutionEnvironment start() {
        synchronized (monitor) {
            if (closed) {
                throw new MillraceException("The function is closed; it starts no process any more.");
            }
            Path javaHome = javaHomes.get(started % javaHomes.size());
            try {
                ExecutionEnvironment environment = ExecutionEnvironment.start(settings, javaHome, started + 1, lines);
                started++;
                all.add(environment);
                return environment;
            } catch (IOException e) {
                throw new MillraceException(
                        "A process of the function cannot be started with the Java in " + javaHome + ": "
                                + e.getMessage(),
                        e);
            }
        }
    }

    /** Gives back an environment whose invocation is answered. */
    public void release(ExecutionEnvironment environment) {
        synchronized (monitor) {
            if (environment.alive()) {
                free.push(environment);
            } else {
                all.remove(environment);
            }
        }
    }

    /**
     * Ends an environment's process as {@code kill -9} does.
     *
     * @return whether it ended by this signal, and not by itself before
     */
    public boolean kill(ExecutionEnvironment environment) throws InterruptedException {
        boolean killed = environment.kill();
        synchronized (monitor) {
            free.remove(environment);
            all.remove(environment);
            if (zombies.remove(environment)) {
                monitor.notifyAll();
            }
        }
        return killed;
    }

    /**
     * Lets an environment whose invocation is taken for timed out go on until it has answered, and then ends it.
     *
     * @param resumeAfter when to let the process go on that is stopped now; null if it is not stopped
     */
    public void leaveRunning(
            ExecutionEnvironment environment, RuntimeInvocation invocation, @Nullable Duration resumeAfter) {
        synchronized (monitor) {
            zombies.add(environment);
        }
        if (resumeAfter != null) {
            schedule(environment::resume, resumeAfter);
        }
        schedule(() -> kill(environment), zombieLifeMax);
        CompletableFuture<Void> unused =
                invocation.answer().thenAccept(answer -> schedule(() -> kill(environment), Duration.ZERO));
    }

    /** What a timer does to a process. */
    private interface Interruptible {
        boolean run() throws InterruptedException;
    }

    private void schedule(Interruptible action, Duration delay) {
        synchronized (monitor) {
            if (closed) {
                return;
            }
            Future<?> unused = timer.schedule(() -> action.run(), delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    public int zombies() {
        synchronized (monitor) {
            return zombies.size();
        }
    }

    /**
     * Waits until no process goes on behind its time-out.
     *
     * @return false if some still do after {@code timeout}
     */
    public boolean awaitZombies(Duration timeout) throws InterruptedException {
        long endNanos = System.nanoTime() + timeout.toNanos();
        synchronized (monitor) {
            while (!zombies.isEmpty()) {
                long millis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
                if (millis <= 0) {
                    return false;
                }
                monitor.wait(millis);
            }
            return true;
        }
    }

    /** How many processes were started so far. */
    public int started() {
        synchronized (monitor) {
            return started;
        }
    }

    /** Ends all processes. */
    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException shuttingDown) {
            // The hook is running or has run, which does no harm.
        }
    }

    private void end() {
        killAll();
        deleteTaskRoot();
    }

    private void killAll() {
        List<ExecutionEnvironment> left;
        synchronized (monitor) {
            closed = true;
            left = List.copyOf(all);
        }
        timer.shutdownNow();
        for (ExecutionEnvironment environment : left) {
            try {
                kill(environment);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void deleteTaskRoot() {
        try (Stream<Path> files = Files.walk(settings.taskRoot())) {
            // Children first; a process that crashed has left a report.
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException leftBehind) {
            System.getLogger(EnvironmentPool.class.getName())
                    .log(System.Logger.Level.DEBUG, "a temporary folder stays", leftBehind);
        }
    }
}
