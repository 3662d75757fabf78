package io.millrace.local.internal.mapping;

import io.millrace.local.DiscardedBatch;
import io.millrace.local.EventSourceMappingListener;
import io.millrace.local.FailureDestination;
import io.millrace.local.FunctionInvoker;
import io.millrace.local.MappingStatistics;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a mapping: a bounded pool for reads, a bounded pool for invocations, and one timer thread that also
 * lists the shards again and again. Which shard does what is decided by its {@link ShardConsumer}.
 */
public final class MappingRunner implements AutoCloseable {
    private static final int READ_THREADS_MAX = 4;
    private static final String STREAM = "stream";

    /** What a runner is made of. */
    public record Parts(
            ShardSource source,
            FunctionInvoker invoker,
            MappingSettings settings,
            Duration functionTimeout,
            int concurrencyMax,
            Duration discoveryInterval,
            Clock clock,
            @Nullable FailureDestination failureDestination,
            List<EventSourceMappingListener> listeners) {
        public Parts {
            listeners = List.copyOf(listeners);
        }
    }

    private final Parts parts;
    private final StatisticsCollector statistics;
    private final ExecutorService steps;
    private final ExecutorService invocations;
    private final ScheduledExecutorService timer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition progress = lock.newCondition();

    // Guarded by the lock.
    private final ShardDirectory directory;
    private final Map<String, ShardDriver> drivers = new LinkedHashMap<>();
    private long epoch;
    private long listedEpoch = -1;
    private long listingsWanted = 1;
    private long listingsDone;
    private @Nullable Duration retention;
    private @Nullable Throwable broken;

    private volatile boolean closed;

    public MappingRunner(Parts parts) {
        this.parts = parts;
        this.statistics = new StatisticsCollector(parts.listeners());
        this.directory = new ShardDirectory(parts.settings().startingPosition());
        this.steps = Executors.newFixedThreadPool(READ_THREADS_MAX, threads("mapping-read"));
        this.invocations = Executors.newFixedThreadPool(parts.concurrencyMax(), threads("mapping-invoke"));
        this.timer = Executors.newSingleThreadScheduledExecutor(threads("mapping-timer"));
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Begins to read. */
    public void start() {
        submitStep(this::discover);
        Future<?> unused =
                schedule(this::discoverAgain, parts.discoveryInterval().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void discoverAgain() {
        submitStep(this::discover);
        Future<?> unused =
                schedule(this::discoverAgain, parts.discoveryInterval().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void discover() {
        long wanted;
        long atEpoch;
        lock.lock();
        try {
            wanted = listingsWanted;
            atEpoch = epoch;
        } finally {
            lock.unlock();
        }
        List<SourceShard> shards;
        Duration listedRetention;
        try {
            shards = parts.source().listShards();
            listedRetention = parts.source().retention();
        } catch (RuntimeException failure) {
            statistics.readFailed(STREAM, failure);
            long pauseNanos = parts.settings().pollInterval().toNanos();
            Future<?> unused = schedule(() -> submitStep(this::discover), pauseNanos, TimeUnit.NANOSECONDS);
            return;
        }
        lock.lock();
        try {
            directory.onListed(shards);
            retention = listedRetention;
            drivers.values().forEach(driver -> driver.setRetention(listedRetention));
            listingsDone = Math.max(listingsDone, wanted);
            listedEpoch = Math.max(listedEpoch, atEpoch);
            startReady();
            progress.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void startReady() {
        for (ShardDirectory.Ready ready : directory.takeReady()) {
            ShardConsumer consumer = new ShardConsumer(ready.shardId(), ready.start(), parts.settings(), statistics);
            if (retention != null) {
                consumer.setRetention(retention);
            }
            consumer.requestTip(epoch);
            ShardDriver driver = new ShardDriver(consumer, this);
            drivers.put(ready.shardId(), driver);
            driver.wake();
        }
    }

    void shardFinished(String shardId) {
        lock.lock();
        try {
            if (drivers.remove(shardId) == null) {
                return;
            }
            directory.onFinished(shardId);
            startReady();
            // The shard was closed, so there are children, and the last listing may be too old to show them.
            listingsWanted++;
            progress.signalAll();
        } finally {
            lock.unlock();
        }
        submitStep(this::discover);
    }

    /**
     * Waits until every shard was read to the tip by a read that began after this call, and every batch is acknowledged
     * or given up.
     *
     * @return false if that did not happen within {@code timeout}
     */
    public boolean awaitDrained(Duration timeout) throws InterruptedException {
        long nanos = timeout.toNanos();
        long target;
        List<ShardDriver> known;
        lock.lock();
        try {
            target = ++epoch;
            known = List.copyOf(drivers.values());
        } finally {
            lock.unlock();
        }
        known.forEach(driver -> driver.requestTip(target));
        submitStep(this::discover);
        lock.lock();
        try {
            while (!drained(target)) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = progress.awaitNanos(nanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean drained(long target) {
        if (broken != null) {
            throw new IllegalStateException("The event source mapping stopped by an error of its own", broken);
        }
        if (closed) {
            throw new IllegalStateException("The event source mapping is closed, so it will not drain the stream");
        }
        return listedEpoch >= target
                && listingsDone >= listingsWanted
                && !directory.hasWaiting()
                && drivers.values().stream().allMatch(driver -> driver.drained(target));
    }

    public MappingStatistics statistics() {
        return statistics.statistics();
    }

    void deliver(DiscardedBatch batch) {
        @Nullable FailureDestination destination = parts.failureDestination();
        if (destination == null) {
            return;
        }
        try {
            destination.deliver(batch);
        } catch (RuntimeException failure) {
            statistics.deliveryFailed(batch, failure);
        }
    }

    void submitStep(Runnable task) {
        submit(steps, task);
    }

    void submitInvocation(Runnable task) {
        submit(invocations, task);
    }

    private void submit(ExecutorService executor, Runnable task) {
        try {
            executor.execute(() -> runGuarded(task));
        } catch (RejectedExecutionException refused) {
            if (!closed) {
                throw refused;
            }
        }
    }

    private void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            lock.lock();
            try {
                broken = broken == null ? failure : broken;
                progress.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @Nullable
    Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
        try {
            return timer.schedule(() -> runGuarded(task), delay, unit);
        } catch (RejectedExecutionException refused) {
            if (closed) {
                return null;
            }
            throw refused;
        }
    }

    void progressed() {
        lock.lock();
        try {
            progress.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean closed() {
        return closed;
    }

    Instant now() {
        return parts.clock().instant();
    }

    Clock clock() {
        return parts.clock();
    }

    ShardSource source() {
        return parts.source();
    }

    FunctionInvoker invoker() {
        return parts.invoker();
    }

    MappingSettings settings() {
        return parts.settings();
    }

    Duration functionTimeout() {
        return parts.functionTimeout();
    }

    /** Stops reading, lets invocations that run come to their end (at most the function's time-out), and ends the threads. */
    @Override
    public void close() {
        closed = true;
        progressed();
        timer.shutdownNow();
        steps.shutdown();
        invocations.shutdown();
        try {
            boolean ended =
                    invocations.awaitTermination(parts.functionTimeout().toMillis() + 1000, TimeUnit.MILLISECONDS)
                            && steps.awaitTermination(1, TimeUnit.SECONDS);
            if (!ended) {
                invocations.shutdownNow();
                steps.shutdownNow();
            }
        } catch (InterruptedException interrupted) {
            invocations.shutdownNow();
            steps.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
