package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.Collector;
import io.millrace.OutputTag;
import io.millrace.StageStream;
import io.millrace.TimeDomain;
import io.millrace.internal.engine.WindowProbe.Element;
import io.millrace.internal.engine.WindowProbe.Fired;
import io.millrace.internal.engine.WindowProbe.Sum;
import io.millrace.sink.DynamoDbSink;
import io.millrace.window.EventTimeSessionWindows;
import io.millrace.window.ProcessWindowFunction;
import io.millrace.window.SlidingEventTimeWindows;
import io.millrace.window.TumblingEventTimeWindows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * What windows make of elements that they share, that come twice, or that meet a window which is over; expected values by
 * hand, as those of {@link WindowsTest}.
 */
class WindowElementsTest {
    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    private static List<String> rows(WindowProbe probe) {
        return probe.store.rows.keySet().stream()
                .filter(row -> row.table().equals("fired"))
                .map(row -> row.partitionKey())
                .sorted()
                .toList();
    }

    /** Elements 7 and 8 are both in 0-10 and in 5-15, where each sum is 1 + 2. */
    @Test
    void reduceThatChangesAnElementLeavesItsOtherWindowsAlone() throws Exception {
        SharedElementProbe probe = new SharedElementProbe(windowed -> windowed.reduce((sum, element) -> {
                    sum.value += element.value;
                    return sum;
                })
                .map(sum -> new Fired("sum " + sum.value, sum.value)));
        probe.add(7, 1);
        probe.add(8, 2);
        List<Integer> apart = probe.close();
        probe.addTogether(7, 1, 8, 2);
        assertThat(apart).containsExactly(3, 3);
        assertThat(probe.close()).as("in one batch").isEqualTo(apart);
    }

    @Test
    void windowFunctionThatChangesAnElementLeavesItsOtherWindowsAlone() throws Exception {
        SharedElementProbe probe = new SharedElementProbe(windowed -> windowed.allowedLateness(millis(100))
                .process(
                        new ProcessWindowFunction<SharedElementProbe.Mutable, Fired, String>() {
                            @Override
                            public void process(
                                    String key,
                                    Context context,
                                    Iterable<SharedElementProbe.Mutable> elements,
                                    Collector<Fired> out) {
                                for (SharedElementProbe.Mutable element : elements) {
                                    out.collect(new Fired(WindowProbe.text(context.window()), element.value));
                                    element.value = 0;
                                }
                            }
                        },
                        10));
        probe.watermark = 50;
        probe.add(7, 3);
        assertThat(probe.values()).as("both windows, complete already").containsExactly(3, 3);
    }

    /** An accumulator that keeps its first element, and adds the others to it. */
    @Test
    void accumulatorThatKeepsAnElementLeavesItsOtherWindowsAlone() throws Exception {
        SharedElementProbe probe = new SharedElementProbe(windowed ->
                windowed.aggregate(new SharedElementProbe.IntoFirst()).map(sum -> new Fired("sum " + sum, sum)));
        probe.addTogether(7, 1, 8, 2);
        assertThat(probe.close()).containsExactly(3, 3);
    }

    @Test
    void elementThatIsRepeatedIsInItsWindowOnce() throws Exception {
        WindowProbe probe = new WindowProbe(
                TumblingEventTimeWindows.of(millis(10)),
                false,
                keyed -> keyed.deduplicate(element -> element.time() + "/" + element.value(), Duration.ofHours(1)),
                (windowed, noting) -> windowed.aggregate(new Sum(), noting));
        probe.add(new Element(1, 1), new Element(2, 2), new Element(1, 1));
        probe.add(2, 2);
        probe.watermark(9);
        assertThat(probe.fired()).containsExactly("0-10: 3");
        probe.add(1, 1);
        assertThat(probe.late).as("a repetition is no late element").isZero();
    }

    /** Flink has purged 0-10 at 9, so what comes at 10 begins a session of its own. */
    @Test
    void sessionThatIsOverIsMergedWithNothingEvenIfItsTimerWasGivenUp() throws Exception {
        WindowProbe probe = WindowProbe.sums(EventTimeSessionWindows.withGap(millis(10)));
        probe.add(0, 1);
        probe.watermark = 9;
        Timer timer = probe.cell().time().timers().firstKey();
        DeadLetter letter = DeadLetter.ofTimer("events", "k", timer, "told to throw", 1, Instant.EPOCH);
        probe.store.commit(probe.engine.timerFailed(probe.cell(), timer, letter));
        probe.add(10, 2);
        probe.watermark(19);
        assertThat(probe.fired()).containsExactly("10-20: 2");

        probe.store.commit(probe.engine.timerRegistered(probe.cell(), timer));
        probe.watermark(19);
        assertThat(timer.domain()).isEqualTo(TimeDomain.EVENT_TIME);
        assertThat(probe.fired()).as("its timer, redriven").containsExactly("0-10: 1");
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void sessionsThatHoldMoreThanTheBoundTogetherAreAPermanentFailure() throws Exception {
        WindowProbe probe = buffered(10, 4);
        probe.add(new Element(0, 1), new Element(5, 2), new Element(20, 3), new Element(25, 4));
        RecordFailure failure =
                Objects.requireNonNull(probe.run(new Element(13, 5)).failure());
        assertThat(failure.isPermanent()).isTrue();
        assertThat(failure.getCause())
                .hasMessageContaining("1970-01-01T00:00:00Z/1970-01-01T00:00:00.035Z")
                .hasMessageContaining("more than 4 elements");

        WindowProbe enough = buffered(10, 5);
        enough.add(new Element(0, 1), new Element(5, 2), new Element(20, 3), new Element(25, 4), new Element(13, 5));
        enough.watermark(34);
        assertThat(rows(enough)).containsExactly("0-35 1 2 3 4 5");
    }

    /** Puts out the window and its elements' values. */
    private static final class Values extends ProcessWindowFunction<Element, Fired, String> {
        @Override
        public void process(String key, Context context, Iterable<Element> elements, Collector<Fired> out) {
            StringBuilder values = new StringBuilder(WindowProbe.text(context.window()));
            elements.forEach(element -> values.append(' ').append(element.value()));
            out.collect(new Fired(values.toString(), 0));
        }
    }

    private static WindowProbe buffered(long gap, int elementsMax) {
        return new WindowProbe(
                EventTimeSessionWindows.withGap(millis(gap)),
                false,
                (windowed, noting) -> windowed.process(new Values(), elementsMax));
    }

    @Test
    void windowFunctionSeesAllElementsAgainWithinTheLateness() throws Exception {
        WindowProbe probe = new WindowProbe(
                TumblingEventTimeWindows.of(millis(10)),
                false,
                (windowed, noting) -> windowed.allowedLateness(millis(5)).process(new Values(), 3));
        probe.add(new Element(1, 1), new Element(2, 2));
        probe.watermark(9);
        probe.add(3, 3);
        assertThat(rows(probe)).containsExactly("0-10 1 2", "0-10 1 2 3");
        probe.watermark(14);
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void windowFunctionSeesTheReducedElement() throws Exception {
        WindowProbe probe = new WindowProbe(
                SlidingEventTimeWindows.of(millis(10), millis(5)),
                false,
                (windowed, noting) ->
                        windowed.reduce((a, b) -> new Element(a.time(), a.value() * 10 + b.value()), new Values()));
        probe.add(new Element(6, 1), new Element(7, 2), new Element(12, 3));
        probe.watermark(100);
        assertThat(rows(probe)).containsExactly("0-10 12", "10-20 3", "5-15 123");
    }

    @Test
    void windowFunctionSeesBothTimesAndHasSideOutputs() throws Exception {
        OutputTag<Fired> tag = new OutputTag<>("times", Fired.class);
        List<String> times = new ArrayList<>();
        WindowProbe probe = new WindowProbe(
                TumblingEventTimeWindows.of(millis(10)), false, UnaryOperator.identity(), (windowed, noting) -> {
                    StageStream<Fired> stage =
                            windowed.aggregate(new Sum(), new ProcessWindowFunction<Integer, Fired, String>() {
                                @Override
                                public void process(
                                        String key, Context context, Iterable<Integer> sums, Collector<Fired> out) {
                                    times.add(context.currentWatermark() + " " + context.currentProcessingTime());
                                    context.output(tag, new Fired("side of " + key, 1));
                                }
                            });
                    stage.getSideOutput(tag).sinkTo(DynamoDbSink.rows("sides", Fired.class));
                    return stage;
                });
        probe.add(1, 1);
        probe.clockMillis = 777;
        probe.watermark(12);
        assertThat(times).containsExactly("12 777");
        assertThat(probe.store.rows.keySet())
                .extracting(row -> row.table() + ": " + row.partitionKey())
                .containsExactly("sides: side of k");
    }
}
