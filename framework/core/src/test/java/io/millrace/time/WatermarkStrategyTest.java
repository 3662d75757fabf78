package io.millrace.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What watermarks come of event times, by Flink's arithmetic. */
class WatermarkStrategyTest {
    private static final Instant ARRIVAL = Instant.ofEpochMilli(1_000_000);

    /** Flink's BoundedOutOfOrdernessWatermarks: the highest time stamp minus the bound minus one. */
    @Test
    void boundedWatermarkIsTheHighestTimeLessTheBoundLessOne() {
        WatermarkStrategy<Long> strategy = WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(500));
        assertThat(strategy.watermarkOf(10_000)).isEqualTo(9_499);
        assertThat(strategy.watermarkOf(WatermarkStrategy.NO_WATERMARK)).isEqualTo(WatermarkStrategy.NO_WATERMARK);
        assertThat(strategy.watermarkOf(Long.MIN_VALUE + 500)).isEqualTo(WatermarkStrategy.NO_WATERMARK);
        assertThat(strategy.watermarkOf(Long.MIN_VALUE + 502)).isEqualTo(Long.MIN_VALUE + 1);
    }

    @Test
    void monotonousWatermarkIsTheHighestTimeLessOne() {
        assertThat(WatermarkStrategy.forMonotonousTimestamps().watermarkOf(10_000))
                .isEqualTo(9_999);
    }

    @Test
    void noWatermarksGiveNone() {
        assertThat(WatermarkStrategy.noWatermarks().watermarkOf(10_000)).isEqualTo(WatermarkStrategy.NO_WATERMARK);
    }

    @Test
    void eventTimeIsTheArrivalUnlessItIsAssigned() {
        WatermarkStrategy<Long> plain = WatermarkStrategy.forMonotonousTimestamps();
        assertThat(plain.timestampOf(5L, ARRIVAL)).isEqualTo(1_000_000);
        assertThat(plain.withTimestampAssigner((element, arrival) -> element + arrival)
                        .timestampOf(5L, ARRIVAL))
                .isEqualTo(1_000_005);
        assertThat(plain.withTimestampAssigner(element -> Instant.ofEpochSecond(element))
                        .timestampOf(5L, ARRIVAL))
                .isEqualTo(5_000);
    }

    @Test
    void assignerThatGivesNothingIsToldSo() {
        WatermarkStrategy<String> strategy = WatermarkStrategy.<String>forMonotonousTimestamps()
                .withTimestampAssigner(text -> text.isEmpty() ? Instant.MAX : Instant.EPOCH);
        assertThatThrownBy(() -> strategy.timestampOf("", ARRIVAL)).hasMessageContaining("beyond what milliseconds");
    }

    @Test
    void futureBeginsBehindTheAllowance() {
        WatermarkStrategy<Long> strategy =
                WatermarkStrategy.<Long>forMonotonousTimestamps().withFutureAllowance(Duration.ofMillis(10));
        assertThat(strategy.isFuture(1_000_010, ARRIVAL)).isFalse();
        assertThat(strategy.isFuture(1_000_011, ARRIVAL)).isTrue();
        assertThat(WatermarkStrategy.forMonotonousTimestamps().isFuture(1_000_000 + 3_600_001, ARRIVAL))
                .isTrue();
    }

    @Test
    void durationsOutOfTheirBoundsAreRefused() {
        assertThatThrownBy(() -> WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The bound of the out-of-orderness is PT-0.001S; PT0S to PT876000H are allowed.");
        assertThatThrownBy(() -> WatermarkStrategy.forMonotonousTimestamps().withIdleness(Duration.ZERO))
                .hasMessageContaining("PT0.001S to");
        assertThatThrownBy(() -> WatermarkStrategy.forMonotonousTimestamps()
                        .withFutureAllowance(WatermarkStrategy.DURATION_MAX.plusMillis(1)))
                .hasMessageContaining("future");
    }

    @Test
    void clockMovesOnlyShardsThatCanBeIdle() {
        WatermarkStrategy<Long> strategy = WatermarkStrategy.forMonotonousTimestamps();
        assertThatThrownBy(strategy::advanceWithClockWhenIdle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("withIdleness");
        WatermarkStrategy<Long> idle =
                strategy.withIdleness(Duration.ofSeconds(1)).advanceWithClockWhenIdle();
        assertThat(idle.advancesWithClockWhenIdle()).isTrue();
        assertThat(idle.idleness()).isEqualTo(Duration.ofSeconds(1));
        assertThat(strategy.idleness()).isNull();
    }
}
