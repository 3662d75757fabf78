package io.millrace.internal.engine;

import static io.millrace.internal.engine.TimerProbe.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.KeyedProcessFunction;
import io.millrace.TimeDomain;
import io.millrace.internal.item.UnacceptableException;
import io.millrace.internal.operator.OperatorContext;
import io.millrace.time.WatermarkStrategy;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timers: registered, deleted and fired in the unit of their cell, before the records behind their watermark. */
class TimersTest {
    private final TimerProbe probe = new TimerProbe();

    private void registerAt(long... times) {
        probe.onElement = (event, ctx, out) -> {
            if (event.name().equals("register")) {
                for (long time : times) {
                    ctx.timerService().registerEventTimeTimer(time);
                }
            }
        };
    }

    private static Timer eventTimer(long time) {
        return new Timer(TimeDomain.EVENT_TIME, time, "");
    }

    @Test
    void timerFiresOnceWhenTheWatermarkHasReachedItAndBeforeTheNextRecord() throws Exception {
        registerAt(100);
        probe.process(event("register"));
        probe.watermark = 99;
        probe.process(event("early"));
        assertThat(probe.sweep()).isEmpty();
        probe.watermark = 100;
        probe.process(event("next"), event("last"));
        probe.process(event("much later"));
        assertThat(probe.sweep()).isEmpty();

        assertThat(probe.calls).containsExactly("register", "early", "event 100", "next", "last", "much later");
        assertThat(probe.cell("a").time().timers()).isEmpty();
    }

    @Test
    void sweepFiresWhatIsDueInOrderAndMovesNoFence() throws Exception {
        registerAt(300, 100, 200);
        probe.process(event("register"));
        Fence before = probe.cell("a").fence();
        probe.watermark = 200;
        probe.onTimer = (time, ctx, out) -> {
            assertThat(ctx.timestamp()).isEqualTo(time);
            assertThat(ctx.getCurrentKey()).isEqualTo("a");
            assertThat(ctx.timerService().currentWatermark()).isEqualTo(200);
            out.collect(new TimerProbe.Called(ctx.getCurrentKey(), "timer", time));
        };

        List<Unit> units = probe.sweep();

        assertThat(probe.calls).containsExactly("register", "event 100", "event 200");
        assertThat(units).hasSize(1);
        assertThat(units.get(0).progress()).isNull();
        assertThat(units.get(0).stream()).isEqualTo("events");
        assertThat(units.get(0).records()).isZero();
        assertThat(units.get(0).timers()).containsExactly(eventTimer(100), eventTimer(200));
        assertThat(units.get(0).rows()).hasSize(1);
        assertThat(probe.cell("a").fence().positions()).isEqualTo(before.positions());
        assertThat(probe.cell("a").time().timers()).containsOnlyKeys(eventTimer(300));
        assertThat(probe.cell("a").time().watermark()).isEqualTo(200);
    }

    @Test
    void oneTimerFiresAloneByTheClockOfItsSweepAndLeavesTheOtherDueOnes() throws Exception {
        registerAt(100, 200, 300);
        probe.process(event("register"));
        probe.watermark = 200;
        probe.clockMillis = 7;
        probe.onTimer = (time, ctx, out) ->
                assertThat(ctx.timerService().currentProcessingTime()).isEqualTo(7);
        assertThat(probe.engine.dueTimers(probe.cell("a"), probe.time()))
                .containsExactly(eventTimer(100), eventTimer(200));

        Unit unit = probe.engine.fireTimer(probe.cell("a"), probe.time(), eventTimer(200));

        assertThat(probe.calls).containsExactly("register", "event 200");
        assertThat(unit.timers()).containsExactly(eventTimer(200));
        assertThat(unit.after().time().timers()).containsOnlyKeys(eventTimer(100), eventTimer(300));
    }

    @Test
    void timerIsRegisteredOnceForItsTimeHoweverOften() throws Exception {
        registerAt(100, 100);
        probe.process(event("register"), event("register"));
        probe.watermark = 100;
        probe.sweep();

        assertThat(probe.calls).containsExactly("register", "register", "event 100");
    }

    @Test
    void deletedTimerDoesNotFireNorDoesOneThatAnEarlierTimerDeletes() throws Exception {
        registerAt(100, 200, 300);
        probe.process(event("register"));
        probe.onElement = (event, ctx, out) -> ctx.timerService().deleteEventTimeTimer(300);
        probe.process(event("delete"));
        probe.onTimer = (time, ctx, out) -> ctx.timerService().deleteEventTimeTimer(200);
        probe.watermark = 300;
        List<Unit> units = probe.sweep();

        assertThat(probe.calls).containsExactly("register", "delete", "event 100");
        assertThat(units.get(0).timers()).containsExactly(eventTimer(100));
        assertThat(probe.cell("a").time().timers()).isEmpty();
    }

    /** Not in a loop: a handler that registers for now or the past is called at each visit, once. */
    @Test
    void timerRegisteredForWhatIsPastFiresAtTheNextVisit() throws Exception {
        registerAt(50);
        probe.onTimer = (time, ctx, out) -> ctx.timerService().registerEventTimeTimer(time);
        probe.watermark = 100;
        probe.process(event("register"), event("behind"));
        assertThat(probe.calls).containsExactly("register", "behind");

        probe.sweep();
        probe.sweep();

        assertThat(probe.calls).containsExactly("register", "behind", "event 50", "event 50");
    }

    @Test
    void processingTimeTimersGoByTheClockAndFireBehindThoseOfEventTime() throws Exception {
        probe.onElement = (event, ctx, out) -> {
            assertThat(ctx.timerService().currentProcessingTime()).isEqualTo(1_000);
            ctx.timerService().registerProcessingTimeTimer(2_000);
            ctx.timerService().registerProcessingTimeTimer(2_001);
            ctx.timerService().registerProcessingTimeTimer(3_000);
            ctx.timerService().registerEventTimeTimer(5_000);
            ctx.timerService().deleteProcessingTimeTimer(3_000);
        };
        probe.clockMillis = 1_000;
        probe.process(event("register"));
        probe.watermark = 5_000;
        probe.clockMillis = 2_000;
        probe.sweep();

        assertThat(probe.calls).containsExactly("register", "event 5000", "processing 2000");
        assertThat(probe.cell("a").time().timers()).containsOnlyKeys(new Timer(TimeDomain.PROCESSING_TIME, 2_001, ""));
    }

    /** Another lane's sweep may have been ahead: what it closed stays closed. */
    @Test
    void cellRemembersTheHighestWatermarkAtWhichItsTimersFired() throws Exception {
        List<Long> seen = new ArrayList<>();
        probe.onElement = (event, ctx, out) -> seen.add(ctx.timerService().currentWatermark());
        probe.watermark = 500;
        probe.process(event("ahead"));
        probe.watermark = 400;
        probe.process(event("behind"));
        probe.watermark = 600;
        probe.process(event("ahead again"));

        assertThat(seen).containsExactly(500L, 500L, 600L);
        assertThat(probe.cell("a").time().watermark()).isEqualTo(600);
    }

    @Test
    void recordThatIsGivenUpMeetsNoTimerAndLeavesThemAsTheyWere() throws Exception {
        registerAt(100);
        probe.process(event("register"));
        CellTime before = probe.cell("a").time();
        probe.watermark = 100;
        Condemned condemned = new Condemned();
        condemned.add(new RecordFailure(RecordFailure.Kind.FUNCTION_THREW, Position.of("2"), "a", null), 1);
        RunResult result = probe.run(condemned, event("poison"));
        probe.store.commit(EngineHarness.units(result, "a").get(0));

        assertThat(probe.calls).containsExactly("register");
        assertThat(probe.cell("a").time()).isEqualTo(before);
    }

    @Test
    void recordThatTheFenceCoversFiresNoTimer() throws Exception {
        registerAt(100);
        probe.process(event("register"));
        probe.watermark = 100;
        RoutedRecord again = probe.engine.route(TimerProbe.record(1, event("register")));
        RunResult result = probe.engine.run(
                EngineHarness.LANE,
                probe.time(),
                List.of(again),
                java.util.Map.of("a", probe.cell("a")),
                new Condemned(),
                java.util.Set.of(),
                () -> false);

        assertThat(result.duplicates()).isEqualTo(1);
        assertThat(EngineHarness.units(result, "a")).isEmpty();
        assertThat(probe.calls).containsExactly("register");
    }

    @Test
    void timerThatThrowsIsNamedAndNothingOfItIsCommitted() throws Exception {
        registerAt(100, 200);
        probe.process(event("register"));
        probe.watermark = 200;
        probe.onTimer = (time, ctx, out) -> {
            if (time == 200) {
                throw new IllegalStateException("told to throw");
            }
        };
        TimerFailure swept = catchThrowableOfType(TimerFailure.class, probe::sweep);
        RecordFailure met =
                Objects.requireNonNull(probe.run(new Condemned(), event("next")).failure());

        assertThat(swept.timer()).isEqualTo(eventTimer(200));
        assertThat(swept).hasMessageContaining("told to throw");
        assertThat(swept.isPermanent()).isFalse();
        assertThat(met.kind()).isEqualTo(RecordFailure.Kind.TIMER_THREW);
        assertThat(met.position()).isEqualTo(Position.of("2"));
        assertThat(met.key()).isEqualTo("a");
        assertThat(Objects.requireNonNull(met.timer()).timer()).isEqualTo(eventTimer(200));
        assertThat(met.isPermanent()).isFalse();
        assertThat(probe.cell("a").time().timers()).containsOnlyKeys(eventTimer(100), eventTimer(200));
    }

    @Test
    void failedTimerIsCountedAndWhenGivenUpItGoesWithItsDeadLetter() throws Exception {
        registerAt(100, 200);
        probe.process(event("register"));
        Cell before = probe.cell("a");
        Unit counted = probe.engine.timerFailed(before, eventTimer(100), null);
        probe.store.commit(counted);
        assertThat(probe.cell("a").time().attempts(eventTimer(100))).isEqualTo(1);
        assertThat(probe.cell("a").time().attempts(eventTimer(200))).isZero();
        assertThat(counted.deadLetters()).isEmpty();
        assertThat(counted.expiry()).isNull();

        DeadLetter letter = DeadLetter.ofTimer("events", "a", eventTimer(100), "told to throw", 2, Instant.EPOCH);
        Unit givenUp = probe.engine.timerFailed(probe.cell("a"), eventTimer(100), letter);
        probe.store.commit(givenUp);

        assertThat(givenUp.deadLetters()).containsExactly(letter);
        assertThat(letter.lane()).hasToString("events/timers");
        assertThat(letter.input().payload()).asString().isEqualTo("event:100");
        assertThat(letter.input().position()).isEqualTo(Position.of("100"));
        assertThat(probe.cell("a").time().timers()).containsOnlyKeys(eventTimer(200));
        assertThat(probe.cell("a").fence().positions()).isEqualTo(before.fence().positions());
        assertThat(probe.cell("a").states()).isEqualTo(before.states());

        probe.store.commit(probe.engine.timerRegistered(probe.cell("a"), eventTimer(100)));
        assertThat(probe.cell("a").time().timers()).containsOnlyKeys(eventTimer(100), eventTimer(200));
        assertThat(probe.cell("a").time().attempts(eventTimer(100))).isZero();
    }

    @Test
    void deadLetterOfATimerBefore1970LiesAtTheBeginning() {
        DeadLetter letter = DeadLetter.ofTimer("events", "a", eventTimer(-5), "error", 1, Instant.EPOCH);
        assertThat(letter.input().position()).isEqualTo(Position.of("0"));
        assertThat(letter.timer()).isEqualTo(eventTimer(-5));
    }

    /** Many windows can close at once: the units are prefixes of the timers, and the record comes behind them. */
    @Test
    void timersThatAreTooManyForATransactionBecomeSeveralUnits() throws Exception {
        long[] times = new long[250];
        for (int i = 0; i < times.length; i++) {
            times[i] = i + 1L;
        }
        registerAt(times);
        probe.process(event("register"));
        probe.watermark = 250;
        probe.onTimer = (time, ctx, out) -> out.collect(new TimerProbe.Called("a", "timer " + time, time));
        List<Unit> units = probe.process(event("next"));

        assertThat(units).extracting(unit -> unit.timers().size()).containsExactly(99, 99, 52);
        assertThat(units).extracting(Unit::records).containsExactly(0, 0, 1);
        assertThat(units.get(0).progress()).isNull();
        assertThat(probe.store.rows).hasSize(250);
        assertThat(probe.cell("a").time().timers()).isEmpty();
        assertThat(probe.calls).endsWith("event 250", "next");
    }

    @Test
    void timerThatAloneExceedsATransactionIsAPermanentFailure() throws Exception {
        registerAt(100, 200);
        probe.process(event("register"));
        probe.watermark = 200;
        probe.onTimer = (time, ctx, out) -> {
            for (int i = 0; time == 200 && i < 100; i++) {
                out.collect(new TimerProbe.Called("a", "row " + i, time));
            }
        };
        TimerFailure failure = catchThrowableOfType(TimerFailure.class, probe::sweep);
        assertThat(failure.timer()).isEqualTo(eventTimer(200));
        assertThat(failure.isPermanent()).isTrue();
        assertThat(failure.getCause()).isInstanceOf(UnacceptableException.class).hasMessageContaining("100 rows");
        assertThat(Objects.requireNonNull(
                                probe.run(new Condemned(), event("next")).failure())
                        .kind())
                .isEqualTo(RecordFailure.Kind.TIMER_THREW);
    }

    @Test
    void cellWithATimerIsNoTombstone() throws Exception {
        registerAt(100);
        Unit registered = probe.process(event("register")).get(0);
        assertThat(registered.expiry()).isNull();
        assertThat(registered.after().isTombstone()).isFalse();
        probe.watermark = 100;
        Unit fired = probe.sweep().get(0);
        assertThat(fired.expiry()).isEqualTo(Instant.EPOCH);
        assertThat(fired.after().isTombstone()).isTrue();
    }

    @Test
    void itemTellsTimersAndWhenTheFirstOfEachDomainIsDue() throws Exception {
        probe.onElement = (event, ctx, out) -> {
            ctx.timerService().registerEventTimeTimer(200);
            ctx.timerService().registerEventTimeTimer(100);
            ctx.timerService().registerProcessingTimeTimer(300);
            ((OperatorContext) ctx).registerTimer(TimeDomain.EVENT_TIME, 150, "a:window");
        };
        probe.watermark = 7;
        ObjectNode item = probe.process(event("register")).get(0).item();

        String bucket = "timers#1#" + String.format("%02d", Math.floorMod("a".hashCode(), 64));
        assertThat(item.path("timers").toString())
                .isEqualTo("{\"event:100\":0,\"event:150:a:window\":0,\"event:200\":0,\"processing:300\":0}");
        assertThat(item.path("watermark").asLong()).isEqualTo(7);
        assertThat(item.path("event_due").asLong()).isEqualTo(100);
        assertThat(item.path("processing_due").asLong()).isEqualTo(300);
        assertThat(item.path("event_bucket").asText()).isEqualTo(bucket);
        assertThat(item.path("processing_bucket").asText()).isEqualTo(bucket);
        assertThat(probe.cell("a").time().timers()).hasSize(4);
    }

    @Test
    void itemOfACellWithoutTimersAndWatermarkHasNoneOfTheirAttributes() throws Exception {
        ObjectNode item = probe.process(event("plain")).get(0).item();
        assertThat(item.properties())
                .extracting(java.util.Map.Entry::getKey)
                .containsExactlyInAnyOrder("pk", "key", "version", "fence", "state");
    }

    @ParameterizedTest
    @ValueSource(strings = {"event", "event:", "event:x", "events:1", ""})
    void whatIsNoTimerIsRefused(String text) {
        assertThatThrownBy(() -> TimerItems.parse(text))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'" + text + "' is stored where a timer is expected");
    }

    @Test
    void timersOfOtherNamesAreOthersAndTheirNameIsTold() throws Exception {
        List<String> names = new ArrayList<>();
        probe.onElement = (event, ctx, out) -> {
            OperatorContext operator = (OperatorContext) ctx;
            assertThat(operator.timerName()).isEmpty();
            operator.registerTimer(TimeDomain.EVENT_TIME, 100, "b");
            operator.registerTimer(TimeDomain.EVENT_TIME, 100, "a");
            operator.registerTimer(TimeDomain.EVENT_TIME, 100, "c");
            operator.deleteTimer(TimeDomain.EVENT_TIME, 100, "c");
        };
        probe.process(event("register"));
        probe.watermark = 100;
        probe.onTimer = (time, ctx, out) -> names.add(((OperatorContext) ctx).timerName());
        probe.sweep();
        assertThat(names).containsExactly("a", "b");
    }

    @Test
    void lateElementsAreCountedInTheirUnit() throws Exception {
        probe.onElement = (event, ctx, out) -> ((OperatorContext) ctx).countLate();
        assertThat(probe.process(event("one"), event("two")).get(0).late()).isEqualTo(2);
    }

    @Test
    void contextIsOfNoUseOutsideOfItsCall() throws Exception {
        List<KeyedProcessFunction<String, TimerProbe.Event, TimerProbe.Called>.Context> kept = new ArrayList<>();
        probe.onElement = (event, ctx, out) -> {
            kept.add(ctx);
            assertThatThrownBy(() -> ((KeyedProcessFunction<String, TimerProbe.Event, TimerProbe.Called>.OnTimerContext)
                                    ctx)
                            .timeDomain())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("outside of onTimer");
        };
        probe.process(event("one"));

        assertThatThrownBy(() -> kept.get(0).timerService().registerEventTimeTimer(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("A timer is registered outside of the call");
        assertThatThrownBy(() -> kept.get(0).timestamp()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void eventTimeIsTakenWhereItIsAssignedAndDroppedElementsCountForTheWatermark() throws Exception {
        List<Long> seen = new ArrayList<>();
        probe.onElement = (event, ctx, out) -> seen.add(ctx.timestamp());
        RoutedRecord before = probe.route(new TimerProbe.Event("a", "filtered before", 70));
        RoutedRecord behind = probe.route(new TimerProbe.Event("a", "filtered behind", 80));
        probe.process(new TimerProbe.Event("a", "kept", 60));

        assertThat(before.maxTimestamp()).isEqualTo(WatermarkStrategy.NO_WATERMARK);
        assertThat(behind.maxTimestamp()).isEqualTo(80);
        assertThat(behind.elements()).isEmpty();
        assertThat(seen).containsExactly(60L);
    }

    /** Field case 29: one date of the year 2286 among events of today. */
    @Test
    void elementFromTheFutureIsProcessedAndCountedButMovesNoWatermark() throws Exception {
        long allowanceMillis = WatermarkStrategy.FUTURE_ALLOWANCE_DEFAULT.toMillis();
        RoutedRecord onTheEdge = probe.route(new TimerProbe.Event("a", "edge", allowanceMillis));
        RoutedRecord future = probe.route(new TimerProbe.Event("a", "future", allowanceMillis + 1));

        assertThat(onTheEdge.maxTimestamp()).isEqualTo(allowanceMillis);
        assertThat(onTheEdge.futureElements()).isZero();
        assertThat(future.maxTimestamp()).isEqualTo(WatermarkStrategy.NO_WATERMARK);
        assertThat(future.futureElements()).isEqualTo(1);
        assertThat(future.elements()).containsOnlyKeys("a");
    }

    @ParameterizedTest
    @ValueSource(longs = {EventTimes.TIMESTAMP_MAX + 1, -EventTimes.TIMESTAMP_MAX - 1, Long.MIN_VALUE, Long.MAX_VALUE})
    void eventTimeBeyondItsBoundsIsThePermanentFailureOfItsRecord(long time) {
        RecordFailure failure =
                catchThrowableOfType(RecordFailure.class, () -> probe.route(new TimerProbe.Event("a", "odd", time)));
        assertThat(failure.kind()).isEqualTo(RecordFailure.Kind.KEY_UNKNOWN);
        assertThat(failure.getCause()).hasMessageContaining("The event time of an element is " + time);
    }

    @ParameterizedTest
    @ValueSource(longs = {EventTimes.TIMESTAMP_MAX, -EventTimes.TIMESTAMP_MAX})
    void eventTimeAtItsBoundsIsTaken(long time) throws RecordFailure {
        assertThat(probe.route(new TimerProbe.Event("a", "edge", time)).elements())
                .containsOnlyKeys("a");
    }

    @Test
    void timesAreMadeOfTimersInAnyOrder() {
        CellTime time = new CellTime(new TreeMap<>(java.util.Map.of(eventTimer(2), 0, eventTimer(1), 3)), 0);
        assertThat(time.firstDue(TimeDomain.EVENT_TIME)).isEqualTo(1);
        assertThat(time.firstDue(TimeDomain.PROCESSING_TIME)).isNull();
    }
}
