package io.millrace.local.internal.mapping;

import io.millrace.local.DiscardedBatch;
import io.millrace.local.EventSourceMappingListener;
import io.millrace.local.InvocationOutcome;
import io.millrace.local.MappingStatistics;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import software.amazon.awssdk.services.kinesis.model.Record;

/** Counts what a mapping does and passes it on to the user's listeners. */
final class StatisticsCollector implements EventSourceMappingListener {
    private final List<EventSourceMappingListener> listeners;
    private final LongAdder invocations = new LongAdder();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder redelivered = new LongAdder();
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder functionErrors = new LongAdder();
    private final LongAdder timeOuts = new LongAdder();
    private final LongAdder throttles = new LongAdder();
    private final LongAdder splits = new LongAdder();
    private final LongAdder discarded = new LongAdder();
    private final LongAdder failedReads = new LongAdder();
    private final LongAdder failedDeliveries = new LongAdder();

    StatisticsCollector(List<EventSourceMappingListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    MappingStatistics statistics() {
        return new MappingStatistics(
                invocations.sum(),
                delivered.sum(),
                redelivered.sum(),
                acknowledged.sum(),
                functionErrors.sum(),
                timeOuts.sum(),
                throttles.sum(),
                splits.sum(),
                discarded.sum(),
                failedReads.sum(),
                failedDeliveries.sum());
    }

    @Override
    public void invoking(String shardId, List<Record> records, boolean redelivery) {
        invocations.increment();
        delivered.add(records.size());
        if (redelivery) {
            redelivered.add(records.size());
        }
        listeners.forEach(listener -> listener.invoking(shardId, records, redelivery));
    }

    @Override
    public void invoked(String shardId, List<Record> records, InvocationOutcome outcome) {
        if (outcome instanceof InvocationOutcome.FunctionError) {
            functionErrors.increment();
        } else if (outcome instanceof InvocationOutcome.TimedOut) {
            timeOuts.increment();
        } else if (outcome instanceof InvocationOutcome.Throttled) {
            throttles.increment();
        }
        listeners.forEach(listener -> listener.invoked(shardId, records, outcome));
    }

    @Override
    public void acknowledged(String shardId, List<Record> records) {
        acknowledged.add(records.size());
        listeners.forEach(listener -> listener.acknowledged(shardId, records));
    }

    @Override
    public void split(String shardId, List<Record> records, int at) {
        splits.increment();
        listeners.forEach(listener -> listener.split(shardId, records, at));
    }

    @Override
    public void discarded(DiscardedBatch batch) {
        discarded.add(batch.batchSize());
        listeners.forEach(listener -> listener.discarded(batch));
    }

    @Override
    public void deliveryFailed(DiscardedBatch batch, RuntimeException failure) {
        failedDeliveries.increment();
        listeners.forEach(listener -> listener.deliveryFailed(batch, failure));
    }

    @Override
    public void readFailed(String shardId, RuntimeException failure) {
        failedReads.increment();
        listeners.forEach(listener -> listener.readFailed(shardId, failure));
    }

    @Override
    public void shardFinished(String shardId) {
        listeners.forEach(listener -> listener.shardFinished(shardId));
    }
}
