package io.millrace.internal.engine;

import static io.millrace.internal.engine.WindowProbe.sums;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.internal.engine.WindowProbe.Element;
import io.millrace.internal.engine.WindowProbe.Sum;
import io.millrace.internal.item.UnacceptableException;
import io.millrace.time.WatermarkStrategy;
import io.millrace.window.EarlyFiring;
import io.millrace.window.EventTimeSessionWindows;
import io.millrace.window.ProcessWindowFunction;
import io.millrace.window.SlidingEventTimeWindows;
import io.millrace.window.TumblingEventTimeWindows;
import io.millrace.window.WindowAssigner;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Windows, with expected values that were worked out by hand from Flink's documentation of windows and its rules: a window
 * fires when the watermark has reached its last millisecond, and is over when the watermark is the allowed lateness further.
 */
class WindowsTest {
    private static final Duration NO_LATENESS = Duration.ZERO;

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private static WindowAssigner tumbling(long size) {
        return TumblingEventTimeWindows.of(millis(size));
    }

    private static WindowAssigner sessions(long gap) {
        return EventTimeSessionWindows.withGap(millis(gap));
    }

    @Test
    void tumblingWindowHoldsItsStartAndNotItsEnd() throws Exception {
        WindowProbe probe = sums(tumbling(10));
        probe.add(new Element(0, 1), new Element(9, 2), new Element(10, 4), new Element(19, 8), new Element(20, 16));
        probe.watermark(100);
        assertThat(probe.fired()).containsExactly("0-10: 3", "10-20: 12", "20-30: 16");
    }

    @Test
    void windowFiresWhenTheWatermarkReachesItsLastMillisecond() throws Exception {
        WindowProbe probe = sums(tumbling(10));
        probe.add(5, 1);
        probe.watermark(8);
        assertThat(probe.fired()).isEmpty();
        probe.watermark(9);
        assertThat(probe.fired()).containsExactly("0-10: 1");
        probe.watermark(100);
        assertThat(probe.fired()).isEmpty();
    }

    @Test
    void windowFiresBeforeTheNextRecordOfItsKeyToo() throws Exception {
        WindowProbe probe = sums(tumbling(10));
        probe.add(5, 1);
        probe.watermark = 9;
        probe.add(15, 2);
        assertThat(probe.fired()).containsExactly("0-10: 1");
    }

    @Test
    void timesBefore1970AreInWindowsThatBeginBeforeThem() throws Exception {
        WindowProbe probe = sums(tumbling(10));
        probe.add(new Element(-1, 1), new Element(-10, 2), new Element(-11, 4));
        probe.watermark(0);
        assertThat(probe.fired()).containsExactly("-20--10: 4", "-10-0: 3");
    }

    /** Days of a zone two hours ahead of UTC begin at 22:00 UTC: an offset of minus two hours. */
    @Test
    void offsetMovesTheBeginnings() throws Exception {
        WindowProbe later = sums(TumblingEventTimeWindows.of(millis(10), millis(3)));
        later.add(new Element(2, 1), new Element(3, 2), new Element(12, 4), new Element(13, 8));
        later.watermark(100);
        assertThat(later.fired()).containsExactly("-7-3: 1", "3-13: 6", "13-23: 8");

        WindowProbe earlier = sums(TumblingEventTimeWindows.of(millis(24), millis(-2)));
        earlier.add(new Element(21, 1), new Element(22, 2));
        earlier.watermark(100);
        assertThat(earlier.fired()).containsExactly("-2-22: 1", "22-46: 2");
    }

    @Test
    void slidingWindowsHoldAnElementInAsManyAsSlidesGoIntoTheSize() throws Exception {
        WindowProbe probe = sums(SlidingEventTimeWindows.of(millis(10), millis(5)));
        probe.add(new Element(7, 1), new Element(10, 2));
        probe.watermark(100);
        assertThat(probe.fired()).containsExactly("0-10: 1", "5-15: 3", "10-20: 2");
    }

    @Test
    void slidingWindowsOfASizeThatIsNoMultipleOfTheSlide() throws Exception {
        WindowProbe probe = sums(SlidingEventTimeWindows.of(millis(10), millis(4), millis(1)));
        probe.add(6, 1);
        probe.watermark(100);
        assertThat(probe.fired())
                .as("those that begin at -3, 1 and 5")
                .containsExactly("-3-7: 1", "1-11: 1", "5-15: 1");
    }

    /** Of an element's windows only those that are over are late; it is late itself only if all of them are. */
    @Test
    void elementIsLateOnlyIfAllItsSlidingWindowsAreOver() throws Exception {
        WindowProbe probe = sums(SlidingEventTimeWindows.of(millis(10), millis(5)), NO_LATENESS);
        probe.watermark(9);
        probe.add(7, 1);
        assertThat(probe.lateTimes()).isEmpty();
        probe.watermark(14);
        assertThat(probe.fired()).containsExactly("5-15: 1");
        probe.add(8, 2);
        assertThat(probe.lateTimes()).containsExactly(8L);
        probe.watermark(100);
        assertThat(probe.fired()).isEmpty();
    }

    @Test
    void sessionEndsTheGapBehindItsLastElement() throws Exception {
        WindowProbe probe = sums(sessions(10));
        probe.add(new Element(0, 1), new Element(8, 2), new Element(30, 4));
        probe.watermark(16);
        assertThat(probe.fired()).isEmpty();
        probe.watermark(17);
        assertThat(probe.fired()).containsExactly("0-18: 3");
        probe.watermark(39);
        assertThat(probe.fired()).containsExactly("30-40: 4");
    }

    /** In Flink two windows intersect if one begins where the other ends: elements exactly a gap apart are in one session. */
    @Test
    void elementsExactlyAGapApartAreInOneSession() throws Exception {
        WindowProbe probe = sums(sessions(10));
        probe.add(new Element(0, 1), new Element(10, 2), new Element(21, 4));
        probe.watermark(100);
        assertThat(probe.fired()).containsExactly("0-20: 3", "21-31: 4");
    }

    @Test
    void elementBetweenSessionsMergesThem() throws Exception {
        WindowProbe probe = sums(sessions(10));
        probe.add(new Element(0, 1), new Element(15, 2), new Element(30, 4));
        probe.add(8, 8);
        assertThat(probe.cell().time().timers()).hasSize(2);
        probe.add(22, 16);
        assertThat(probe.cell().time().timers()).hasSize(1);
        probe.watermark(100);
        assertThat(probe.fired()).containsExactly("0-40: 31");
    }

    /** Its own window would be over, but the session that it belongs to is not. */
    @Test
    void elementOfASessionThatGoesOnIsNotLate() throws Exception {
        WindowProbe probe = sums(sessions(10), NO_LATENESS);
        probe.add(new Element(0, 1), new Element(10, 2));
        probe.watermark(15);
        probe.add(3, 4);
        assertThat(probe.lateTimes()).isEmpty();
        probe.watermark(18);
        assertThat(probe.fired()).isEmpty();
        probe.watermark(19);
        assertThat(probe.fired()).containsExactly("0-20: 7");
        probe.add(3, 8);
        assertThat(probe.lateTimes()).containsExactly(3L);
    }

    @Test
    void sessionThatHasFiredGoesOnWithinTheLateness() throws Exception {
        WindowProbe probe = sums(sessions(10), millis(20));
        probe.add(0, 1);
        probe.watermark(9);
        assertThat(probe.fired()).containsExactly("0-10: 1");
        probe.add(5, 2);
        assertThat(probe.fired()).as("0-15 is not complete at 9").isEmpty();
        probe.watermark(14);
        assertThat(probe.fired()).containsExactly("0-15: 3");
        probe.add(2, 4);
        assertThat(probe.fired()).as("the same session, complete already").containsExactly("0-15: 7");
        probe.watermark(34);
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void elementBehindTheWatermarkLetsItsWindowFireAgainWithinTheLateness() throws Exception {
        WindowProbe probe = sums(tumbling(10), millis(5));
        probe.add(1, 1);
        probe.watermark(9);
        assertThat(probe.fired()).containsExactly("0-10: 1");
        List<Unit> units = probe.add(new Element(2, 2), new Element(3, 4));
        assertThat(probe.fired()).as("once for each, and all that it holds").containsExactly("0-10: 3", "0-10: 7");
        assertThat(units.get(0).rows()).as("one row, the last value").hasSize(1);
        probe.watermark(13);
        probe.add(4, 8);
        assertThat(probe.fired()).containsExactly("0-10: 15");
        probe.watermark(14);
        assertThat(probe.fired()).as("the end of the lateness fires nothing").isEmpty();
        probe.add(5, 16);
        assertThat(probe.lateTimes()).containsExactly(5L);
        assertThat(probe.fired()).isEmpty();
    }

    @Test
    void windowOfWhichNothingWasThereFiresForItsFirstElementWithinTheLateness() throws Exception {
        WindowProbe probe = sums(tumbling(10), millis(5));
        probe.watermark(12);
        probe.add(3, 1);
        assertThat(probe.fired()).containsExactly("0-10: 1");
        probe.watermark(14);
        assertThat(probe.cell().isTombstone()).isTrue();
        assertThat(probe.fired()).isEmpty();
    }

    @Test
    void lateElementsAreCountedWithoutAnOutputForThem() throws Exception {
        WindowProbe probe = sums(tumbling(10));
        probe.watermark(9);
        probe.add(new Element(9, 1), new Element(10, 2), new Element(-5, 4));
        assertThat(probe.late).isEqualTo(2);
        probe.watermark(100);
        assertThat(probe.fired()).containsExactly("10-20: 2");
    }

    @Test
    void lateElementsOfAnOutputAreRowsAndNotCounted() throws Exception {
        WindowProbe probe = sums(tumbling(10), NO_LATENESS);
        probe.watermark(9);
        probe.add(new Element(9, 1), new Element(10, 2));
        assertThat(probe.late).isZero();
        assertThat(probe.lateTimes()).containsExactly(9L);
    }

    /** Another lane's sweep may have fired a window at a watermark that this invocation does not know yet. */
    @Test
    void whatTheCellFiredAtAHigherWatermarkIsOverForALowerOneToo() throws Exception {
        WindowProbe probe = sums(tumbling(10), NO_LATENESS);
        probe.add(5, 1);
        probe.watermark(9);
        assertThat(probe.fired()).containsExactly("0-10: 1");
        probe.watermark = 3;
        probe.add(6, 2);
        assertThat(probe.lateTimes()).containsExactly(6L);
        probe.watermark(100);
        assertThat(probe.fired()).isEmpty();
    }

    @Test
    void nothingOfAWindowIsLeftWhenItIsOver() throws Exception {
        for (WindowAssigner assigner :
                List.of(tumbling(10), SlidingEventTimeWindows.of(millis(10), millis(2)), sessions(10))) {
            WindowProbe probe = sums(assigner, millis(7));
            probe.add(new Element(1, 1), new Element(5, 2), new Element(8, 4));
            assertThat(probe.cell().states()).isNotEmpty();
            probe.watermark(1_000);
            assertThat(probe.cell().states()).as(assigner.toString()).isEmpty();
            assertThat(probe.cell().isTombstone()).as(assigner.toString()).isTrue();
        }
    }

    @Test
    void allWindowsCloseAtTheEndOfTheInput() throws Exception {
        WindowProbe probe = sums(tumbling(10), Duration.ofDays(36_500));
        probe.add(new Element(EventTimes.TIMESTAMP_MAX, 1), new Element(-EventTimes.TIMESTAMP_MAX, 2));
        probe.watermark(WatermarkStrategy.END_OF_INPUT);
        assertThat(probe.fired()).hasSize(2);
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void manyWindowsThatCloseAtOnceBecomeSeveralUnits() throws Exception {
        WindowProbe probe = sums(tumbling(10));
        probe.add(LongStream.range(0, 300).mapToObj(i -> new Element(i * 10, 1)).toArray(Element[]::new));
        List<Unit> units = probe.watermark(10_000);
        assertThat(units).extracting(unit -> unit.rows().size()).containsExactly(99, 99, 99, 3);
        assertThat(probe.store.rows).hasSize(300);
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    /** A crash, or another writer, between: nothing is committed, and all is run again. */
    @Test
    void whatIsRunAgainGivesTheSame() throws Exception {
        WindowProbe probe = sums(sessions(10), millis(5));
        probe.add(new Element(0, 1), new Element(20, 2));
        probe.watermark = 9;
        probe.run(new Element(9, 4));
        probe.run(new Element(9, 4));
        List<String> twice = probe.fired();
        assertThat(twice.subList(0, twice.size() / 2)).isEqualTo(twice.subList(twice.size() / 2, twice.size()));
        probe.add(9, 4);
        assertThat(probe.fired()).isEqualTo(twice.subList(0, twice.size() / 2));
    }

    private static WindowProbe early(WindowAssigner assigner, EarlyFiring firing) {
        return new WindowProbe(
                assigner,
                false,
                (windowed, noting) ->
                        windowed.allowedLateness(millis(5)).earlyFiring(firing).aggregate(new Sum(), noting));
    }

    @Test
    void windowShowsAResultAfterEachSoManyElements() throws Exception {
        WindowProbe probe = early(tumbling(10), EarlyFiring.everyElements(2));
        probe.add(new Element(0, 1), new Element(1, 2), new Element(12, 4));
        assertThat(probe.fired()).containsExactly("0-10: 3");
        probe.add(2, 8);
        assertThat(probe.fired()).isEmpty();
        probe.add(3, 16);
        assertThat(probe.fired()).containsExactly("0-10: 27");
        probe.add(4, 32);
        probe.watermark(9);
        assertThat(probe.fired()).as("on time with all").containsExactly("0-10: 59");
        probe.add(5, 64);
        assertThat(probe.fired()).as("late: each fires").containsExactly("0-10: 123");
        probe.watermark(100);
        assertThat(probe.fired()).containsExactly("10-20: 4");
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void mergedSessionsCountWhatNoneOfThemHasShown() throws Exception {
        WindowProbe probe = early(sessions(10), EarlyFiring.everyElements(3));
        probe.add(new Element(0, 1), new Element(20, 2));
        probe.add(10, 4);
        assertThat(probe.fired()).as("one each and the one between").containsExactly("0-30: 7");
    }

    @Test
    void windowShowsAResultSoLongAfterTheFirstElementThatWasNotShown() throws Exception {
        WindowProbe probe = early(tumbling(1_000), EarlyFiring.every(millis(100)));
        probe.clockMillis = 50;
        probe.add(0, 1);
        probe.clock(100);
        probe.add(1, 2);
        probe.clock(149);
        assertThat(probe.fired()).isEmpty();
        probe.clock(150);
        assertThat(probe.fired()).containsExactly("0-1000: 3");
        probe.clock(1_000);
        assertThat(probe.fired()).as("nothing new").isEmpty();
        probe.add(2, 4);
        probe.watermark(999);
        assertThat(probe.fired()).containsExactly("0-1000: 7");
        probe.clock(5_000);
        assertThat(probe.fired()).as("the result on time has shown it").isEmpty();
        probe.watermark(2_000);
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void mergedSessionsShowNothingAtTheTimesOfTheirParts() throws Exception {
        WindowProbe probe = early(sessions(1_000), EarlyFiring.every(millis(100)));
        probe.add(0, 1);
        probe.clockMillis = 60;
        probe.add(500, 2);
        probe.clock(159);
        assertThat(probe.fired()).isEmpty();
        probe.clock(160);
        assertThat(probe.fired()).containsExactly("0-1500: 3");
    }

    /** Puts out how many elements there are, and the first one's value. */
    private static final class Count extends ProcessWindowFunction<Element, WindowProbe.Fired, String> {
        @Override
        public void process(
                String key, Context context, Iterable<Element> elements, io.millrace.Collector<WindowProbe.Fired> out) {
            int count = 0;
            StringBuilder values = new StringBuilder(WindowProbe.text(context.window()));
            for (Element element : elements) {
                count++;
                values.append(' ').append(element.value());
            }
            assertThat(key).isEqualTo("k");
            assertThat(context.currentWatermark())
                    .isGreaterThanOrEqualTo(context.window().maxTimestamp());
            out.collect(new WindowProbe.Fired(values.toString(), count));
        }
    }

    private static WindowProbe buffered(WindowAssigner assigner, int elementsMax) {
        return new WindowProbe(assigner, false, (windowed, noting) -> windowed.process(new Count(), elementsMax));
    }

    private static List<String> rows(WindowProbe probe) {
        return probe.store.rows.keySet().stream()
                .map(row -> row.partitionKey())
                .sorted()
                .toList();
    }

    @Test
    void windowFunctionSeesAllElementsInTheirOrder() throws Exception {
        WindowProbe probe = buffered(tumbling(10), 3);
        probe.add(new Element(5, 1), new Element(3, 2), new Element(4, 3), new Element(11, 4));
        probe.watermark(9);
        assertThat(rows(probe)).containsExactly("0-10 1 2 3");
        probe.watermark(19);
        assertThat(rows(probe)).containsExactly("0-10 1 2 3", "10-20 4");
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void bufferedSessionsAreMergedByTheirStart() throws Exception {
        WindowProbe probe = buffered(sessions(10), 10);
        probe.add(new Element(20, 1), new Element(0, 2), new Element(10, 3));
        probe.watermark(100);
        assertThat(rows(probe)).containsExactly("0-30 2 1 3");
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void elementBeyondTheBoundOfItsWindowIsAPermanentFailure() throws Exception {
        WindowProbe probe = buffered(tumbling(10), 2);
        probe.add(new Element(1, 1), new Element(2, 2), new Element(11, 3));
        RecordFailure failure =
                Objects.requireNonNull(probe.run(new Element(3, 4)).failure());
        assertThat(failure.isPermanent()).isTrue();
        assertThat(failure.getCause())
                .isInstanceOf(UnacceptableException.class)
                .hasMessageContaining("1970-01-01T00:00:00Z/1970-01-01T00:00:00.010Z")
                .hasMessageContaining("more than 2 elements");
    }

    @Test
    void reducedWindowsHoldOneElement() throws Exception {
        WindowProbe probe = new WindowProbe(
                sessions(10),
                false,
                (windowed, noting) -> windowed.reduce((a, b) -> new Element(a.time(), a.value() * 10 + b.value()))
                        .map(element -> new WindowProbe.Fired("r" + element.value(), 0)));
        probe.add(new Element(0, 1), new Element(5, 2), new Element(20, 3));
        probe.add(12, 4);
        probe.watermark(100);
        assertThat(rows(probe)).containsExactly("r1234");
    }

    @Test
    void windowsOfAnAccumulatorInJsonReadAsText() throws Exception {
        WindowProbe probe = sums(tumbling(10));
        Unit unit = probe.add(5, 7).get(0);
        assertThat(unit.item().path("state").path("windows").toString())
                .isEqualTo("{\"1970-01-01T00:00:00Z/1970-01-01T00:00:00.010Z\":\"[7]\"}");
        assertThat(unit.item().path("timers").toString())
                .isEqualTo("{\"event:9:1970-01-01T00:00:00Z/1970-01-01T00:00:00.010Z\":0}");
    }

    @Test
    void boundsOfWindowsAreChecked() {
        assertThatThrownBy(() -> tumbling(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The size of a window is PT0S; PT0.001S to PT876000H are allowed.");
        assertThatThrownBy(() -> TumblingEventTimeWindows.of(millis(10), millis(10)))
                .hasMessage("The offset of windows is PT0.01S, but they begin each PT0.01S: an offset must be smaller,"
                        + " either way.");
        assertThatThrownBy(() -> SlidingEventTimeWindows.of(millis(10), millis(11)))
                .hasMessageContaining("leave gaps");
        assertThatThrownBy(() -> SlidingEventTimeWindows.of(millis(1_001), millis(1)))
                .hasMessageContaining("more than 1000");
        assertThat(SlidingEventTimeWindows.of(millis(1_000), millis(1)).assignWindows(5))
                .hasSize(1_000);
        assertThatThrownBy(() -> EventTimeSessionWindows.withGap(WindowAssigner.SIZE_MAX.plusMillis(1)))
                .hasMessageContaining("The gap between sessions");
        assertThatThrownBy(() -> EarlyFiring.everyElements(0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> EarlyFiring.every(Duration.ZERO)).hasMessageContaining("PT0.001S");
    }
}
