package io.millrace.aws.internal;

import static io.millrace.aws.Alarms.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.PipelineBuilder;
import io.millrace.TimeDomain;
import io.millrace.aws.Alarms;
import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.DeadLetterFilter;
import io.millrace.aws.DeadLetters;
import io.millrace.aws.RedriveOutcome;
import io.millrace.aws.ShellFixture;
import io.millrace.aws.StoredDeadLetter;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.CellTime;
import io.millrace.internal.engine.DoneRedrives;
import io.millrace.internal.engine.EngineRules;
import io.millrace.internal.engine.Fence;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.engine.TimerItems;
import io.millrace.local.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sweeps over cells with due timers; the numbers in brackets are those of the field cases. */
class SweepTest {
    private static final long GENERATION = 1;
    private final ManualClock clock = new ManualClock();

    /** A container of the stage: what one process keeps from one invocation to the next. */
    private final class Container {
        private final StageRuntime runtime;
        private final KeyedWork work;
        private BatchReport report = new BatchReport("none", "none");

        Container(ShellFixture fixture, Alarms alarms) {
            this.runtime = new StageRuntime(
                    Alarms.NAME,
                    PipelineBuilder.plan(alarms).stage(Alarms.STAGE),
                    EngineRules.PROTOCOL,
                    TableNames.ofPipeline(Alarms.NAME),
                    fixture.dynamoDb(),
                    fixture.kinesis(),
                    IoExecutor.create(),
                    new Surroundings(clock, new Random(1), millis -> {}),
                    StageRuntime.OperatorDecisions.NONE,
                    ShellRules.PROTOCOL);
            this.work = (KeyedWork) runtime.stage;
        }

        private Sweep sweep(long watermark, IntSupplier remainingMillis) {
            report = new BatchReport(Alarms.STAGE, "sweep");
            return new Sweep(
                    runtime,
                    work,
                    GENERATION,
                    new StageTime(clock.instant(), watermark),
                    new Deadline(remainingMillis),
                    report);
        }

        Sweep.Result everywhere(long watermark) {
            return sweep(watermark, SweepTest::aMinute).runEverywhere();
        }

        Sweep.Result whereDue(long watermark) {
            return sweep(watermark, SweepTest::aMinute).runWhereDue();
        }

        @Nullable
        Cell cell(String key) {
            return work.timers.load(GENERATION, key);
        }
    }

    private static int aMinute() {
        return 60_000;
    }

    private ShellFixture fixture(Alarms alarms) {
        return new ShellFixture(alarms, 1, clock);
    }

    private static void put(ShellFixture fixture, String... events) {
        int before = fixture.records(0).size();
        fixture.put(0, events);
        fixture.process(0, before, before + events.length);
    }

    /** The rows, as {@code key@time} or, of timers that fired more than once, {@code key@time xN}. */
    private static List<String> rings(ShellFixture fixture) {
        List<String> rings = new ArrayList<>();
        for (ObjectNode row : fixture.scan(Alarms.TABLE)) {
            int count = row.path("count").asInt();
            rings.add(row.path("key").asText() + "@" + row.path("at").asLong() + (count == 1 ? "" : " x" + count));
        }
        return rings.stream().sorted().toList();
    }

    private static List<ObjectNode> leases(ShellFixture fixture) {
        return fixture.scan(Alarms.NAME + "-control").stream()
                .filter(item -> item.path("pk").asText().endsWith("#sweep"))
                .toList();
    }

    private static ObjectNode cell(ShellFixture fixture, String key) {
        return Objects.requireNonNull(fixture.cells().get(key));
    }

    @Test
    void whatIsDueFiresOnceAndWhatIsNotStays() {
        Alarms alarms = Alarms.harmless();
        try (ShellFixture fixture = fixture(alarms)) {
            put(fixture, event("a", 0, 10L), event("b", 0, 20L, 25L), event("c", 0, 30L));
            Container container = new Container(fixture, Alarms.harmless());

            assertThat(container.everywhere(9)).isEqualTo(new Sweep.Result(true, 0, 0));
            assertThat(rings(fixture)).isEmpty();

            assertThat(container.everywhere(20).complete()).isTrue();
            assertThat(rings(fixture)).containsExactly("a@10", "b@20");
            assertThat(container.report.get(Count.TIMERS)).isEqualTo(2);
            assertThat(cell(fixture, "b").path(TimerItems.EVENT_DUE).asLong()).isEqualTo(25);
            assertThat(cell(fixture, "a").has(TimerItems.EVENT_DUE)).isFalse();

            container.everywhere(20);
            assertThat(container.report.get(Count.TIMERS)).isZero();
            container.everywhere(Long.MAX_VALUE);
            assertThat(rings(fixture)).containsExactly("a@10", "b@20", "b@25", "c@30");
            assertThat(leases(fixture)).as("given back").isEmpty();
        }
    }

    @Test
    void timersByTheClockFireByTheClockWithoutAWatermark() {
        try (ShellFixture fixture = fixture(Alarms.harmless())) {
            long now = clock.millis();
            put(fixture, Alarms.clockEvent("a", 0, now + 5), Alarms.clockEvent("b", 0, now + 6), event("c", 0, 1L));
            Container container = new Container(fixture, Alarms.harmless());
            clock.advance(Duration.ofMillis(5));

            assertThat(container.everywhere(Long.MIN_VALUE).complete()).isTrue();

            assertThat(rings(fixture)).containsExactly("a@" + (now + 5));
        }
    }

    @Test
    void twoSweepersThatMeetFireATimerOnce() {
        try (ShellFixture fixture = fixture(Alarms.harmless())) {
            put(fixture, event("a", 0, 10L));
            Container slow = new Container(fixture, Alarms.harmless());
            Container fast = new Container(fixture, Alarms.harmless());
            StageTime time = new StageTime(clock.instant(), 10);
            TimerRun.Fired fired = slow.work.timers.fire(Objects.requireNonNull(slow.cell("a")), time, slow.report);
            fast.everywhere(10);

            TimerRun.Progress progress = slow.work.timers.commit(fired);
            TimerRun.Result result =
                    slow.work.timers.conclude(fired, progress, time, new Deadline(SweepTest::aMinute), slow.report);

            assertThat(result.end()).isEqualTo(TimerRun.End.SKIPPED);
            assertThat(slow.report.get(Count.CONFLICTS)).isEqualTo(1);
            assertThat(slow.report.get(Count.TIMERS)).isZero();
            assertThat(rings(fixture)).containsExactly("a@10");
        }
    }

    @Test
    void aBucketThatAnotherOneSweepsIsLeftToHimUntilHisLeaseEnds() {
        try (ShellFixture fixture = fixture(Alarms.harmless())) {
            put(fixture, event("a", 0, 10L), event("b", 0, 10L));
            Container container = new Container(fixture, Alarms.harmless());
            SweepLeases.Bucket bucket =
                    new SweepLeases.Bucket(Alarms.STAGE, GENERATION, TimeDomain.EVENT_TIME, TimerItems.bucketOf("a"));
            assertThat(new Container(fixture, Alarms.harmless()).runtime.leases.take(bucket))
                    .isNotNull();

            assertThat(container.everywhere(10).complete()).isFalse();
            assertThat(rings(fixture)).containsExactly("b@10");
            clock.advance(Duration.ofMillis(SweepLeases.LEASE_MILLIS - 1));
            assertThat(container.whereDue(10).complete())
                    .as("held, and tried again")
                    .isFalse();
            clock.advance(Duration.ofMillis(1));
            assertThat(container.whereDue(10).complete()).isTrue();
            assertThat(rings(fixture)).containsExactly("a@10", "b@10");
        }
    }

    @Test
    void aLeaseThatIsLostIsNeitherHeldLongerNorGivenBack() {
        try (ShellFixture fixture = fixture(Alarms.harmless())) {
            SweepLeases leases = new Container(fixture, Alarms.harmless()).runtime.leases;
            SweepLeases.Bucket bucket = new SweepLeases.Bucket(Alarms.STAGE, GENERATION, TimeDomain.EVENT_TIME, 7);
            SweepLeases.Lease lost = Objects.requireNonNull(leases.take(bucket));
            assertThat(leases.isToBeRenewed(lost)).isFalse();
            clock.advance(Duration.ofMillis(SweepLeases.LEASE_MILLIS));
            assertThat(leases.isToBeRenewed(lost)).isTrue();
            SweepLeases.Lease held = Objects.requireNonNull(leases.take(bucket));
            assertThat(held.unreleased()).isEqualTo(1);

            assertThat(leases.renewed(lost)).isNull();
            leases.release(lost, true);
            leases.release(lost, false);

            assertThat(leases.take(bucket)).as("still held").isNull();
            assertThat(leases.renewed(held)).isNotNull();
        }
    }

    @Test
    void anInvocationLooksWhereItsOwnTimersAreDueAndNowhereElse() {
        try (ShellFixture fixture = fixture(Alarms.harmless())) {
            put(fixture, event("a", 0, 10L), event("b", 0, 20L));
            Container container = new Container(fixture, Alarms.harmless());
            assertThat(container.whereDue(30)).isEqualTo(new Sweep.Result(true, 0, 0));
            assertThat(rings(fixture)).as("registered by another container").isEmpty();

            container.everywhere(15);
            container.whereDue(19);
            assertThat(rings(fixture)).containsExactly("a@10");
            container.whereDue(20);
            assertThat(rings(fixture)).as("a sweep has seen when it is due").containsExactly("a@10", "b@20");

            container.work.dueTimes.setGeneration(2);
            assertThat(container.work.dueTimes.isDue(TimeDomain.EVENT_TIME, TimerItems.bucketOf("a"), 100))
                    .isFalse();
        }
    }

    /** (30) */
    @Test
    void aTimerThatThrowsIsCountedAndGivenUpAndOtherKeysFire() {
        Alarms alarms = Alarms.trapped(ErrorPolicy.retryThenDeadLetter(3), throwingAt("bad"));
        try (ShellFixture fixture = fixture(alarms)) {
            put(fixture, event("bad", 0, 10L, 12L), event("a", 0, 10L), event("b", 0, 11L));
            Container container = new Container(fixture, alarms);

            for (int attempt = 1; attempt <= 2; attempt++) {
                Sweep.Result result = container.everywhere(11);
                assertThat(result).isEqualTo(new Sweep.Result(true, 1, 0));
                assertThat(rings(fixture)).containsExactly("a@10", "b@11");
                assertThat(cell(fixture, "bad")
                                .path(TimerItems.TIMERS)
                                .path("event:10")
                                .asInt())
                        .isEqualTo(attempt);
                assertThat(fixture.deadLetters()).isEmpty();
                assertThat(container.whereDue(11))
                        .as("tried again by the tick")
                        .isEqualTo(new Sweep.Result(true, 0, 0));
            }
            assertThat(container.everywhere(11)).isEqualTo(new Sweep.Result(true, 0, 0));

            assertThat(cell(fixture, "bad").path(TimerItems.TIMERS).has("event:10"))
                    .isFalse();
            assertThat(cell(fixture, "bad").path(TimerItems.EVENT_DUE).asLong()).isEqualTo(12);
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("TIMER_THREW");
                assertThat(letter.path("key").asText()).isEqualTo("bad");
                assertThat(letter.path("error").asText()).contains("unlucky");
                assertThat(letter.path("attempts").asInt()).isEqualTo(3);
                assertThat(letter.path("sequence_number").asText()).isEqualTo("10");
            });
            assertThat(rings(fixture)).containsExactly("a@10", "b@11");
        }
    }

    private static Alarms.Trap throwingAt(String key) {
        return (fired, at) -> {
            if (fired.equals(key)) {
                throw new IllegalStateException("unlucky");
            }
        };
    }

    @Test
    void aTimerThatThrowsWithoutDeadLettersIsTriedByEachSweepAndNothingElseWaits() {
        AtomicBoolean mended = new AtomicBoolean();
        Alarms alarms = Alarms.trapped(ErrorPolicy.fail(), (key, at) -> {
            if (key.equals("bad") && at == 11 && !mended.get()) {
                throw new IllegalStateException("unlucky");
            }
        });
        try (ShellFixture fixture = fixture(alarms)) {
            put(fixture, event("bad", 0, 10L, 11L, 12L), event("a", 0, 12L));
            Container container = new Container(fixture, alarms);

            IntStream.range(0, 5).forEach(i -> container.everywhere(12));

            assertThat(rings(fixture)).as("what fired before it is committed").containsExactly("a@12", "bad@10");
            assertThat(cell(fixture, "bad")
                            .path(TimerItems.TIMERS)
                            .path("event:11")
                            .asInt())
                    .isEqualTo(5);
            mended.set(true);
            container.everywhere(12);
            assertThat(rings(fixture)).containsExactly("a@12", "bad@10", "bad@11", "bad@12");
        }
    }

    /** Kills the invocation as a process does that runs out of memory: nothing of it goes on. */
    private static Alarms.Trap killingAt(String key) {
        return (fired, at) -> {
            if (fired.equals(key) && at == 10) {
                throw new OutOfMemoryError("as if");
            }
        };
    }

    /** A key in the same bucket as another one. */
    private static String neighbourOf(String key, int number) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "n" + i)
                .filter(other -> TimerItems.bucketOf(other) == TimerItems.bucketOf(key))
                .skip(number)
                .findFirst()
                .orElseThrow();
    }

    /** Sweeps with a new container each minute until one survives, and returns how many died. */
    private int sweepUntilOneSurvives(ShellFixture fixture, Alarms alarms, long watermark) {
        for (int died = 0; died < 20; died++) {
            clock.advance(Duration.ofMinutes(1));
            try {
                new Container(fixture, alarms).everywhere(watermark);
                return died;
            } catch (OutOfMemoryError e) {
                assertThat(e).hasMessage("as if");
            }
        }
        throw new AssertionError("none survived");
    }

    @Test
    void aTimerThatKillsTheProcessIsFoundAndGivenUpAndNothingElseIs() {
        Alarms alarms = Alarms.trapped(ErrorPolicy.retryThenDeadLetter(2), killingAt("killer"));
        String before = neighbourOf("killer", 0);
        String behind = neighbourOf("killer", 1);
        try (ShellFixture fixture = fixture(alarms)) {
            put(fixture, event("killer", 0, 9L, 10L, 11L), event(before, 0, 9L), event(behind, 0, 11L));

            int died = sweepUntilOneSurvives(fixture, alarms, 11);

            // Two without care, one alone; the next sweeper counts that, leaves the key out and survives.
            assertThat(died).isEqualTo(SweepLeases.UNRELEASED_MAX + 1);
            assertThat(rings(fixture)).containsExactlyInAnyOrder("killer@9", before + "@9", behind + "@11");
            assertThat(cell(fixture, "killer")
                            .path(TimerItems.TIMERS)
                            .path("event:10")
                            .asInt())
                    .isEqualTo(1);

            assertThat(sweepUntilOneSurvives(fixture, alarms, 11)).isEqualTo(1);

            assertThat(rings(fixture))
                    .containsExactlyInAnyOrder("killer@11", "killer@9", before + "@9", behind + "@11");
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("sequence_number").asText()).isEqualTo("10");
                assertThat(letter.path("attempts").asInt()).isEqualTo(2);
                assertThat(letter.path("error").asText()).contains("died");
            });
            assertThat(leases(fixture)).as("forgotten").isEmpty();
        }
    }

    @Test
    void aTimerThatKillsTheProcessAndIsNeverGivenUpLetsItsNeighboursFire() {
        Alarms alarms = Alarms.trapped(ErrorPolicy.fail(), killingAt("killer"));
        String neighbour = neighbourOf("killer", 0);
        try (ShellFixture fixture = fixture(alarms)) {
            put(fixture, event("killer", 0, 10L), event(neighbour, 0, 20L));
            assertThat(sweepUntilOneSurvives(fixture, alarms, 20)).isEqualTo(SweepLeases.UNRELEASED_MAX + 1);
            assertThat(rings(fixture)).containsExactly(neighbour + "@20");
            assertThat(sweepUntilOneSurvives(fixture, alarms, 20))
                    .as("what is known of the bucket stays known")
                    .isEqualTo(1);
            assertThat(cell(fixture, "killer")
                            .path(TimerItems.TIMERS)
                            .path("event:10")
                            .asInt())
                    .isEqualTo(2);
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void deathsThatNoTimerCausedCostNoTimerAnything() {
        AtomicBoolean bad = new AtomicBoolean(true);
        Alarms alarms = Alarms.trapped(ErrorPolicy.deadLetter(), (key, at) -> {
            if (bad.get()) {
                throw new OutOfMemoryError("as if");
            }
        });
        try (ShellFixture fixture = fixture(alarms)) {
            put(fixture, event("a", 0, 10L));
            for (int death = 0; death < SweepLeases.UNRELEASED_MAX; death++) {
                clock.advance(Duration.ofMinutes(1));
                assertThatThrownBy(() -> new Container(fixture, alarms).everywhere(10))
                        .isInstanceOf(OutOfMemoryError.class);
            }
            bad.set(false);
            assertThat(sweepUntilOneSurvives(fixture, alarms, 10)).isZero();
            assertThat(rings(fixture)).containsExactly("a@10");
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void aTimerThatIsRegisteredBelowTheWatermarkFiresAtTheNextSweepNotInALoop() {
        Alarms alarms = Alarms.harmless().repeating(1);
        try (ShellFixture fixture = fixture(alarms)) {
            put(fixture, event("a", 0, 10L));
            Container container = new Container(fixture, alarms);
            container.everywhere(100);
            assertThat(rings(fixture)).containsExactly("a@10");
            container.whereDue(100);
            assertThat(rings(fixture)).containsExactly("a@10", "a@11");
        }
    }

    /** A cell with a timer at 10, as a record would leave it. */
    private static void putCell(ShellFixture fixture, String key) {
        CellTime time = new CellTime(new TreeMap<>(Map.of(new Timer(TimeDomain.EVENT_TIME, 10, ""), 0)), 0);
        Cell cell = new Cell(
                new CellKey(Alarms.STAGE, key, GENERATION),
                "version of " + key,
                Fence.EMPTY,
                Map.of(),
                DoneRedrives.NONE,
                time,
                null);
        fixture.dynamoDb()
                .putItem(request ->
                        request.tableName(Alarms.NAME + "-state").item(Items.toAttributes(CellItems.toItem(cell))));
    }

    /** 100,000 with {@code -Dmillrace.sweep.cells=100000}. */
    @Test
    void allOfManyCellsFireOverSeveralInvocationsThatRunOutOfTime() {
        int cells = Integer.getInteger("millrace.sweep.cells", 600);
        Alarms alarms = Alarms.harmless();
        try (ShellFixture fixture = fixture(alarms)) {
            IntStream.range(0, cells).parallel().forEach(i -> putCell(fixture, "k" + i));
            Container container = new Container(fixture, alarms);
            int questionsMax = cells / 2;
            int invocations = 0;
            for (boolean complete = false; !complete; invocations++) {
                assertThat(invocations).isLessThan(20);
                int[] questions = {0};
                complete = container
                        .sweep(10, () -> questions[0]++ < questionsMax ? 60_000 : 0)
                        .runEverywhere()
                        .complete();
            }
            assertThat(invocations).isBetween(2, 10);
            assertThat(rings(fixture)).hasSize(cells).noneMatch(ring -> ring.contains("x"));
            assertThat(alarms.fired()).hasSize(cells);
        }
    }

    @Test
    void timersOfOneKeyAndTimeHaveDeadLettersOfTheirOwnAndCanBeRedriven() {
        AtomicBoolean mended = new AtomicBoolean();
        Alarms alarms = Alarms.trapped(ErrorPolicy.deadLetter(), (key, at) -> {
            if (!mended.get()) {
                throw new IllegalStateException("unlucky");
            }
        });
        try (ShellFixture fixture = fixture(alarms)) {
            long now = clock.millis();
            put(fixture, event("a", 0, now), Alarms.clockEvent("a", 0, now), event("b", 0, now));
            Container container = new Container(fixture, alarms);
            container.everywhere(now);
            DeadLetters deadLetters = DeadLetters.builder()
                    .pipeline(alarms)
                    .dynamoDb(fixture.dynamoDb())
                    .kinesis(fixture.kinesis())
                    .build();
            List<StoredDeadLetter> open = new ArrayList<>();
            deadLetters.list(DeadLetterFilter.open()).forEach(open::add);
            assertThat(open).hasSize(3).allSatisfy(letter -> {
                assertThat(letter.kind()).isEqualTo(StoredDeadLetter.Kind.TIMER_THREW);
                assertThat(letter.lane()).isEqualTo(Alarms.STREAM + "/timers");
                assertThat(letter.position()).isEqualTo(Long.toString(now));
            });
            assertThat(new TreeSet<>(open.stream().map(StoredDeadLetter::id).toList()))
                    .hasSize(3);
            mended.set(true);

            for (StoredDeadLetter letter : open) {
                assertThat(deadLetters.redrive(letter.id())).isEqualTo(new RedriveOutcome.Redriven(1, 0));
                assertThat(deadLetters.redrive(letter.id()))
                        .isEqualTo(new RedriveOutcome.ClosedBefore(StoredDeadLetter.State.DONE));
            }
            assertThat(rings(fixture)).as("registered, not fired").isEmpty();
            container.everywhere(now);
            container.everywhere(now);

            assertThat(rings(fixture)).containsExactly("a@" + now + " x2", "b@" + now);
        }
    }

    @Test
    void aCellThatTheCodeCannotReadIsLeftAsItIsAndOthersFire() {
        Alarms alarms = Alarms.harmless();
        try (ShellFixture fixture = fixture(alarms)) {
            put(fixture, event("a", 0, 10L), event("b", 0, 10L));
            String broken = cell(fixture, "a").path("pk").asText();
            fixture.dynamoDb()
                    .updateItem(request -> request.tableName(Alarms.NAME + "-state")
                            .key(Map.of("pk", Items.text(broken)))
                            .updateExpression("REMOVE fence"));
            Container container = new Container(fixture, alarms);
            assertThat(container.everywhere(10).complete()).isTrue();
            assertThat(rings(fixture)).containsExactly("b@10");
            assertThat(container.report.get(Count.TIMER_FAILURES)).isEqualTo(1);
        }
    }
}
