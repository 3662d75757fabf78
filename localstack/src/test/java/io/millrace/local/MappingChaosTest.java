package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse.BatchItemFailure;
import io.millrace.local.MappingChaos.Misfortune;
import io.millrace.local.internal.mapping.InMemoryShards;
import io.millrace.local.internal.mapping.LambdaEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.kinesis.model.Record;

class MappingChaosTest {
    private static final String SHARD = "shardId-000000000000";
    private static final int RECORDS = 60;
    private static final int BATCH_SIZE = 5;
    private static final int INVOCATIONS_MAX = 2000;

    /** A function that fails at random in every way, driven by a mapping's rules without threads. */
    private static final class Run {
        private final SplittableRandom random;
        private final ManualClock clock = new ManualClock();
        private final Recorder recorder = new Recorder();
        private final List<Runnable> background = new ArrayList<>();
        private final MappingChaos chaos;
        private final List<Record> records = new ArrayList<>();
        private int invocations;
        private int checkpoint;

        Run(long seed) {
            random = new SplittableRandom(seed);
            chaos = MappingChaos.builder(seed).background(background::add).build();
            InMemoryShards source = new InMemoryShards(clock, 100);
            source.addShard(SHARD);
            for (int number = 0; number < RECORDS; number++) {
                records.add(source.put(SHARD, "key-" + number % 7));
            }
        }

        void toEnd() {
            FunctionInvoker function = chaos.decorate(
                    (event, context) -> {
                        recorder.record(event);
                        return answer(event);
                    },
                    BATCH_SIZE,
                    true);
            while (checkpoint < RECORDS) {
                assertThat(++invocations).as("invocations").isLessThan(INVOCATIONS_MAX);
                int to = Math.min(RECORDS, checkpoint + BATCH_SIZE);
                KinesisEvent event =
                        LambdaEvents.event(InMemoryShards.STREAM_ARN, SHARD, records.subList(checkpoint, to));
                InvocationContext context = InvocationContext.starting(clock, Duration.ofSeconds(1), SHARD, 0);
                advance(function.invoke(event, context), to);
                while (!background.isEmpty() && random.nextInt(3) == 0) {
                    background.remove(random.nextInt(background.size())).run();
                }
            }
            background.forEach(Runnable::run);
        }

        private InvocationOutcome answer(KinesisEvent event) {
            return switch (random.nextInt(8)) {
                case 0 -> InvocationOutcome.thrown(new IllegalStateException("user code"));
                case 1 -> {
                    int failed = random.nextInt(event.getRecords().size());
                    String number = event.getRecords().get(failed).getKinesis().getSequenceNumber();
                    yield new InvocationOutcome.Returned(
                            new StreamsEventResponse(List.of(new BatchItemFailure(number))));
                }
                default -> new InvocationOutcome.Returned(null);
            };
        }

        private void advance(InvocationOutcome outcome, int to) {
            if (!(outcome instanceof InvocationOutcome.Returned returned)) {
                return;
            }
            if (returned.response() == null) {
                checkpoint = to;
                return;
            }
            String failed = returned.response().getBatchItemFailures().get(0).getItemIdentifier();
            for (int index = checkpoint; index < to; index++) {
                if (records.get(index).sequenceNumber().equals(failed)) {
                    checkpoint = index;
                }
            }
        }
    }

    @Test
    void everyRunEndsDeliversAllInOrderAndOnlyContiguousRuns() {
        Map<Misfortune, Long> seen = new HashMap<>();
        for (long seed = 1; seed <= 500; seed++) {
            Run run = new Run(seed);
            run.toEnd();
            List<Integer> order = run.recorder.firstDeliveries(SHARD);
            assertThat(order).as("seed %d", seed).hasSize(RECORDS).isSorted();
            for (List<Integer> delivered : run.recorder.runs(SHARD)) {
                assertThat(delivered).as("seed %d", seed).hasSizeLessThanOrEqualTo(BATCH_SIZE);
                for (int index = 1; index < delivered.size(); index++) {
                    assertThat(delivered.get(index))
                            .as("seed %d, run %s", seed, delivered)
                            .isEqualTo(delivered.get(index - 1) + 1);
                }
            }
            run.chaos.injected().forEach((misfortune, count) -> seen.merge(misfortune, count, Long::sum));
        }
        assertThat(seen)
                .allSatisfy((misfortune, count) ->
                        assertThat(count).as("%s", misfortune).isGreaterThan(100));
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Run one = new Run(42);
        one.toEnd();
        Run two = new Run(42);
        two.toEnd();
        assertThat(one.recorder.runs(SHARD)).isEqualTo(two.recorder.runs(SHARD));
        assertThat(one.chaos.injected()).isEqualTo(two.chaos.injected());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void hitsABatchABoundedNumberOfTimes(int hitsMax) {
        MappingChaos.Builder builder = MappingChaos.builder(1).hitsPerBatchMax(hitsMax);
        for (Misfortune misfortune : Misfortune.values()) {
            builder.probability(misfortune, misfortune == Misfortune.CRASH_BEFORE ? 1 : 0);
        }
        MappingChaos chaos = builder.build();
        FunctionInvoker function =
                chaos.decorate((event, context) -> new InvocationOutcome.Returned(null), BATCH_SIZE, false);
        Run run = new Run(1);
        KinesisEvent event = LambdaEvents.event(InMemoryShards.STREAM_ARN, SHARD, run.records.subList(0, 2));
        int failures = 0;
        InvocationContext context = InvocationContext.starting(run.clock, Duration.ofSeconds(1), SHARD, 0);
        while (!(function.invoke(event, context) instanceof InvocationOutcome.Returned)) {
            failures++;
        }
        assertThat(failures).isEqualTo(hitsMax);
        assertThat(chaos.injected()).containsEntry(Misfortune.CRASH_BEFORE, (long) hitsMax);
    }

    @Test
    void refusesProbabilitiesThatExceedOne() {
        assertThatThrownBy(() -> MappingChaos.builder(1).probability(Misfortune.ZOMBIE, 1.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1.5");
        assertThatThrownBy(() -> MappingChaos.builder(1)
                        .probability(Misfortune.ZOMBIE, 1)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("add up to");
    }
}
