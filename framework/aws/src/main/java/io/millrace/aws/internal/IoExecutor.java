package io.millrace.aws.internal;

import io.millrace.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests to AWS side by side, at most {@value #PARALLEL_REQUESTS_MAX} at a time: on virtual threads where the
 * JVM has them, else on a pool of daemon threads. Thread-safe.
 */
public final class IoExecutor {
    /** The most requests under way at once. */
    public static final int PARALLEL_REQUESTS_MAX = 32;

    private final ExecutorService executor;
    private final Semaphore permits = new Semaphore(PARALLEL_REQUESTS_MAX);

    public IoExecutor(ExecutorService executor) {
        this.executor = executor;
    }

    /** An executor of its own for a function instance. */
    public static IoExecutor create() {
        return new IoExecutor(virtualThreadsOrPool());
    }

    private static ExecutorService virtualThreadsOrPool() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            return Executors.newFixedThreadPool(PARALLEL_REQUESTS_MAX, task -> {
                Thread thread = new Thread(task, "millrace-io");
                thread.setDaemon(true);
                return thread;
            });
        }
    }

    /**
     * Runs all tasks and returns their results in order. A single task runs on the caller's thread. If tasks fail, all
     * others are still waited for, then the first failure is thrown with the others suppressed in it.
     */
    public <T> List<T> runAll(List<? extends Callable<T>> tasks) {
        if (tasks.size() == 1) {
            return List.of(call(tasks.get(0)));
        }
        List<Future<T>> futures = new ArrayList<>(tasks.size());
        for (Callable<T> task : tasks) {
            futures.add(executor.submit(() -> {
                permits.acquire();
                try {
                    return task.call();
                } finally {
                    permits.release();
                }
            }));
        }
        List<T> results = new ArrayList<>(tasks.size());
        @Nullable Throwable failure = null;
        for (Future<T> future : futures) {
            try {
                results.add(future.get());
            } catch (ExecutionException e) {
                failure = firstOf(failure, Objects.requireNonNullElse(e.getCause(), e));
            } catch (InterruptedException e) {
                futures.forEach(other -> other.cancel(true));
                Thread.currentThread().interrupt();
                throw new MillraceException("The invocation was interrupted while requests were under way.", e);
            }
        }
        if (failure != null) {
            throw unchecked(failure);
        }
        return results;
    }

    private static <T> T call(Callable<T> task) {
        try {
            return task.call();
        } catch (Exception e) {
            throw unchecked(e);
        }
    }

    private static Throwable firstOf(@Nullable Throwable failure, Throwable next) {
        if (failure == null) {
            return next;
        }
        if (failure != next) {
            failure.addSuppressed(next);
        }
        return failure;
    }

    private static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException runtime
                ? runtime
                : new MillraceException(failure.toString(), failure);
    }
}
