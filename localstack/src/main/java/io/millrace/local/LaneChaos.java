package io.millrace.local;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent.KinesisEventRecord;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import io.millrace.local.MappingChaos.Misfortune;
import io.millrace.local.internal.mapping.LambdaEvents;
import io.millrace.local.internal.mapping.MappingSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The chaos of one lane: its random sequence, the records that it has acknowledged lately, the hits on its batches. */
final class LaneChaos {
    private static final int HISTORY_RECORDS_MAX = 512;
    private static final int RECORD_BYTES_BESIDE_DATA_MAX = 4096;

    private final MappingChaos chaos;
    private final SplittableRandom random;
    private final FunctionInvoker function;
    private final int batchSize;
    private final boolean reportBatchItemFailures;
    private final Object lock = new Object();

    // Guarded by the lock; the history is a contiguous run of the lane's records that ends before the checkpoint.
    private final List<KinesisEventRecord> history = new ArrayList<>();
    private final Map<String, Integer> hits = new HashMap<>();

    LaneChaos(
            MappingChaos chaos,
            SplittableRandom random,
            FunctionInvoker function,
            int batchSize,
            boolean reportBatchItemFailures) {
        this.chaos = chaos;
        this.random = random;
        this.function = function;
        this.batchSize = batchSize;
        this.reportBatchItemFailures = reportBatchItemFailures;
    }

    InvocationOutcome invoke(KinesisEvent event, InvocationContext context) {
        @Nullable Misfortune misfortune = drawFor(event);
        InvocationOutcome outcome =
                misfortune == null ? function.invoke(event, context) : invokeWith(misfortune, event, context);
        remember(event, outcome);
        return outcome;
    }

    private @Nullable Misfortune drawFor(KinesisEvent event) {
        synchronized (lock) {
            @Nullable Misfortune misfortune = chaos.draw(random);
            String first = event.getRecords().get(0).getEventID();
            if (misfortune == null || hits.getOrDefault(first, 0) >= chaos.hitsPerBatchMax()) {
                return null;
            }
            hits.merge(first, 1, Integer::sum);
            return misfortune;
        }
    }

    private InvocationOutcome invokeWith(Misfortune misfortune, KinesisEvent event, InvocationContext context) {
        return switch (misfortune) {
            case CRASH_BEFORE -> {
                chaos.count(misfortune);
                yield crashed();
            }
            case CRASH_DURING -> {
                chaos.count(misfortune);
                context.scope().abortFrom(1 + nextInt(chaos.requestsBeforeCrashMax()));
                function.invoke(event, context);
                yield crashed();
            }
            case RESPONSE_LOST -> {
                chaos.count(misfortune);
                function.invoke(event, context);
                yield crashed();
            }
            case ZOMBIE -> invokeZombie(event, context);
            case DUPLICATE -> invokeBesideDuplicate(event, context);
            case RECOMPOSED -> invokeRecomposed(event, context);
        };
    }

    private static InvocationOutcome crashed() {
        return InvocationOutcome.exited("The mapping chaos ended the invocation");
    }

    private InvocationOutcome invokeZombie(KinesisEvent event, InvocationContext context) {
        if (!chaos.runInBackground(() -> function.invoke(event, context))) {
            return function.invoke(event, context);
        }
        chaos.count(Misfortune.ZOMBIE);
        return new InvocationOutcome.TimedOut(context.timeout());
    }

    private InvocationOutcome invokeBesideDuplicate(KinesisEvent event, InvocationContext context) {
        List<KinesisEventRecord> old = randomOldRun();
        if (!old.isEmpty()) {
            InvocationContext another = context.again();
            if (chaos.runInBackground(() -> function.invoke(LambdaEvents.event(old), another))) {
                chaos.count(Misfortune.DUPLICATE);
            }
        }
        return function.invoke(event, context);
    }

    /**
     * Delivers the batch as others: old records in front, cut at other places. One after the other, as Lambda would; the
     * first that fails decides. Its answer is the batch's: a number of the old records is not in the batch and so fails
     * it as a whole.
     */
    private InvocationOutcome invokeRecomposed(KinesisEvent event, InvocationContext context) {
        List<List<KinesisEventRecord>> parts = recompose(event);
        chaos.count(Misfortune.RECOMPOSED);
        InvocationOutcome outcome = new InvocationOutcome.Returned(null);
        for (List<KinesisEventRecord> part : parts) {
            outcome = function.invoke(LambdaEvents.event(part), context.again());
            if (!succeeded(outcome)) {
                break;
            }
        }
        return outcome;
    }

    private List<List<KinesisEventRecord>> recompose(KinesisEvent event) {
        synchronized (lock) {
            int oldRecords = random.nextInt(Math.min(history.size(), batchSize) + 1);
            List<KinesisEventRecord> run =
                    new ArrayList<>(history.subList(history.size() - oldRecords, history.size()));
            run.addAll(event.getRecords());
            List<List<KinesisEventRecord>> parts = new ArrayList<>();
            int from = 0;
            while (from < run.size()) {
                int length = 1 + random.nextInt(batchSize);
                int to = fittingEnd(run, from, Math.min(run.size(), from + length));
                parts.add(run.subList(from, to));
                from = to;
            }
            return parts;
        }
    }

    /** The end of a part that keeps within the payload limit; a part has one record at least. */
    private static int fittingEnd(List<KinesisEventRecord> run, int from, int to) {
        long bytes = 0;
        for (int index = from; index < to; index++) {
            int data = run.get(index).getKinesis().getData().remaining();
            bytes += (data + 2L) / 3 * 4 + RECORD_BYTES_BESIDE_DATA_MAX;
            if (bytes > MappingSettings.PAYLOAD_BYTES_MAX && index > from) {
                return index;
            }
        }
        return to;
    }

    private List<KinesisEventRecord> randomOldRun() {
        synchronized (lock) {
            if (history.isEmpty()) {
                return List.of();
            }
            int from = random.nextInt(history.size());
            int length = 1 + random.nextInt(batchSize);
            int to = fittingEnd(history, from, Math.min(history.size(), from + length));
            return List.copyOf(history.subList(from, to));
        }
    }

    private int nextInt(int bound) {
        synchronized (lock) {
            return random.nextInt(bound);
        }
    }

    private boolean succeeded(InvocationOutcome outcome) {
        return outcome instanceof InvocationOutcome.Returned returned
                && (!reportBatchItemFailures || withoutFailures(returned.response()));
    }

    private static boolean withoutFailures(@Nullable StreamsEventResponse response) {
        return response == null
                || response.getBatchItemFailures() == null
                || response.getBatchItemFailures().isEmpty();
    }

    private void remember(KinesisEvent event, InvocationOutcome outcome) {
        if (!succeeded(outcome)) {
            forgetHistoryAfterResponse(outcome);
            return;
        }
        synchronized (lock) {
            history.addAll(event.getRecords());
            if (history.size() > HISTORY_RECORDS_MAX) {
                history.subList(0, history.size() - HISTORY_RECORDS_MAX).clear();
            }
            event.getRecords().forEach(acknowledged -> hits.remove(acknowledged.getEventID()));
        }
    }

    /** After a partial response the checkpoint moves inside the batch, so the history no longer reaches up to it. */
    private void forgetHistoryAfterResponse(InvocationOutcome outcome) {
        if (outcome instanceof InvocationOutcome.Returned) {
            forgetHistory();
        }
    }

    void forgetHistory() {
        synchronized (lock) {
            history.clear();
        }
    }
}
