package io.millrace.local.internal.mapping;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import io.millrace.local.InvocationContext;
import io.millrace.local.InvocationOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs one shard's consumer on the mapping's threads: never two at a time, invocations beside the reads. */
final class ShardDriver {
    private final ShardConsumer consumer;
    private final MappingRunner runner;
    /** Wake-ups not yet served; whoever raises it from 0 starts the one task that serves them all. */
    private final AtomicInteger wakeUps = new AtomicInteger();

    private @Nullable Future<?> timer;
    private Instant timerTime = Instant.MAX;

    ShardDriver(ShardConsumer consumer, MappingRunner runner) {
        this.consumer = consumer;
        this.runner = runner;
    }

    void wake() {
        if (wakeUps.getAndIncrement() == 0) {
            runner.submitStep(this::serveWakeUps);
        }
    }

    private void serveWakeUps() {
        int served = 0;
        do {
            served = wakeUps.get();
            while (!runner.closed() && takeStep()) {
                runner.progressed();
            }
            runner.progressed();
        } while (wakeUps.addAndGet(-served) > 0);
    }

    /** Takes one step; false if there is none before a time or a result. */
    private boolean takeStep() {
        ShardStep step;
        synchronized (this) {
            step = consumer.next(runner.now());
        }
        if (step instanceof ShardStep.OpenIterator open) {
            openIterator(open);
        } else if (step instanceof ShardStep.Read read) {
            ReadOutcome outcome = runner.source().read(read.iterator(), read.limit());
            synchronized (this) {
                consumer.onRead(outcome, runner.now());
            }
        } else if (step instanceof ShardStep.Invoke invoke) {
            runner.submitInvocation(() -> invoke(invoke.batch()));
        } else if (step instanceof ShardStep.Deliver deliver) {
            runner.deliver(deliver.discarded());
            synchronized (this) {
                consumer.onDelivered(deliver);
            }
        } else {
            rest(step);
            return false;
        }
        return true;
    }

    private void openIterator(ShardStep.OpenIterator open) {
        try {
            String iterator = runner.source().openIterator(consumer.shardId(), open.position());
            synchronized (this) {
                consumer.onIterator(iterator);
            }
        } catch (RuntimeException failure) {
            synchronized (this) {
                consumer.onIteratorFailed(failure, runner.now());
            }
        }
    }

    private void invoke(Batch batch) {
        InvocationContext context =
                InvocationContext.starting(runner.clock(), runner.functionTimeout(), consumer.shardId(), batch.lane());
        KinesisEvent event = LambdaEvents.event(runner.settings().streamArn(), consumer.shardId(), batch.records());
        InvocationOutcome outcome;
        try {
            outcome = runner.invoker().invoke(event, context);
        } catch (RuntimeException | Error failure) {
            // An invoker should not throw; for the mapping it is an invocation that failed.
            outcome = InvocationOutcome.thrown(failure);
        }
        synchronized (this) {
            consumer.onInvoked(batch, outcome, runner.now());
        }
        wake();
    }

    private void rest(ShardStep step) {
        if (step instanceof ShardStep.Finished) {
            runner.shardFinished(consumer.shardId());
        } else if (step instanceof ShardStep.WaitUntil until) {
            wakeAt(until.time());
        }
    }

    private synchronized void wakeAt(Instant time) {
        if (!time.isBefore(timerTime)) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerTime = time;
        long nanos = Math.max(0, Duration.between(runner.now(), time).toNanos());
        timer = runner.schedule(this::timerFired, nanos, TimeUnit.NANOSECONDS);
    }

    /** Forgets the timer before it wakes the shard, so that the woken shard can set the next one. */
    private void timerFired() {
        synchronized (this) {
            timer = null;
            timerTime = Instant.MAX;
        }
        wake();
    }

    synchronized void setRetention(Duration retention) {
        consumer.setRetention(retention);
    }

    void requestTip(long epoch) {
        synchronized (this) {
            consumer.requestTip(epoch);
        }
        wake();
    }

    synchronized boolean drained(long epoch) {
        return consumer.drained(epoch);
    }
}
