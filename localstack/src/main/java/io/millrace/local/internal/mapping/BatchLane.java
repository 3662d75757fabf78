package io.millrace.local.internal.mapping;

import io.millrace.local.DiscardedBatch;
import io.millrace.local.DiscardedBatch.Condition;
import io.millrace.local.EventSourceMappingListener;
import io.millrace.local.InvocationOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;

/**
 * One ordered sequence of a shard's batches: all of the shard, or the partition keys of one of its concurrent batches.
 * Records are queued, cut into batches, and each batch is invoked until it is acknowledged or given up; only then comes
 * the next. Splits put the parts of a batch in front of everything else. Single-threaded, no clock of its own.
 */
final class BatchLane {
    private record Queued(Record kinesisRecord, int payloadBytes, Instant since) {}

    private final int lane;
    private final String shardId;
    private final MappingSettings settings;
    private final EventSourceMappingListener listener;
    private final Deque<Queued> queue = new ArrayDeque<>();
    private final Deque<Batch> pending = new ArrayDeque<>();
    private final Deque<DiscardedBatch> undelivered = new ArrayDeque<>();
    private long queuedBytes;
    private boolean busy;

    BatchLane(int lane, String shardId, MappingSettings settings, EventSourceMappingListener listener) {
        this.lane = lane;
        this.shardId = shardId;
        this.settings = settings;
        this.listener = listener;
    }

    void add(Record kinesisRecord, Instant now) {
        int bytes = LambdaEvents.payloadBytes(settings.streamArn(), shardId, kinesisRecord);
        queue.add(new Queued(kinesisRecord, bytes, now));
        queuedBytes += bytes;
    }

    int queuedRecords() {
        return queue.size();
    }

    long queuedBytes() {
        return queuedBytes;
    }

    boolean idle() {
        return queue.isEmpty() && pending.isEmpty() && undelivered.isEmpty() && !busy;
    }

    /** The next step of this lane; null while a result is outstanding or there are no records. */
    @Nullable
    ShardStep next(Instant now, boolean shardEnded, Duration recordAgeMax) {
        if (busy) {
            return null;
        }
        while (undelivered.isEmpty() && (!pending.isEmpty() || batchReady(now, shardEnded))) {
            if (pending.isEmpty()) {
                formBatch(now);
            }
            Batch batch = discardExpired(pending.remove(), now, recordAgeMax);
            if (batch.size() == 0) {
                continue;
            }
            if (batch.size() == 1 && tooLarge(batch.records().get(0))) {
                discard(batch, Condition.PAYLOAD_TOO_LARGE, false, now);
                continue;
            }
            if (undelivered.isEmpty() && !now.isBefore(batch.notBefore())) {
                busy = true;
                listener.invoking(shardId, batch.records(), batch.invocations() > 0);
                pending.addFirst(batch.invoked());
                return new ShardStep.Invoke(pending.element());
            }
            pending.addFirst(batch);
            break;
        }
        @Nullable DiscardedBatch discarded = undelivered.poll();
        if (discarded != null) {
            busy = true;
            return new ShardStep.Deliver(lane, discarded);
        }
        return waitStep();
    }

    private @Nullable ShardStep waitStep() {
        if (!pending.isEmpty()) {
            return new ShardStep.WaitUntil(pending.element().notBefore());
        }
        return queue.isEmpty()
                ? null
                : new ShardStep.WaitUntil(queue.element().since().plus(settings.batchingWindow()));
    }

    private boolean batchReady(Instant now, boolean shardEnded) {
        if (queue.isEmpty()) {
            return false;
        }
        return shardEnded
                || queue.size() >= settings.batchSize()
                || queuedBytes + LambdaEvents.FIXED_EVENT_BYTES >= MappingSettings.PAYLOAD_BYTES_MAX
                || !now.isBefore(queue.element().since().plus(settings.batchingWindow()));
    }

    private void formBatch(Instant now) {
        List<Record> records = new ArrayList<>();
        long bytes = LambdaEvents.FIXED_EVENT_BYTES;
        while (!queue.isEmpty() && records.size() < settings.batchSize()) {
            Queued head = queue.element();
            if (!records.isEmpty() && bytes + head.payloadBytes() > MappingSettings.PAYLOAD_BYTES_MAX) {
                break;
            }
            queue.remove();
            bytes += head.payloadBytes();
            queuedBytes -= head.payloadBytes();
            records.add(head.kinesisRecord());
        }
        pending.add(Batch.first(lane, records, now));
    }

    private boolean tooLarge(Record kinesisRecord) {
        return LambdaEvents.payloadBytes(settings.streamArn(), shardId, kinesisRecord) + LambdaEvents.FIXED_EVENT_BYTES
                > MappingSettings.PAYLOAD_BYTES_MAX;
    }

    private Batch discardExpired(Batch batch, Instant now, Duration recordAgeMax) {
        Instant oldest = now.minus(recordAgeMax);
        List<Record> expired = batch.records().stream()
                .filter(kinesisRecord -> arrivedBefore(kinesisRecord, oldest))
                .toList();
        if (expired.isEmpty()) {
            return batch;
        }
        discard(batch.withRecords(expired), Condition.RECORD_AGE_EXCEEDED, false, now);
        return batch.withRecords(batch.records().stream()
                .filter(kinesisRecord -> !arrivedBefore(kinesisRecord, oldest))
                .toList());
    }

    private static boolean arrivedBefore(Record kinesisRecord, Instant oldest) {
        @Nullable Instant arrival = kinesisRecord.approximateArrivalTimestamp();
        return arrival != null && arrival.isBefore(oldest);
    }

    void onInvoked(InvocationOutcome outcome, Instant now) {
        Batch batch = pending.remove();
        busy = false;
        listener.invoked(shardId, batch.records(), outcome);
        BatchVerdict verdict = BatchVerdict.of(outcome, batch.records(), settings.reportBatchItemFailures());
        if (verdict instanceof BatchVerdict.Acknowledged) {
            listener.acknowledged(shardId, batch.records());
        } else if (verdict instanceof BatchVerdict.Throttled) {
            pending.addFirst(delay(batch, now));
        } else if (verdict instanceof BatchVerdict.FailedAt failedAt) {
            onPartialFailure(batch, failedAt.index(), now);
        } else {
            onWholeFailure(batch, ((BatchVerdict.Failed) verdict).functionError(), now);
        }
    }

    /**
     * Everything from the returned number on is delivered again. With bisect, that cut is the split, and it costs no
     * retry; a number that is the batch's first cuts nothing off, so it is a retry, else it would repeat for ever.
     */
    private void onPartialFailure(Batch batch, int index, Instant now) {
        if (index == 0) {
            retryOrDiscard(batch, false, now);
            return;
        }
        listener.acknowledged(shardId, batch.records().subList(0, index));
        Batch rest = batch.part(index, batch.size());
        if (settings.bisectBatchOnFunctionError()) {
            listener.split(shardId, batch.records(), index);
            pending.addFirst(delay(rest, now));
        } else {
            retryOrDiscard(rest, false, now);
        }
    }

    private void onWholeFailure(Batch batch, boolean functionError, Instant now) {
        if (!settings.bisectBatchOnFunctionError() || batch.size() == 1) {
            retryOrDiscard(batch, functionError, now);
            return;
        }
        int middle = batch.size() / 2;
        listener.split(shardId, batch.records(), middle);
        Batch delayed = delay(batch, now);
        pending.addFirst(delayed.part(middle, batch.size()));
        pending.addFirst(delayed.part(0, middle));
    }

    private void retryOrDiscard(Batch batch, boolean functionError, Instant now) {
        Batch failed = batch.failed();
        int retriesMax = settings.maximumRetryAttempts();
        if (retriesMax != MappingSettings.UNLIMITED && failed.failures() > retriesMax) {
            discard(failed, Condition.RETRY_ATTEMPTS_EXHAUSTED, functionError, now);
        } else {
            pending.addFirst(delay(failed, now));
        }
    }

    private Batch delay(Batch batch, Instant now) {
        return batch.delayed(now.plus(settings.backoff(batch.repetitions() + 1)));
    }

    private void discard(Batch batch, Condition condition, boolean functionError, Instant now) {
        DiscardedBatch.Origin origin = new DiscardedBatch.Origin(
                requestId(batch).toString(), settings.functionArn(), settings.streamArn(), shardId);
        DiscardedBatch discarded = new DiscardedBatch(
                origin,
                condition,
                batch.records(),
                batch.invocations(),
                functionError,
                now,
                () -> LambdaEvents.json(LambdaEvents.event(settings.streamArn(), shardId, batch.records())));
        undelivered.add(discarded);
        listener.discarded(discarded);
    }

    /** An id of the report that repeats with the run: a record is given up only once, so its number tells reports apart. */
    private UUID requestId(Batch batch) {
        String name = settings.functionArn() + "/" + settings.streamArn() + "/" + shardId + "/"
                + batch.records().get(0).sequenceNumber();
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    void onDelivered() {
        busy = false;
    }
}
