package io.millrace.local.internal.mapping;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse.BatchItemFailure;
import io.millrace.local.DiscardedBatch;
import io.millrace.local.EventSourceMappingListener;
import io.millrace.local.InvocationOutcome;
import io.millrace.local.ManualClock;
import io.millrace.local.StartingPosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import software.amazon.awssdk.services.kinesis.model.Record;

/** Drives one shard's consumer step by step over an in-memory stream and a clock that jumps to the next wake-up. */
final class ShardSimulation implements EventSourceMappingListener {
    static final String SHARD = "shardId-000000000000";
    private static final int STEPS_MAX = 100_000;

    final ManualClock clock = new ManualClock();
    final InMemoryShards source = new InMemoryShards(clock, 1000);
    final List<List<Integer>> invocations = new ArrayList<>();
    final List<Integer> acknowledged = new ArrayList<>();
    final List<DiscardedBatch> discarded = new ArrayList<>();
    final List<DiscardedBatch> delivered = new ArrayList<>();
    int splits;
    ShardConsumer consumer;
    Function<List<Integer>, InvocationOutcome> function = numbers -> success();

    /** The settings of a mapping, as a test changes them. */
    static final class Settings {
        StartingPosition startingPosition = StartingPosition.trimHorizon();
        int batchSize = 3;
        Duration window = Duration.ZERO;
        boolean report;
        boolean bisect;
        int retries = MappingSettings.UNLIMITED;
        long ageSeconds = MappingSettings.UNLIMITED;
        int factor = 1;

        MappingSettings build() {
            return new MappingSettings(
                    InMemoryShards.STREAM_ARN,
                    "arn:aws:lambda:eu-west-1:123456789012:function:board",
                    startingPosition,
                    batchSize,
                    window,
                    report,
                    bisect,
                    retries,
                    ageSeconds,
                    factor,
                    Duration.ofMillis(10),
                    Duration.ofSeconds(1),
                    Duration.ofMillis(100));
        }
    }

    ShardSimulation(Settings settings) {
        source.addShard(SHARD);
        consumer = new ShardConsumer(SHARD, new ShardPosition.Oldest(), settings.build(), this);
    }

    void startAt(ShardPosition position, Settings settings) {
        consumer = new ShardConsumer(SHARD, position, settings.build(), this);
    }

    void put(int count) {
        for (int record = 0; record < count; record++) {
            source.put(SHARD, "key-" + record);
        }
    }

    /** Runs until the closed shard is finished. */
    void runToEnd() {
        source.close(SHARD);
        for (int step = 0; step < STEPS_MAX; step++) {
            if (!step()) {
                return;
            }
        }
        throw new AssertionError(
                "Not finished after " + STEPS_MAX + " steps and " + invocations.size() + " invocations");
    }

    /** Runs until the consumer waits for a time at or after that, and sets the clock to it. */
    void runFor(Duration duration) {
        var end = clock.instant().plus(duration);
        for (int step = 0; step < STEPS_MAX; step++) {
            ShardStep next = consumer.next(clock.instant());
            if (next instanceof ShardStep.WaitUntil until && until.time().isAfter(end)) {
                clock.moveTo(end);
                return;
            }
            take(next);
        }
        throw new AssertionError("Still busy after " + STEPS_MAX + " steps");
    }

    private boolean step() {
        ShardStep next = consumer.next(clock.instant());
        if (next instanceof ShardStep.Finished) {
            return false;
        }
        take(next);
        return true;
    }

    private void take(ShardStep next) {
        if (next instanceof ShardStep.OpenIterator open) {
            consumer.onIterator(source.openIterator(SHARD, open.position()));
        } else if (next instanceof ShardStep.Read read) {
            consumer.onRead(source.read(read.iterator(), read.limit()), clock.instant());
        } else if (next instanceof ShardStep.Invoke invoke) {
            List<Integer> numbers = numbers(invoke.batch().records());
            invocations.add(numbers);
            consumer.onInvoked(invoke.batch(), function.apply(numbers), clock.instant());
        } else if (next instanceof ShardStep.Deliver deliver) {
            delivered.add(deliver.discarded());
            consumer.onDelivered(deliver);
        } else if (next instanceof ShardStep.WaitUntil until) {
            clock.moveTo(until.time());
        } else {
            throw new AssertionError("Nothing is outstanding, and yet the consumer says " + next);
        }
    }

    static List<Integer> numbers(List<Record> records) {
        return records.stream()
                .map(kinesisRecord -> InMemoryShards.number(kinesisRecord.sequenceNumber()))
                .toList();
    }

    @Override
    public void acknowledged(String shardId, List<Record> records) {
        acknowledged.addAll(numbers(records));
    }

    @Override
    public void split(String shardId, List<Record> records, int at) {
        splits++;
    }

    @Override
    public void discarded(DiscardedBatch batch) {
        discarded.add(batch);
    }

    static InvocationOutcome success() {
        return new InvocationOutcome.Returned(null);
    }

    static InvocationOutcome error() {
        return InvocationOutcome.thrown(new IllegalStateException("poison"));
    }

    /** A response that reports these records by their numbers in the stream. */
    static InvocationOutcome failures(Integer... numbers) {
        List<BatchItemFailure> failures = new ArrayList<>();
        for (Integer number : numbers) {
            failures.add(new BatchItemFailure(sequenceNumber(number)));
        }
        return new InvocationOutcome.Returned(new StreamsEventResponse(failures));
    }

    static String sequenceNumber(int number) {
        InMemoryShards counting = new InMemoryShards(new ManualClock(), 1);
        counting.addShard(SHARD);
        String sequenceNumber = "";
        for (int put = 0; put < number; put++) {
            sequenceNumber = counting.put(SHARD, "key").sequenceNumber();
        }
        return sequenceNumber;
    }
}
