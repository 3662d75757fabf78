package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import io.millrace.local.internal.mapping.InMemoryShards;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class EventSourceMappingTest {
    private static final Duration LONG = Duration.ofSeconds(15);
    private static final String PARENT = "shardId-000000000000";
    private static final String OTHER = "shardId-000000000001";
    private static final String LEFT = "shardId-000000000002";
    private static final String RIGHT = "shardId-000000000003";
    private static final String MERGED = "shardId-000000000004";

    private final InMemoryShards source = new InMemoryShards(Clock.systemUTC(), 37);
    private final Recorder recorder = new Recorder();

    private EventSourceMapping.Builder mapping(FunctionInvoker function) {
        return EventSourceMapping.builder(source, InMemoryShards.STREAM_ARN, function)
                .batchSize(10)
                .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(4))
                .pollInterval(Duration.ofMillis(5))
                .discoveryInterval(Duration.ofMillis(20));
    }

    private FunctionInvoker recording() {
        return InJvmFunctionInvoker.sharing((event, context) -> {
            recorder.record(event);
            return new StreamsEventResponse();
        });
    }

    private void put(String shardId, int count) {
        for (int record = 0; record < count; record++) {
            source.put(shardId, "key-" + record % 11);
        }
    }

    @Test
    void drainsAgainAndAgainWhatIsPutMeanwhile() throws InterruptedException {
        source.addShard(PARENT);
        put(PARENT, 105);
        try (EventSourceMapping mapping = mapping(recording()).build()) {
            mapping.start();
            for (int round = 1; round <= 5; round++) {
                assertThat(mapping.awaitDrained(LONG)).isTrue();
                assertThat(recorder.firstDeliveries(PARENT))
                        .hasSize(105 * round)
                        .isSorted();
                put(PARENT, 105);
            }
            assertThat(mapping.statistics().redeliveredRecords()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void chaosLosesNothingAndKeepsTheOrderThroughReshards(long seed) throws InterruptedException {
        source.addShard(PARENT);
        source.addShard(OTHER);
        put(PARENT, 200);
        put(OTHER, 100);
        MappingChaos chaos = MappingChaos.seeded(seed);
        try (EventSourceMapping mapping = mapping(recording())
                .reportBatchItemFailures(true)
                .bisectBatchOnFunctionError(seed % 2 == 0)
                .chaos(chaos)
                .build()) {
            mapping.start();
            source.addShard(LEFT, PARENT);
            source.addShard(RIGHT, PARENT);
            source.close(PARENT);
            put(LEFT, 150);
            put(RIGHT, 150);
            source.addShard(MERGED, LEFT, OTHER);
            source.close(LEFT);
            source.close(OTHER);
            put(MERGED, 100);
            assertThat(mapping.awaitDrained(LONG)).isTrue();
            assertThat(mapping.awaitZombies(LONG)).isTrue();
            assertThat(mapping.statistics().acknowledgedRecords()).isEqualTo(700);
        }
        for (String shardId : List.of(PARENT, OTHER, LEFT, RIGHT, MERGED)) {
            assertThat(recorder.firstDeliveries(shardId)).isSorted();
        }
        assertThat(recorder.firstDeliveries(PARENT)).hasSize(200);
        assertThat(recorder.firstDeliveries(MERGED)).hasSize(100);
        assertThat(chaos.injected().values().stream().mapToLong(Long::longValue).sum())
                .isPositive();
    }

    @Test
    void finishesParentsBeforeTheirChildren() throws InterruptedException {
        source.addShard(PARENT);
        source.addShard(LEFT, PARENT);
        put(PARENT, 50);
        put(LEFT, 50);
        source.close(PARENT);
        ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
        AtomicInteger failures = new AtomicInteger(20);
        FunctionInvoker function = (event, context) -> {
            events.add(context.shardId());
            return failures.getAndDecrement() > 0
                    ? InvocationOutcome.thrown(new IllegalStateException("not yet"))
                    : new InvocationOutcome.Returned(null);
        };
        EventSourceMappingListener listener = new EventSourceMappingListener() {
            @Override
            public void shardFinished(String shardId) {
                events.add("finished " + shardId);
            }
        };
        try (EventSourceMapping mapping = mapping(function).listener(listener).build()) {
            mapping.start();
            assertThat(mapping.awaitDrained(LONG)).isTrue();
        }
        List<String> order = List.copyOf(events);
        assertThat(order.subList(0, order.indexOf("finished " + PARENT))).containsOnly(PARENT);
        assertThat(order.subList(order.indexOf("finished " + PARENT) + 1, order.size()))
                .isNotEmpty()
                .containsOnly(LEFT);
    }

    @Test
    void aFunctionThatMissesItsTimeOutGoesOnBesideItsRetry() throws InterruptedException {
        source.addShard(PARENT);
        put(PARENT, 1);
        CountDownLatch retried = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        FunctionInvoker function = InJvmFunctionInvoker.sharing((event, context) -> {
            if (calls.incrementAndGet() == 1) {
                await(retried);
            } else {
                retried.countDown();
            }
            ended.incrementAndGet();
            return new StreamsEventResponse();
        });
        try (EventSourceMapping mapping =
                mapping(function).functionTimeout(Duration.ofMillis(50)).build()) {
            mapping.start();
            assertThat(mapping.awaitDrained(LONG)).isTrue();
            assertThat(mapping.awaitZombies(LONG)).isTrue();
            assertThat(mapping.statistics().timeOuts()).isEqualTo(1);
        }
        assertThat(ended).hasValue(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Nothing happened for 10 s");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void handsTheHandlerExactlyWhatTheManagedRuntimeGives() throws InterruptedException {
        source.addShard(PARENT);
        var put = source.put(PARENT, "é", "hello".getBytes(StandardCharsets.UTF_8));
        source.put(PARENT, "empty", new byte[0]);
        ConcurrentLinkedQueue<KinesisEvent> events = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<Context> contexts = new ConcurrentLinkedQueue<>();
        FunctionInvoker function = InJvmFunctionInvoker.perContainer("board", container -> (event, context) -> {
            events.add(event);
            contexts.add(context);
            assertThat(context.getRemainingTimeInMillis()).isBetween(1, 60_000);
            return null;
        });
        try (EventSourceMapping mapping = mapping(function).build()) {
            mapping.start();
            assertThat(mapping.awaitDrained(LONG)).isTrue();
        }
        KinesisEvent.KinesisEventRecord first = events.element().getRecords().get(0);
        assertThat(first.getEventID()).isEqualTo(PARENT + ":" + put.sequenceNumber());
        assertThat(first.getEventName()).isEqualTo("aws:kinesis:record");
        assertThat(first.getEventSource()).isEqualTo("aws:kinesis");
        assertThat(first.getEventVersion()).isEqualTo("1.0");
        assertThat(first.getEventSourceARN()).isEqualTo(InMemoryShards.STREAM_ARN);
        assertThat(first.getAwsRegion()).isEqualTo("eu-west-1");
        assertThat(first.getInvokeIdentityArn()).startsWith("arn:aws:iam::123456789012:role/");
        assertThat(first.getKinesis().getKinesisSchemaVersion()).isEqualTo("1.0");
        assertThat(first.getKinesis().getPartitionKey()).isEqualTo("é");
        assertThat(StandardCharsets.UTF_8
                        .decode(first.getKinesis().getData().duplicate())
                        .toString())
                .isEqualTo("hello");
        assertThat(first.getKinesis()
                        .getApproximateArrivalTimestamp()
                        .toInstant()
                        .toEpochMilli())
                .isEqualTo(put.approximateArrivalTimestamp().toEpochMilli());
        KinesisEvent last = events.stream().reduce((one, other) -> other).orElseThrow();
        int lastIndex = last.getRecords().size() - 1;
        assertThat(last.getRecords().get(lastIndex).getKinesis().getData().remaining())
                .isZero();
        assertThat(contexts.element().getFunctionName()).isEqualTo("board");
        assertThat(contexts.element().getInvokedFunctionArn()).endsWith(":function:board");
    }

    @Test
    void usesAContainerForOneInvocationAtATimeAndKeepsItWarm() throws InterruptedException {
        source.addShard(PARENT);
        put(PARENT, 100);
        AtomicInteger containers = new AtomicInteger();
        FunctionInvoker function = InJvmFunctionInvoker.perContainer("board", container -> {
            containers.incrementAndGet();
            return (event, context) -> {
                recorder.record(event);
                return null;
            };
        });
        try (EventSourceMapping mapping = mapping(function).build()) {
            mapping.start();
            assertThat(mapping.awaitDrained(LONG)).isTrue();
        }
        assertThat(recorder.firstDeliveries(PARENT)).hasSize(100);
        assertThat(containers).hasValue(1);
    }

    @Test
    void reportsWhatItGivesUpAndGoesOn() throws InterruptedException {
        source.addShard(PARENT);
        put(PARENT, 6);
        ConcurrentLinkedQueue<DiscardedBatch> discarded = new ConcurrentLinkedQueue<>();
        FunctionInvoker function = InJvmFunctionInvoker.sharing((event, context) -> {
            for (KinesisEvent.KinesisEventRecord eventRecord : event.getRecords()) {
                if (InMemoryShards.number(eventRecord.getKinesis().getSequenceNumber()) == 6) {
                    throw new IllegalStateException("poison");
                }
            }
            return null;
        });
        try (EventSourceMapping mapping = mapping(function)
                .batchSize(3)
                .maximumRetryAttempts(3)
                .bisectBatchOnFunctionError(true)
                .onFailure(batch -> {
                    discarded.add(batch);
                    throw new IllegalStateException("the queue is full");
                })
                .build()) {
            mapping.start();
            assertThat(mapping.awaitDrained(LONG)).isTrue();
            assertThat(mapping.statistics().failedDeliveries()).isEqualTo(1);
            assertThat(mapping.statistics().discardedRecords()).isEqualTo(1);
            assertThat(mapping.statistics().acknowledgedRecords()).isEqualTo(5);
        }
        assertThat(discarded)
                .singleElement()
                .satisfies(batch -> assertThat(batch.batchSize()).isEqualTo(1));
    }

    /** Field case 17. */
    @Test
    void aRecordThatAlwaysFailsIsTriedFourTimesWithThreeRetriesAndReportedAlone() throws InterruptedException {
        source.addShard(PARENT);
        put(PARENT, 6);
        ConcurrentLinkedQueue<DiscardedBatch> discarded = new ConcurrentLinkedQueue<>();
        AtomicInteger tries = new AtomicInteger();
        FunctionInvoker function = InJvmFunctionInvoker.sharing((event, context) -> {
            for (KinesisEvent.KinesisEventRecord eventRecord : event.getRecords()) {
                String sequenceNumber = eventRecord.getKinesis().getSequenceNumber();
                if (InMemoryShards.number(sequenceNumber) == 6) {
                    tries.incrementAndGet();
                    return new StreamsEventResponse(List.of(new StreamsEventResponse.BatchItemFailure(sequenceNumber)));
                }
            }
            return null;
        });
        try (EventSourceMapping mapping = mapping(function)
                .batchSize(3)
                .maximumRetryAttempts(3)
                .reportBatchItemFailures(true)
                .onFailure(discarded::add)
                .build()) {
            mapping.start();
            assertThat(mapping.awaitDrained(LONG)).isTrue();
            assertThat(mapping.statistics().acknowledgedRecords()).isEqualTo(5);
        }
        assertThat(tries).hasValue(4);
        assertThat(discarded)
                .singleElement()
                .satisfies(batch -> assertThat(batch.batchSize()).isEqualTo(1));
    }

    @Test
    void isNotDrainedWhileAShardAnswersNothingShortOfItsTip() throws InterruptedException {
        source.addShard(PARENT);
        put(PARENT, 1);
        source.makeReadsEmpty(Integer.MAX_VALUE);
        try (EventSourceMapping mapping = mapping(recording()).build()) {
            mapping.start();
            assertThat(mapping.awaitDrained(Duration.ofMillis(100))).isFalse();
            source.makeReadsEmpty(0);
            assertThat(mapping.awaitDrained(LONG)).isTrue();
        }
        assertThat(recorder.firstDeliveries(PARENT)).hasSize(1);
    }

    @Test
    void aListenerThatThrowsIsReportedByTheWait() {
        source.addShard(PARENT);
        put(PARENT, 1);
        EventSourceMappingListener listener = new EventSourceMappingListener() {
            @Override
            public void shardFinished(String shardId) {
                throw new IllegalArgumentException("broken listener");
            }
        };
        source.close(PARENT);
        try (EventSourceMapping mapping =
                mapping(recording()).listener(listener).build()) {
            mapping.start();
            assertThatThrownBy(() -> mapping.awaitDrained(LONG))
                    .isInstanceOf(IllegalStateException.class)
                    .hasRootCauseMessage("broken listener");
        }
    }

    @Test
    void refusesWhatLambdaRefuses() {
        assertRefused(mapping(recording()).batchSize(0), "batchSize is 0", "1 to 10000");
        assertRefused(mapping(recording()).batchSize(10_001), "batchSize is 10001");
        assertRefused(mapping(recording()).batchingWindow(Duration.ofSeconds(301)), "PT5M1S", "300 seconds");
        assertRefused(mapping(recording()).maximumRetryAttempts(-2), "maximumRetryAttempts is -2", "-1 to 10000");
        assertRefused(mapping(recording()).maximumRecordAgeSeconds(59), "maximumRecordAge", "59", "60 to 604800");
        assertRefused(mapping(recording()).parallelizationFactor(11), "parallelizationFactor is 11", "1 to 10");
        assertRefused(mapping(recording()).functionTimeout(Duration.ofMinutes(16)), "PT16M", "15 min");
        assertRefused(mapping(recording()).concurrencyMax(0), "concurrencyMax is 0");
        assertRefused(mapping(recording()).pollInterval(Duration.ZERO), "pollInterval is PT0S");
        assertRefused(mapping(recording()).discoveryInterval(Duration.ZERO), "discoveryInterval is PT0S");
    }

    private static void assertRefused(EventSourceMapping.Builder builder, String... parts) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(parts);
    }
}
