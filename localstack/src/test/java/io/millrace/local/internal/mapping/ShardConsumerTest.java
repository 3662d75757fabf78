package io.millrace.local.internal.mapping;

import static io.millrace.local.internal.mapping.ShardSimulation.error;
import static io.millrace.local.internal.mapping.ShardSimulation.failures;
import static io.millrace.local.internal.mapping.ShardSimulation.success;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse.BatchItemFailure;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.local.DiscardedBatch.Condition;
import io.millrace.local.InvocationOutcome;
import io.millrace.local.ManualClock;
import io.millrace.local.internal.mapping.ShardSimulation.Settings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;

class ShardConsumerTest {
    private final Settings settings = new Settings();

    private static List<Integer> batch(Integer... numbers) {
        return List.of(numbers);
    }

    private ShardSimulation simulate(int records) {
        ShardSimulation simulation = new ShardSimulation(settings);
        simulation.put(records);
        return simulation;
    }

    @Test
    void cutsTheShardIntoBatchesInOrder() {
        ShardSimulation simulation = simulate(7);
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(1, 2, 3), batch(4, 5, 6), batch(7));
        assertThat(simulation.acknowledged).containsExactly(1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void takesNullAndEmptyResponsesForSuccess() {
        settings.report = true;
        List<InvocationOutcome> forms = List.of(
                new InvocationOutcome.Returned(null),
                new InvocationOutcome.Returned(new StreamsEventResponse(null)),
                new InvocationOutcome.Returned(new StreamsEventResponse(new ArrayList<>())));
        for (InvocationOutcome form : forms) {
            ShardSimulation simulation = simulate(3);
            simulation.function = numbers -> form;
            simulation.runToEnd();
            assertThat(simulation.invocations).containsExactly(batch(1, 2, 3));
        }
    }

    @Test
    void failsTheWholeBatchForAnIdentifierThatNamesNoRecordOfIt() {
        settings.report = true;
        List<List<BatchItemFailure>> responses = List.of(
                List.of(new BatchItemFailure("")),
                List.of(new BatchItemFailure(null)),
                List.of(new BatchItemFailure("12345")),
                List.of(new BatchItemFailure(ShardSimulation.sequenceNumber(2)), new BatchItemFailure("12345")),
                Collections.singletonList(null));
        for (List<BatchItemFailure> response : responses) {
            ShardSimulation simulation = simulate(3);
            AtomicInteger calls = new AtomicInteger();
            simulation.function = numbers -> calls.incrementAndGet() == 1
                    ? new InvocationOutcome.Returned(new StreamsEventResponse(response))
                    : success();
            simulation.runToEnd();
            assertThat(simulation.invocations).containsExactly(batch(1, 2, 3), batch(1, 2, 3));
        }
    }

    @Test
    void goesOnAtTheLowestReturnedNumber() {
        settings.report = true;
        settings.batchSize = 5;
        ShardSimulation simulation = simulate(7);
        AtomicInteger calls = new AtomicInteger();
        simulation.function = numbers -> calls.incrementAndGet() == 1 ? failures(5, 3, 4) : success();
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(1, 2, 3, 4, 5), batch(3, 4, 5), batch(6, 7));
        assertThat(simulation.acknowledged).containsExactly(1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void ignoresTheResponseWithoutTheReportingFlag() {
        ShardSimulation simulation = simulate(3);
        simulation.function = numbers -> failures(2);
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(1, 2, 3));
        assertThat(simulation.acknowledged).containsExactly(1, 2, 3);
    }

    @Test
    void fieldCase17WithAThrownError() {
        settings.bisect = true;
        settings.retries = 3;
        ShardSimulation simulation = simulate(6);
        simulation.function = numbers -> numbers.contains(6) ? error() : success();
        simulation.runToEnd();
        assertThat(simulation.invocations)
                .containsExactly(
                        batch(1, 2, 3),
                        batch(4, 5, 6),
                        batch(4),
                        batch(5, 6),
                        batch(5),
                        batch(6),
                        batch(6),
                        batch(6),
                        batch(6));
        assertOneMessageAboutRecord6(simulation);
    }

    @Test
    void fieldCase17WithAPartialResponse() {
        settings.bisect = true;
        settings.report = true;
        settings.retries = 3;
        ShardSimulation simulation = simulate(6);
        simulation.function = numbers -> numbers.contains(6) ? failures(6) : success();
        simulation.runToEnd();
        assertThat(simulation.invocations)
                .containsExactly(batch(1, 2, 3), batch(4, 5, 6), batch(6), batch(6), batch(6), batch(6));
        assertOneMessageAboutRecord6(simulation);
    }

    private static void assertOneMessageAboutRecord6(ShardSimulation simulation) {
        assertThat(simulation.delivered).hasSize(1);
        JsonNode message = simulation.delivered.get(0).metadata();
        assertThat(message.at("/requestContext/condition").asText()).isEqualTo("RetryAttemptsExhausted");
        assertThat(message.at("/KinesisBatchInfo/batchSize").asInt()).isEqualTo(1);
        assertThat(message.at("/KinesisBatchInfo/shardId").asText()).isEqualTo(ShardSimulation.SHARD);
        assertThat(message.at("/KinesisBatchInfo/startSequenceNumber").asText())
                .isEqualTo(ShardSimulation.sequenceNumber(6));
        assertThat(message.at("/KinesisBatchInfo/endSequenceNumber").asText())
                .isEqualTo(ShardSimulation.sequenceNumber(6));
        assertThat(message.has("payload")).isFalse();
        assertThat(simulation
                        .delivered
                        .get(0)
                        .metadataWithPayload()
                        .get("payload")
                        .asText())
                .contains("\"eventID\":\"" + ShardSimulation.SHARD + ":" + ShardSimulation.sequenceNumber(6) + "\"");
        assertThat(simulation.acknowledged).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void skipsTheRestOfTheBatchWhenItsRetriesAreUsedUp() {
        settings.report = true;
        settings.retries = 2;
        settings.batchSize = 4;
        ShardSimulation simulation = simulate(5);
        simulation.function = numbers -> numbers.contains(2) ? failures(2) : success();
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(1, 2, 3, 4), batch(2, 3, 4), batch(2, 3, 4), batch(5));
        assertThat(simulation.delivered).singleElement().satisfies(discarded -> {
            assertThat(ShardSimulation.numbers(discarded.records())).containsExactly(2, 3, 4);
            assertThat(discarded.invocations()).isEqualTo(3);
        });
        assertThat(simulation.acknowledged).containsExactly(1, 5);
    }

    @Test
    void retriesZeroMeansOneAttempt() {
        settings.retries = 0;
        ShardSimulation simulation = simulate(4);
        simulation.function = numbers -> numbers.contains(1) ? error() : success();
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(1, 2, 3), batch(4));
        assertThat(simulation.discarded).hasSize(1);
    }

    @Test
    void aReturnedFirstRecordCutsNothingOffAndCostsARetryEvenWithBisect() {
        settings.bisect = true;
        settings.report = true;
        settings.retries = 1;
        ShardSimulation simulation = simulate(3);
        simulation.function = numbers -> failures(1);
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(1, 2, 3), batch(1, 2, 3));
        assertThat(simulation.splits).isZero();
        assertThat(simulation.discarded).hasSize(1);
    }

    @Test
    void aTimeOutIsAnErrorAndAThrottleIsNoAttempt() {
        settings.retries = 1;
        ShardSimulation simulation = simulate(1);
        List<InvocationOutcome> outcomes = new ArrayList<>(List.of(
                new InvocationOutcome.Throttled("Rate Exceeded."),
                new InvocationOutcome.Throttled("Rate Exceeded."),
                new InvocationOutcome.TimedOut(Duration.ofSeconds(1)),
                new InvocationOutcome.Throttled("Rate Exceeded."),
                error()));
        simulation.function = numbers -> outcomes.remove(0);
        simulation.runToEnd();
        assertThat(outcomes).isEmpty();
        assertThat(simulation.discarded)
                .singleElement()
                .satisfies(
                        discarded -> assertThat(discarded.condition()).isEqualTo(Condition.RETRY_ATTEMPTS_EXHAUSTED));
    }

    @Test
    void discardsOldRecordsAndDeliversTheRest() {
        settings.ageSeconds = 60;
        ShardSimulation simulation = simulate(2);
        simulation.clock.advance(Duration.ofSeconds(61));
        simulation.put(2);
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(3), batch(4));
        assertThat(simulation.delivered).singleElement().satisfies(discarded -> {
            assertThat(discarded.condition()).isEqualTo(Condition.RECORD_AGE_EXCEEDED);
            assertThat(ShardSimulation.numbers(discarded.records())).containsExactly(1, 2);
        });
    }

    @Test
    void retriesWithoutLimitUntilTheRecordExpires() {
        ShardSimulation simulation = simulate(2);
        simulation.consumer.setRetention(Duration.ofHours(1));
        simulation.function = numbers -> error();
        simulation.runToEnd();
        assertThat(simulation.invocations).hasSizeGreaterThan(3500);
        assertThat(simulation.discarded)
                .singleElement()
                .satisfies(discarded -> assertThat(discarded.condition()).isEqualTo(Condition.RECORD_AGE_EXCEEDED));
    }

    @Test
    void gathersRecordsForTheBatchingWindow() {
        settings.window = Duration.ofSeconds(10);
        ShardSimulation simulation = simulate(2);
        simulation.runFor(Duration.ofSeconds(9));
        assertThat(simulation.invocations).isEmpty();
        simulation.put(1);
        simulation.runFor(Duration.ofMillis(200));
        assertThat(simulation.invocations).containsExactly(batch(1, 2, 3));
        simulation.put(1);
        simulation.runFor(Duration.ofSeconds(11));
        assertThat(simulation.invocations).containsExactly(batch(1, 2, 3), batch(4));
    }

    @Test
    void cutsABatchSoThatThePayloadFits() {
        settings.batchSize = 10;
        ShardSimulation simulation = new ShardSimulation(settings);
        for (int record = 0; record < 5; record++) {
            simulation.source.put(ShardSimulation.SHARD, "key", new byte[2 * 1024 * 1024]);
        }
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(1, 2), batch(3, 4), batch(5));
    }

    @Test
    void knowsThePayloadOfARecordTightlyAndNeverTooLow() {
        for (String key : List.of("k", "é\"\\\u0001", "x".repeat(256))) {
            for (int length : new int[] {0, 1, 2, 3, 1000}) {
                InMemoryShards source = new InMemoryShards(new ManualClock(), 1);
                source.addShard(ShardSimulation.SHARD);
                Record kinesisRecord = source.put(ShardSimulation.SHARD, key, new byte[length]);
                String json = LambdaEvents.json(
                        LambdaEvents.event(InMemoryShards.STREAM_ARN, ShardSimulation.SHARD, List.of(kinesisRecord)));
                int bound = LambdaEvents.payloadBytes(InMemoryShards.STREAM_ARN, ShardSimulation.SHARD, kinesisRecord);
                int exact = json.getBytes(StandardCharsets.UTF_8).length - "{\"Records\":[]}".length() + 1;
                assertThat(bound).isBetween(exact, exact + 60);
            }
        }
    }

    @Test
    void reportsARecordThatNoInvocationCanCarry() {
        ShardSimulation simulation = simulate(1);
        simulation.source.put(ShardSimulation.SHARD, "large", new byte[5 * 1024 * 1024]);
        simulation.put(1);
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(1), batch(3));
        assertThat(simulation.delivered)
                .singleElement()
                .satisfies(discarded -> assertThat(discarded.condition()).isEqualTo(Condition.PAYLOAD_TOO_LARGE));
    }

    @Test
    void readsOnAfterExpiredIteratorsFailedReadsAndEmptyReads() {
        settings.batchSize = 2;
        ShardSimulation simulation = simulate(4);
        simulation.source.makeReadsEmpty(3);
        simulation.source.failReads(2);
        simulation.function = numbers -> {
            simulation.source.expireIterators();
            return success();
        };
        simulation.runFor(Duration.ofSeconds(5));
        simulation.put(3);
        simulation.runToEnd();
        assertThat(simulation.acknowledged).containsExactly(1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void anEmptyReadShortOfTheTipIsNotTheTip() {
        ShardSimulation simulation = simulate(1);
        simulation.source.makeReadsEmpty(2);
        simulation.consumer.requestTip(1);
        simulation.runFor(Duration.ofMillis(50));
        assertThat(simulation.consumer.drained(1)).isFalse();
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(simulation.consumer.drained(1)).isTrue();
        assertThat(simulation.consumer.drained(2)).isFalse();
        simulation.put(1);
        simulation.consumer.requestTip(2);
        simulation.runFor(Duration.ofMillis(1));
        assertThat(simulation.consumer.drained(2)).isTrue();
        assertThat(simulation.acknowledged).containsExactly(1, 2);
    }

    @Test
    void anUnusedIteratorAtTheTipThatExpiresSkipsNothing() {
        ShardSimulation simulation = simulate(2);
        simulation.startAt(new ShardPosition.Newest(), settings);
        simulation.clock.advance(Duration.ofSeconds(1));
        simulation.runFor(Duration.ofSeconds(1));
        simulation.put(1);
        simulation.source.expireIterators();
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(3));
    }

    /** A jump of the clock over the retention takes away a closed shard between two reads, and its children wait. */
    @Test
    void aShardThatIsGoneWhenItsIteratorIsOpenedAgainIsFinished() {
        ShardSimulation simulation = simulate(1);
        simulation.startAt(new ShardPosition.Oldest(), settings);
        Instant now = simulation.clock.instant();
        assertThat(simulation.consumer.next(now)).isInstanceOf(ShardStep.OpenIterator.class);
        simulation.consumer.onIteratorFailed(
                ResourceNotFoundException.builder().message("does not exist").build(), now);
        assertThat(simulation.consumer.next(now)).isInstanceOf(ShardStep.Finished.class);
    }

    @Test
    void startsAtATime() {
        ShardSimulation simulation = simulate(2);
        simulation.clock.advance(Duration.ofSeconds(1));
        simulation.startAt(new ShardPosition.AtTime(simulation.clock.instant()), settings);
        simulation.put(1);
        simulation.runToEnd();
        assertThat(simulation.invocations).containsExactly(batch(3));
    }

    @Test
    void theParallelizationFactorKeepsTheOrderOfEachPartitionKeyOnly() {
        settings.factor = 4;
        ShardSimulation simulation = new ShardSimulation(settings);
        Map<String, List<Integer>> expected = new HashMap<>();
        Map<Integer, String> keys = new HashMap<>();
        for (int number = 1; number <= 200; number++) {
            String key = "key-" + number % 13;
            simulation.source.put(ShardSimulation.SHARD, key);
            keys.put(number, key);
            expected.computeIfAbsent(key, name -> new ArrayList<>()).add(number);
        }
        AtomicInteger calls = new AtomicInteger();
        simulation.function = numbers -> calls.incrementAndGet() % 3 == 0 ? error() : success();
        simulation.runToEnd();
        Map<String, List<Integer>> order = new HashMap<>();
        for (Integer number : simulation.acknowledged) {
            order.computeIfAbsent(keys.getOrDefault(number, ""), name -> new ArrayList<>())
                    .add(number);
        }
        assertThat(order).isEqualTo(expected);
        assertThat(simulation.acknowledged).isNotEqualTo(sorted(simulation.acknowledged));
    }

    private static List<Integer> sorted(List<Integer> numbers) {
        Integer[] sorted = numbers.toArray(new Integer[0]);
        Arrays.sort(sorted);
        return List.of(sorted);
    }

    @Test
    void lanesInvokeConcurrentlyAndOneLaneNeverDoes() {
        settings.factor = 3;
        settings.batchSize = 1;
        ShardSimulation simulation = new ShardSimulation(settings);
        for (int number = 1; number <= 30; number++) {
            simulation.source.put(ShardSimulation.SHARD, "key-" + number);
        }
        int outstanding = 0;
        ShardStep step = simulation.consumer.next(simulation.clock.instant());
        while (!(step instanceof ShardStep.AwaitResult)) {
            if (step instanceof ShardStep.OpenIterator open) {
                simulation.consumer.onIterator(simulation.source.openIterator(ShardSimulation.SHARD, open.position()));
            } else if (step instanceof ShardStep.Read read) {
                simulation.consumer.onRead(
                        simulation.source.read(read.iterator(), read.limit()), simulation.clock.instant());
            } else if (step instanceof ShardStep.Invoke) {
                outstanding++;
            } else {
                break;
            }
            step = simulation.consumer.next(simulation.clock.instant());
        }
        assertThat(outstanding).isEqualTo(3);
    }

    @Test
    void backsOffLongerEachTime() {
        ShardSimulation simulation = simulate(1);
        List<Long> times = new ArrayList<>();
        simulation.function = numbers -> {
            times.add(simulation.clock.millis());
            return times.size() < 5 ? error() : success();
        };
        simulation.runToEnd();
        List<Long> gaps = new ArrayList<>();
        for (int index = 1; index < times.size(); index++) {
            gaps.add(times.get(index) - times.get(index - 1));
        }
        assertThat(gaps).containsExactly(10L, 20L, 40L, 80L);
    }
}
