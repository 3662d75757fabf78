package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.ErrorPolicy;
import io.millrace.aws.Alarms;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The ticks of a {@link LocalRun}, and the end of its input. */
@Timeout(120)
class LocalTicksTest {
    private static final Duration DRAINED = Duration.ofSeconds(60);
    private static final Duration PERIOD = Duration.ofMillis(20);

    private final EmbeddedAws aws = EmbeddedAws.create();
    private final AwsEndpoint endpoint = AwsEndpoint.of(aws);
    private final KinesisClient kinesis = endpoint.kinesis();
    private final DynamoDbClient dynamoDb = endpoint.dynamoDb();

    @AfterEach
    void close() {
        kinesis.close();
        dynamoDb.close();
        endpoint.close();
        aws.close();
    }

    private static Alarms alarms() {
        return new Alarms(ErrorPolicy.fail(), (key, at) -> {}, Alarms.ordered());
    }

    private LocalRun.Builder builder(Supplier<Alarms> alarms) {
        return LocalRun.builder(alarms, endpoint).tickPeriod(PERIOD);
    }

    private void put(String... events) {
        for (String event : events) {
            kinesis.putRecord(request ->
                    request.streamName(Alarms.STREAM).partitionKey("p").data(SdkBytes.fromUtf8String(event)));
        }
    }

    private List<Long> rings() {
        return dynamoDb.scanPaginator(request -> request.tableName(Alarms.TABLE)).items().stream()
                .map(row -> Long.parseLong(Objects.requireNonNull(row.get("at")).n()))
                .sorted()
                .toList();
    }

    @Test
    void timersByTheClockFireWithoutRecords() throws InterruptedException {
        CountDownLatch rung = new CountDownLatch(1);
        Supplier<Alarms> alarms = () -> new Alarms(ErrorPolicy.fail(), (key, at) -> rung.countDown(), Alarms.ordered());
        try (LocalRun run = builder(alarms).build()) {
            run.provision(1);
            put(Alarms.clockEvent("a", 100, System.currentTimeMillis() + 300));
            run.start();
            assertThat(run.awaitDrained(DRAINED)).isTrue();
            assertThat(rung.await(60, TimeUnit.SECONDS)).isTrue();
            run.settle();
            assertThat(rings()).hasSize(1);
            assertThat(run.statistics().ticks()).isPositive();
            assertThat(run.statistics().timersFired()).isEqualTo(1);
        }
    }

    @Test
    void theEndOfTheInputFiresAllTimersAndIsKnownToALaterRun() throws InterruptedException {
        try (LocalRun run = builder(LocalTicksTest::alarms).build()) {
            run.provision(2);
            assertThat(run.endedStages()).isEmpty();
            put(Alarms.event("a", 100, 50L, 5_000L), Alarms.event("b", 200, 6_000L));
            run.start();
            assertThat(run.awaitDrained(DRAINED)).isTrue();
            assertThat(run.settle()).isEqualTo(Map.of(Alarms.STAGE, WatermarkStrategy.NO_WATERMARK));
            assertThat(rings())
                    .as("a shard without records holds the watermark")
                    .isEmpty();
            run.endInput();
            assertThat(rings()).containsExactly(50L, 5_000L, 6_000L);
        }
        try (LocalRun run = builder(LocalTicksTest::alarms).build()) {
            run.provision(2);
            assertThat(run.endedStages()).containsExactly(Alarms.STAGE);
            run.endInput();
            assertThat(rings()).hasSize(3);
        }
    }

    @Test
    void timersThatGoOnFailingAreToldWhenTheInputEnds() throws InterruptedException {
        Supplier<Alarms> alarms = () -> new Alarms(
                ErrorPolicy.fail(),
                (key, at) -> {
                    throw new IllegalStateException("never");
                },
                Alarms.ordered());
        try (LocalRun run = builder(alarms).build()) {
            run.provision(1);
            put(Alarms.event("a", 100, 5_000L));
            run.start();
            assertThat(run.awaitDrained(DRAINED)).isTrue();
            assertThatThrownBy(run::endInput)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("Could not end the input of stage 'ring'; the last attempt: Done")
                    .hasMessageContaining("Timers go on failing");
        }
    }

    @Test
    void chaosLetsTicksCrashAndCollideAndAllFireOnce() throws InterruptedException {
        try (LocalRun run = builder(LocalTicksTest::alarms).chaos(4).build()) {
            run.provision(1);
            for (long i = 0; i < 40; i++) {
                put(Alarms.event("key-" + i % 7, i * 10, i * 10 + 5, 100_000 + i));
            }
            run.start();
            assertThat(run.awaitDrained(DRAINED)).isTrue();
            run.endInput();
            Map<String, Long> injected = run.statistics().injected();
            assertThat(injected).containsKeys("tick crash", "tick twin");
            assertThat(injected.get("end of input crash")).isPositive();
            assertThat(rings()).hasSize(80);
            assertThat(dynamoDb.scanPaginator(request -> request.tableName(Alarms.TABLE))
                            .items())
                    .allSatisfy(row -> assertThat(
                                    Objects.requireNonNull(row.get("count")).n())
                            .isEqualTo("1"));
        }
    }

    /** Whatever a tick takes, the next one of the stage waits for it; and the end waits for the last one. */
    @Test
    void twoTicksOfAStageNeverRunAtOnce() throws InterruptedException {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch ticks = new CountDownLatch(5);
        TickInvoker function = context -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            ticks.countDown();
            java.util.concurrent.locks.LockSupport.parkNanos(PERIOD.toNanos() * 3);
            running.decrementAndGet();
            return new TickOutcome.Failed("Some.Error", "for the test");
        };
        try (LocalRun run =
                builder(LocalTicksTest::alarms).ticks(stage -> function).build()) {
            run.provision(1);
            run.start();
            assertThat(ticks.await(60, TimeUnit.SECONDS)).isTrue();
            run.settle();
            assertThat(running).hasValue(0);
            assertThat(most).hasValue(1);
            assertThat(run.statistics().lastFailure()).isEqualTo("tick: Some.Error: for the test");
        }
    }

    @Test
    void aPeriodMustBePositive() {
        assertThatThrownBy(() -> builder(LocalTicksTest::alarms).tickPeriod(Duration.ZERO))
                .hasMessage("tickPeriod is PT0S; it must be positive");
    }
}
