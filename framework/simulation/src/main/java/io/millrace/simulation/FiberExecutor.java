package io.millrace.simulation;

import io.millrace.aws.internal.IoExecutor;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The I/O executor of a simulated process: each task is a fiber, and waiting for one gives the baton back. No more of them run
 * at once than requests may be under way, since who waits for a permit of the production code's does not give it back.
 */
final class FiberExecutor extends AbstractExecutorService {
    private final SimulatedProcess process;
    private int running;

    FiberExecutor(SimulatedProcess process) {
        this.process = process;
    }

    @Override
    public void execute(Runnable task) {
        process.startFiber(() -> run(task));
    }

    private void run(Runnable task) {
        Objects.requireNonNull(Fiber.current()).await(() -> running < IoExecutor.PARALLEL_REQUESTS_MAX);
        running++;
        try {
            task.run();
        } finally {
            running--;
        }
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return new FutureTask<>(callable) {
            @Override
            public T get() throws InterruptedException, ExecutionException {
                Fiber fiber = Fiber.current();
                if (fiber != null) {
                    fiber.await(this::isDone);
                }
                return super.get();
            }
        };
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, @Nullable T value) {
        throw new UnsupportedOperationException("The I/O executor runs callables.");
    }

    @Override
    public void shutdown() {
        // Its threads belong to all simulations.
    }

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
