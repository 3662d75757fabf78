package io.millrace.aws;

import static io.millrace.aws.Alarms.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.MillraceException;
import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import io.millrace.local.ManualClock;
import io.millrace.local.internal.CallersThread;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Ticks, and the end of the input; the numbers in brackets are those of the field cases. */
class TickTest {
    private static final Duration IDLE = Duration.ofMinutes(5);
    private static final int TO_THE_END = 100_000;

    private final ManualClock clock = new ManualClock();
    private final Random random = new Random(2);

    private static Alarms alarms(@Nullable WatermarkStrategy<Alarms.Event> watermarks) {
        return new Alarms(ErrorPolicy.fail(), (key, at) -> {}, watermarks);
    }

    private TickHandler handler(ShellFixture fixture, Alarms alarms, @Nullable FaultInjector faults) {
        return TickHandler.builder()
                .pipeline(alarms)
                .dynamoDb(fixture.operatorDynamoDb(faults))
                .kinesis(fixture.operatorKinesis(faults))
                .ioExecutor(new IoExecutor(new CallersThread()))
                .surroundings(new Surroundings(clock, random, millis -> {}))
                .build();
    }

    private TickReport tick(ShellFixture fixture, Alarms alarms) {
        return handler(fixture, alarms, null).handleRequest(Map.of(), ChaosContext.endless());
    }

    private ShellFixture fixture(Alarms alarms, int shards) {
        return new ShellFixture(alarms, shards, clock);
    }

    private static void put(ShellFixture fixture, int shard, String... events) {
        int before = fixture.records(shard).size();
        fixture.put(shard, events);
        fixture.process(shard, before, before + events.length);
        storeWatermark(fixture, shard);
    }

    /** Stores what a batch makes of the lane's watermark, by the highest event time so far. */
    private static void storeWatermark(ShellFixture fixture, int shard) {
        long ofData = fixture.records(shard).stream()
                .mapToLong(record -> timeOf(record.data().asUtf8String()))
                .map(time -> time - 1)
                .max()
                .orElseThrow();
        long watermark = Math.max(ofData, fixture.lane(shard).path("watermark").asLong(Long.MIN_VALUE));
        update(fixture, shard, "watermark", AttributeValue.fromN(Long.toString(watermark)));
        update(fixture, shard, "watermark_of_data", AttributeValue.fromN(Long.toString(ofData)));
    }

    private static long timeOf(String event) {
        return Long.parseLong(event.replaceAll(".*\"time\":(\\d+).*", "$1"));
    }

    /** Makes the record of a lane that has not spoken. */
    private void discover(ShellFixture fixture, int shard) {
        update(
                fixture,
                shard,
                "discovered",
                AttributeValue.fromS(clock.instant().toString()));
    }

    private static void update(ShellFixture fixture, int shard, String attribute, AttributeValue value) {
        String lane = Alarms.STREAM + "/" + fixture.shards().get(shard).shardId();
        fixture.dynamoDb()
                .updateItem(request -> request.tableName(Alarms.NAME + "-control")
                        .key(Map.of("pk", AttributeValue.fromS(Alarms.STAGE + "#1"), "sk", AttributeValue.fromS(lane)))
                        .updateExpression("SET #a = :a, version = if_not_exists(version, :v)")
                        .expressionAttributeNames(Map.of("#a", attribute))
                        .expressionAttributeValues(Map.of(":a", value, ":v", AttributeValue.fromS("discovered"))));
    }

    private static List<String> rings(ShellFixture fixture) {
        List<String> rings = new ArrayList<>();
        for (ObjectNode row : fixture.scan(Alarms.TABLE)) {
            int count = row.path("count").asInt();
            rings.add(row.path("key").asText() + "@" + row.path("at").asLong() + (count == 1 ? "" : " x" + count));
        }
        return rings.stream().sorted().toList();
    }

    @Test
    void aTickFiresWhatIsDueByTheWatermarkAndTheClock() {
        Alarms alarms = alarms(Alarms.ordered());
        try (ShellFixture fixture = fixture(alarms, 1)) {
            long now = clock.millis();
            put(fixture, 0, event("a", 100, 150L, 250L), Alarms.clockEvent("b", 201, now + 1));

            TickReport before = tick(fixture, alarms);
            assertThat(before.getWatermark()).isEqualTo(200);
            assertThat(before.getTimersFired()).isEqualTo(1);
            assertThat(before.isSweepComplete()).isTrue();
            assertThat(rings(fixture)).containsExactly("a@150");

            clock.advance(Duration.ofMillis(1));
            assertThat(tick(fixture, alarms).getTimersFired()).isEqualTo(1);
            assertThat(tick(fixture, alarms).getTimersFired()).isZero();
            assertThat(rings(fixture)).containsExactly("a@150", "b@" + (now + 1));
        }
    }

    @Test
    void ticksAtTheSameTimeFireATimerOnceWhereverTheyAreInterleaved() {
        Alarms alarms = alarms(Alarms.ordered());
        try (ShellFixture fixture = fixture(alarms, 1)) {
            put(fixture, 0, event("a", 100, 50L), event("b", 100, 60L));
            // The leases of ticks that wait are still held, so each tick waits at another request.
            List<Fiber<TickReport>> ticks = IntStream.range(0, 6)
                    .mapToObj(i -> {
                        TickHandler handler = handler(fixture, alarms, null);
                        return new Fiber<>(() -> handler.handleRequest(Map.of(), ChaosContext.endless()));
                    })
                    .toList();
            for (boolean running = true; running; ) {
                running = false;
                for (Fiber<TickReport> tick : ticks) {
                    running |= !tick.run(1 + random.nextInt(40));
                }
                clock.advance(Duration.ofSeconds(5));
            }
            assertThat(ticks).allSatisfy(tick -> assertThat(tick.thrown()).isNull());
            clock.advance(Duration.ofMinutes(1));
            tick(fixture, alarms);
            assertThat(rings(fixture)).containsExactly("a@50", "b@60");
        }
    }

    @Test
    void aTickThatDiesAnywhereLeavesNothingHalfDone() {
        Alarms alarms = alarms(Alarms.ordered());
        try (ShellFixture fixture = fixture(alarms, 1)) {
            put(fixture, 0, event("a", 100, 50L, 51L), event("b", 100, 60L));
            boolean ended = false;
            for (int request = 0; !ended; request += 7) {
                TickHandler handler = handler(fixture, alarms, null);
                Fiber<TickReport> dying = new Fiber<>(() -> handler.handleRequest(Map.of(), ChaosContext.endless()));
                ended = dying.run(request);
                if (!ended) {
                    dying.kill();
                }
                assertThat(rings(fixture)).noneMatch(ring -> ring.contains("x"));
                clock.advance(Duration.ofMinutes(1));
            }
            tick(fixture, alarms);
            assertThat(rings(fixture)).containsExactly("a@50", "a@51", "b@60");
        }
    }

    private static WatermarkStrategy<Alarms.Event> withIdleness() {
        return Alarms.ordered().withIdleness(IDLE);
    }

    /** Two lanes, of which the first has the lower watermark. */
    private ShellFixture twoLanes(Alarms alarms) {
        ShellFixture fixture = fixture(alarms, 2);
        tick(fixture, alarms);
        put(fixture, 0, event("a", 101, 300L));
        put(fixture, 1, event("b", 501));
        return fixture;
    }

    private static long watermark(ShellFixture fixture, int shard) {
        return fixture.lane(shard).path("watermark").asLong();
    }

    /** (23) */
    @Test
    void aLaneThatIsIdleRaisesItsOwnWatermarkToThatOfTheOthers() {
        Alarms alarms = alarms(withIdleness());
        try (ShellFixture fixture = twoLanes(alarms)) {
            clock.advance(IDLE.minusMillis(1));
            put(fixture, 1, event("b", 601));
            assertThat(tick(fixture, alarms).getLanesRaised())
                    .as("a millisecond too early")
                    .isZero();
            assertThat(rings(fixture)).isEmpty();
            clock.advance(Duration.ofMillis(1));

            TickReport report = tick(fixture, alarms);

            assertThat(report.getLanesRaised()).isEqualTo(1);
            assertThat(report.getWatermark()).isEqualTo(600);
            assertThat(watermark(fixture, 0)).isEqualTo(600);
            assertThat(rings(fixture)).containsExactly("a@300");
            put(fixture, 0, event("a", 401));
            assertThat(watermark(fixture, 0)).as("it never goes back").isEqualTo(600);
            assertThat(tick(fixture, alarms).getWatermark()).isEqualTo(600);
        }
    }

    @Test
    void allLanesIdleRaiseTheirWatermarksToTheHighest() {
        Alarms alarms = alarms(withIdleness());
        try (ShellFixture fixture = twoLanes(alarms)) {
            clock.advance(IDLE);
            assertThat(tick(fixture, alarms).getWatermark()).isEqualTo(500);
            assertThat(watermark(fixture, 0)).isEqualTo(500);
            assertThat(rings(fixture)).containsExactly("a@300");
        }
    }

    @Test
    void aLaneWithoutAnyRecordIsIdleSoLongAfterItsDiscovery() {
        Alarms alarms = alarms(withIdleness());
        try (ShellFixture fixture = fixture(alarms, 2)) {
            discover(fixture, 0);
            put(fixture, 1, event("b", 501, 200L));
            clock.advance(IDLE.minusMillis(1));
            assertThat(tick(fixture, alarms).getWatermark())
                    .as("it holds everybody up")
                    .isNull();
            clock.advance(Duration.ofMillis(1));
            assertThat(tick(fixture, alarms).getWatermark()).isEqualTo(500);
            assertThat(rings(fixture)).containsExactly("b@200");
        }
    }

    @Test
    void aLaneThatIsSilentBecauseItIsBehindIsNotIdle() {
        Alarms alarms = alarms(withIdleness());
        try (ShellFixture fixture = twoLanes(alarms)) {
            fixture.put(0, event("a", 250));
            clock.advance(IDLE.multipliedBy(3));
            put(fixture, 1, event("b", 601));

            assertThat(tick(fixture, alarms).getLanesRaised()).isZero();

            assertThat(watermark(fixture, 0)).isEqualTo(100);
            assertThat(rings(fixture)).isEmpty();
        }
    }

    /** (31) */
    @Test
    void anEmptyAnswerShortOfTheTipIsTakenNeitherForIdleNorForTheEnd() {
        Alarms alarms = alarms(withIdleness());
        try (ShellFixture fixture = twoLanes(alarms)) {
            fixture.put(0, event("a", 250));
            clock.advance(IDLE);
            FaultInjector faults = FaultInjector.scripted()
                    .inject("Kinesis.GetRecords", 1, 4, Fault.EMPTY_READ)
                    .build();
            TickReport report = handler(fixture, alarms, faults).handleRequest(Map.of(), ChaosContext.endless());

            assertThat(report.getLanesRaised()).as("the other one is").isLessThanOrEqualTo(1);
            assertThat(watermark(fixture, 0)).isEqualTo(100);
            FaultInjector again = FaultInjector.scripted()
                    .inject("Kinesis.GetRecords", 1, 4, Fault.EMPTY_READ)
                    .build();
            assertThatThrownBy(() -> handler(fixture, alarms, again).endOfInput(ChaosContext.endless()))
                    .isInstanceOf(MillraceException.class)
                    .hasMessageContaining("is not proven to be committed");
        }
    }

    @Test
    void anIdleLaneThatCommitsMeanwhileIsNotRaised() {
        boolean ended = false;
        int notRaised = 0;
        for (int requests = 1; !ended; requests++) {
            Alarms alarms = alarms(withIdleness());
            try (ShellFixture fixture = twoLanes(alarms)) {
                clock.advance(IDLE);
                TickHandler handler = handler(fixture, alarms, null);
                Fiber<TickReport> slow = new Fiber<>(() -> handler.handleRequest(Map.of(), ChaosContext.endless()));
                slow.run(requests);
                boolean raised = watermark(fixture, 0) > 150;
                put(fixture, 0, event("a", 151));

                slow.run(TO_THE_END);

                assertThat(slow.thrown()).isNull();
                assertThat(watermark(fixture, 0))
                        .as("requests before: " + requests)
                        .isEqualTo(raised ? 500 : 150);
                notRaised += raised ? 0 : 1;
                ended = raised;
            }
        }
        assertThat(notRaised).isGreaterThan(5);
    }

    @Test
    void theClockMovesAnIdleLaneOnUpToTheProof() {
        Alarms alarms = alarms(withIdleness().advanceWithClockWhenIdle());
        try (ShellFixture fixture = fixture(alarms, 1)) {
            put(fixture, 0, event("a", 101, 100 + IDLE.toMillis()));
            clock.advance(IDLE.minusMillis(1));
            assertThat(tick(fixture, alarms).getWatermark()).isEqualTo(100);
            clock.advance(Duration.ofMillis(1));

            assertThat(tick(fixture, alarms).getWatermark()).isEqualTo(100 + IDLE.toMillis());

            assertThat(rings(fixture)).hasSize(1);
            clock.advance(Duration.ofMillis(7));
            assertThat(tick(fixture, alarms).getWatermark())
                    .as("counted from the data, not from the last tick")
                    .isEqualTo(107 + IDLE.toMillis());
        }
    }

    @Test
    void withoutIdlenessAnEmptyLaneHoldsTheWatermark() {
        Alarms alarms = alarms(Alarms.ordered());
        try (ShellFixture fixture = twoLanes(alarms)) {
            clock.advance(Duration.ofDays(1));
            assertThat(tick(fixture, alarms).getWatermark()).isEqualTo(100);
        }
    }

    @Test
    void theEndOfTheInputFiresEverythingAndIsFinal() {
        Alarms alarms = alarms(Alarms.ordered());
        try (ShellFixture fixture = twoLanes(alarms)) {
            put(fixture, 0, event("c", 102, Long.MAX_VALUE));
            TickHandler handler = handler(fixture, alarms, null);
            assertThat(handler.isEnded()).isFalse();

            TickReport report = handler.endOfInput(ChaosContext.endless());

            assertThat(report.getWatermark()).isEqualTo(WatermarkStrategy.END_OF_INPUT);
            assertThat(report.getLanesRaised()).isEqualTo(2);
            assertThat(report.isSweepComplete()).isTrue();
            assertThat(rings(fixture)).containsExactly("a@300", "c@" + Long.MAX_VALUE);
            assertThat(handler(fixture, alarms, null).isEnded()).isTrue();
            assertThat(handler.endOfInput(ChaosContext.endless()).getTimersFired())
                    .isZero();
        }
    }

    @Test
    void theInputDoesNotEndBeforeAllIsCommitted() {
        Alarms alarms = alarms(Alarms.ordered());
        try (ShellFixture fixture = twoLanes(alarms)) {
            fixture.put(1, event("b", 700, 10L));
            TickHandler handler = handler(fixture, alarms, null);

            assertThatThrownBy(() -> handler.endOfInput(ChaosContext.endless()))
                    .isInstanceOf(MillraceException.class)
                    .hasMessageContaining(fixture.shards().get(1).shardId())
                    .hasMessageContaining("Stop the producers");

            assertThat(handler.isEnded()).isFalse();
            assertThat(watermark(fixture, 0)).isEqualTo(100);
        }
    }

    @Test
    void timersThatSetTimersForEverDoNotKeepTheEndFromComing() {
        Alarms alarms = alarms(Alarms.ordered()).repeating(1);
        try (ShellFixture fixture = fixture(alarms, 1)) {
            put(fixture, 0, event("a", 100, 10L));
            TickHandler handler = handler(fixture, alarms, null);
            assertThatThrownBy(() -> handler.endOfInput(ChaosContext.endless()))
                    .isInstanceOf(MillraceException.class)
                    .hasMessageContaining("register a timer each time");
            assertThat(rings(fixture)).hasSize(100);
        }
    }

    @Test
    void anInvocationSweepsBehindItsBatchAndAFailureOfThatFailsNothing() {
        Alarms alarms = alarms(Alarms.ordered());
        try (ShellFixture fixture = fixture(alarms, 1)) {
            long now = clock.millis();
            MillraceFunction function = fixture.function(alarms, builder -> builder);
            fixture.put(0, Alarms.clockEvent("a", 0, now + 10), event("b", 0), event("b", 0));
            assertThat(ShellFixture.failedAt(fixture.invoke(function, 0, 0, 1))).isNull();
            clock.advance(Duration.ofMillis(9));
            assertThat(ShellFixture.failedAt(fixture.invoke(function, 0, 1, 2))).isNull();
            assertThat(rings(fixture)).isEmpty();
            clock.advance(Duration.ofMillis(1));
            assertThat(ShellFixture.failedAt(fixture.invoke(function, 0, 2, 3))).isNull();
            assertThat(rings(fixture)).containsExactly("a@" + (now + 10));
            assertThat(fixture.lastReport().get(Count.TIMERS)).isEqualTo(1);

            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.Query", 1, 1_000, Fault.INTERNAL_SERVER_ERROR)
                    .build());
            MillraceFunction faulty = fixture.function(alarms, builder -> builder);
            fixture.put(0, Alarms.clockEvent("c", 0, now + 20), event("b", 0));
            assertThat(ShellFixture.failedAt(fixture.invoke(faulty, 0, 3, 4))).isNull();
            clock.advance(Duration.ofMillis(10));
            assertThat(ShellFixture.failedAt(fixture.invoke(faulty, 0, 4, 5))).isNull();
            assertThat(rings(fixture)).containsExactly("a@" + (now + 10));
            assertThat(fixture.lastReport().get(Count.SWEEP_FAILURES)).isEqualTo(1);
            fixture.setFaults(null);
            tick(fixture, alarms);
            assertThat(rings(fixture)).containsExactly("a@" + (now + 10), "c@" + (now + 20));
        }
    }

    /** (30) */
    @Test
    void aTimerThatThrowsBeforeARecordCostsTheRecordNothing() {
        Alarms.Trap trap = (key, at) -> {
            if (key.equals("bad")) {
                throw new IllegalStateException("unlucky");
            }
        };
        Alarms alarms = new Alarms(ErrorPolicy.retryThenDeadLetter(2), trap, null);
        try (ShellFixture fixture = fixture(alarms, 1)) {
            long now = clock.millis();
            put(fixture, 0, Alarms.clockEvent("bad", 0, now + 10), Alarms.clockEvent("bad", 0, now + 20));
            clock.advance(Duration.ofMillis(15));
            fixture.put(0, event("a", 0), event("bad", 0, 77L), event("a", 0));

            assertThat(ShellFixture.failedAt(fixture.invoke(0, 2, 5))).isEqualTo(fixture.sequenceNumber(0, 3));
            assertThat(fixture.lane(0).has("alone_position")).isFalse();
            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(ShellFixture.failedAt(fixture.invoke(0, 3, 5))).isNull();

            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("TIMER_THREW");
                assertThat(letter.path("attempts").asInt()).isEqualTo(2);
            });
            assertThat(String.valueOf(fixture.cells().get("bad")))
                    .contains("event:77")
                    .contains("processing:" + (now + 20))
                    .doesNotContain("processing:" + (now + 10));
        }
    }

    @Test
    void aTimerThatThrowsWithoutDeadLettersFailsTheBatchAtTheRecordOfItsKey() {
        Alarms.Trap trap = (key, at) -> {
            throw new IllegalStateException("unlucky");
        };
        Alarms alarms = new Alarms(ErrorPolicy.fail(), trap, null);
        try (ShellFixture fixture = fixture(alarms, 1)) {
            put(fixture, 0, Alarms.clockEvent("bad", 0, clock.millis()));
            fixture.put(0, event("a", 0), event("bad", 0));
            int from = 1;
            for (int delivery = 1; delivery <= 5; delivery++) {
                assertThat(ShellFixture.failedAt(fixture.invoke(0, from, 3))).isEqualTo(fixture.sequenceNumber(0, 2));
                from = 2;
                assertThat(fixture.lane(0).path("batch_begun").asInt()).isZero();
                assertThat(fixture.lane(0).has("alone_position")).isFalse();
            }
            assertThat(fixture.cells()).containsKey("a");
        }
    }

    /** (30) */
    @Test
    void aTimerThatThrowsBeforeARecordThatRunsAloneTakesItsAttemptBack() {
        Alarms.Trap trap = (key, at) -> {
            throw new IllegalStateException("unlucky");
        };
        Alarms alarms = new Alarms(ErrorPolicy.fail(), trap, null);
        try (ShellFixture fixture = fixture(alarms, 1)) {
            put(fixture, 0, Alarms.clockEvent("bad", 0, clock.millis()));
            fixture.put(0, event("bad", 0));
            for (int request = 5; fixture.lane(0).path("batch_begun").asInt() < 2; request++) {
                assertThat(request).isLessThan(10);
                fixture.invokeDyingAt(request, 0, 1, 2);
            }

            for (int delivery = 1; delivery <= 3; delivery++) {
                assertThat(ShellFixture.failedAt(fixture.invoke(0, 1, 2))).isEqualTo(fixture.sequenceNumber(0, 1));
                assertThat(fixture.lane(0).path("alone_attempts").asInt()).isZero();
            }
        }
    }
}
