package io.millrace.local.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.local.testing.HourlyMaxima.HourRow;
import io.millrace.local.testing.HourlyMaxima.Reading;
import io.millrace.local.testing.Silence.SilentRow;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Event time, timers, ticks and changing shards in the test driver. */
class DriverTimeTest {
    private static final List<HourRow> EIGHT =
            List.of(new HourRow("a", "2026-01-31T08:00:00Z", 9), new HourRow("b", "2026-01-31T08:00:00Z", 2));

    private static Reading reading(String sensor, long value, String time) {
        return new Reading(sensor, value, Instant.parse("2026-01-31T" + time + "Z"));
    }

    private static List<HourRow> rows(PipelineTestDriver driver) {
        return driver.rows("hourly-maxima", HourRow.class);
    }

    private static void sendEight(PipelineTestDriver driver) {
        driver.input("readings", Reading.class)
                .send(reading("a", 5, "08:10:00"), reading("b", 2, "08:20:00"), reading("a", 9, "08:15:00"));
    }

    @PipelineTest(HourlyMaxima.class)
    void theEndOfTheInputClosesAllWindowsAndIsFinal(PipelineTestDriver driver) {
        assertThat(driver.watermark()).isEqualTo(WatermarkStrategy.NO_WATERMARK);
        sendEight(driver);
        driver.run();
        driver.tick();
        assertThat(driver.watermark())
                .isEqualTo(Instant.parse("2026-01-31T08:15:00Z").toEpochMilli() - 1);
        assertThat(rows(driver)).isEmpty();

        assertThat(driver.endOfInput()).singleElement().satisfies(attempt -> {
            assertThat(attempt.isComplete()).isTrue();
            assertThat(attempt.timersFired()).isEqualTo(2);
            assertThat(attempt).asString().startsWith("tick of stage 'maxima': watermark");
        });
        assertThat(driver.watermark()).isEqualTo(WatermarkStrategy.END_OF_INPUT);
        assertThat(rows(driver)).isEqualTo(EIGHT);

        driver.input("readings", Reading.class).send(reading("a", 10, "23:00:00"));
        driver.run();
        driver.endOfInput();
        assertThat(rows(driver)).isEqualTo(EIGHT);
        assertThat(driver.count(io.millrace.aws.BatchReport.Count.LATE)).isEqualTo(1);
    }

    @PipelineTest(HourlyMaxima.class)
    void anInputThatIsNotDeliveredDoesNotEnd(PipelineTestDriver driver) {
        sendEight(driver);
        assertThatThrownBy(driver::endOfInput)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("The input of stage 'maxima' does not end, though it was tried 10 times in a row")
                .hasMessageContaining("Deliver all records by run() first");
        assertThat(driver.watermark()).isEqualTo(WatermarkStrategy.NO_WATERMARK);
    }

    @PipelineTest(HourlyMaxima.class)
    void aTickThatCrashesAnywhereIsMadeUpForByTheNextOnes(PipelineTestDriver driver) {
        driver.input("readings", Reading.class).send(reading("a", 5, "08:10:00"));
        driver.run();
        int requests = driver.endOfInput().get(0).requests().size();
        assertThat(requests).isGreaterThan(5);
        for (int request = 1; request <= requests; request++) {
            for (boolean after : List.of(false, true)) {
                try (PipelineTestDriver again = PipelineTestDriver.of(HourlyMaxima::new)) {
                    sendEight(again);
                    again.run();
                    List<TestTick> attempts = after
                            ? again.crashAfterRequest(request).endOfInput()
                            : again.crashBeforeRequest(request).endOfInput();
                    assertThat(attempts.get(0).crashed()).isTrue();
                    assertThat(attempts.get(0).report()).isNull();
                    assertThat(attempts.get(0).requests()).hasSize(request);
                    assertThat(rows(again))
                            .as("request %d, after: %s", request, after)
                            .isEqualTo(EIGHT);
                }
            }
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> driver.crashBeforeRequest(10_000).tick())
                .withMessageStartingWith("The invocation should have crashed before request 10000");
    }

    @PipelineTest(HourlyMaxima.class)
    void timersThatMeetAnotherWriterFireOnce(PipelineTestDriver driver) {
        sendEight(driver);
        driver.run();
        driver.meetConflicts().endOfInput();
        assertThat(rows(driver)).isEqualTo(EIGHT);
    }

    @PipelineTest(Silence.class)
    void timersByTheClockFireInATickWhenTheTimeIsMoved(PipelineTestDriver driver) {
        driver.input("readings", Reading.class).send(reading("a", 5, "08:10:00"), reading("b", 5, "08:10:00"));
        driver.run();
        driver.advance(Duration.ofMinutes(9)).tick();
        driver.input("readings", Reading.class).send(reading("b", 5, "08:10:00"));
        driver.run();
        assertThat(driver.rows("silent-sensors")).isEmpty();
        driver.advance(Duration.ofMinutes(1));
        assertThat(driver.tick())
                .singleElement()
                .satisfies(tick -> assertThat(tick.timersFired()).isEqualTo(1));
        assertThat(driver.rows("silent-sensors", SilentRow.class))
                .containsExactly(new SilentRow("a", "2026-01-31T12:00:00.250Z"));
        assertThatIllegalStateException()
                .isThrownBy(driver::watermark)
                .withMessageContaining(
                        "so there is no single watermark. assignTimestampsAndWatermarks gives a stage one");
        assertThat(driver.endOfInput()).isEmpty();
    }

    /** The readings of the parents are late for nothing, and no window closes before the children have caught up. */
    @Test
    void shardsThatAreSplitAndMergedKeepTheirWatermark() {
        try (PipelineTestDriver driver =
                PipelineTestDriver.builder(HourlyMaxima::new).shards(2).build()) {
            TestInput<Reading> readings = driver.input("readings", Reading.class);
            readings.onShard(0).send(reading("a", 5, "08:50:00"));
            readings.onShard(1).send(reading("a", 6, "08:58:00"));
            driver.splitShard("readings", 0);
            assertThatIllegalStateException()
                    .isThrownBy(() -> readings.onShard(0).send(reading("a", 1, "08:00:00")))
                    .withMessageContaining("was split or merged and takes no records any more");
            readings.onShard(2).send(reading("a", 7, "09:30:00"));
            driver.run();
            driver.tick();
            assertThat(rows(driver)).as("shard 3 has shown nothing yet").isEmpty();

            readings.onShard(3).send(reading("b", 2, "09:40:00"));
            driver.mergeShards("readings", 3, 1);
            readings.onShard(4).send(reading("b", 3, "10:10:00"));
            readings.onShard(2).send(reading("a", 8, "10:20:00"));
            driver.run();
            driver.tick();
            driver.tick();
            assertThat(driver.watermark())
                    .isEqualTo(Instant.parse("2026-01-31T10:05:00Z").toEpochMilli() - 1);
            assertThat(rows(driver))
                    .containsExactly(
                            new HourRow("a", "2026-01-31T08:00:00Z", 6),
                            new HourRow("a", "2026-01-31T09:00:00Z", 7),
                            new HourRow("b", "2026-01-31T09:00:00Z", 2));
            assertThat(driver.count(io.millrace.aws.BatchReport.Count.LATE)).isZero();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.splitShard("readings", 0))
                    .withMessageStartingWith("The stream 'readings' has no open shard 0; of its 5 shards");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.splitShard("writings", 0))
                    .withMessageContaining("does not read the stream 'writings'");
        }
    }

    @PipelineTest(HourlyMaxima.class)
    void windowsEndTheSameAtEveryCrashPoint(PipelineTestDriver driver) {
        VerificationReport report = driver.verification()
                .records(
                        "readings",
                        List.of(
                                reading("a", 5, "08:10:00"),
                                reading("b", 2, "08:57:00"),
                                reading("a", 9, "08:55:00"),
                                reading("a", 1, "09:10:00"),
                                reading("b", 4, "11:00:00")))
                .runsMax(80)
                .run();
        assertThat(report.runs()).isEqualTo(80);
    }

    /** With one batch all are on time; one by one the third is late. */
    @PipelineTest(HourlyMaxima.class)
    void lateElementsDependOnTheBatchesWhichTheVerificationSaysOrTakesIntoAccount(PipelineTestDriver driver) {
        List<Reading> readings =
                List.of(reading("a", 5, "08:10:00"), reading("a", 2, "09:30:00"), reading("a", 9, "08:20:00"));
        assertThatThrownBy(() -> driver.verification()
                        .records("readings", readings)
                        .runsMax(30)
                        .run())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Run: batches of 1.")
                .hasMessageContaining("withLateElements() takes that into account");
        driver.verification()
                .records("readings", readings)
                .withLateElements()
                .runsMax(30)
                .run();
    }
}
