package io.millrace.functions.visits;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.PipelineDefinition;
import io.millrace.local.testing.PipelineTest;
import io.millrace.local.testing.PipelineTestDriver;
import io.millrace.local.testing.TestInput;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class VisitsTest {
    private static Click click(String user, String page, String time) {
        return new Click(user, page, Instant.parse("2025-11-02T" + time + "Z"));
    }

    private static VisitRow row(String user, String start, String end, long clicks, String entryPage, String exitPage) {
        return new VisitRow(user, "2025-11-02T" + start + "Z", "2025-11-02T" + end + "Z", clicks, entryPage, exitPage);
    }

    @Test
    void thePipelineIsFoundByItsName() {
        assertThat(ServiceLoader.load(PipelineDefinition.class))
                .anySatisfy(definition -> assertThat(definition.name()).isEqualTo("visits"));
    }

    /** The click at 8:25 joins the one at 8:00 and the one at 8:55, which were visits of their own until it came. */
    @PipelineTest(value = Visits.class, shards = 2)
    void aDelayedClickJoinsTwoVisits(PipelineTestDriver driver) {
        TestInput<Click> clicks = driver.input(Visits.STREAM, Click.class);
        clicks.onShard(0).send(click("ada", "/", "08:00:00"), click("ada", "/basket", "08:55:00"));
        clicks.onShard(1).send(click("ada", "/search", "08:25:00"), click("ada", "/help", "09:25:01"));
        driver.run();
        driver.endOfInput();
        assertThat(driver.rows(Visits.TABLE, VisitRow.class))
                .containsExactly(
                        row("ada", "08:00:00", "08:55:00", 3, "/", "/basket"),
                        row("ada", "09:25:01", "09:25:01", 1, "/help", "/help"));
    }

    /** Over when the watermark has passed the pause behind the last click: at 8:00 + 30 minutes + 5 minutes of delay. */
    @PipelineTest(Visits.class)
    void aVisitIsWrittenWhenNoClickCanComeForItAnyMore(PipelineTestDriver driver) {
        TestInput<Click> clicks = driver.input(Visits.STREAM, Click.class);
        clicks.send(click("ada", "/", "08:00:00"), click("ben", "/", "08:34:59.999"));
        driver.run();
        driver.tick();
        assertThat(driver.rows(Visits.TABLE)).isEmpty();

        clicks.send(click("ben", "/help", "08:35:00"));
        driver.run();
        driver.tick();
        assertThat(driver.rows(Visits.TABLE, VisitRow.class))
                .containsExactly(row("ada", "08:00:00", "08:00:00", 1, "/", "/"));
    }

    @PipelineTest(Visits.class)
    void visitsAreTheSameWhateverCrashes(PipelineTestDriver driver) {
        driver.verification()
                .records(
                        Visits.STREAM,
                        List.of(
                                click("ada", "/", "08:00:00"),
                                click("ben", "/", "08:20:00"),
                                click("ada", "/search", "08:21:00"),
                                click("ada", "/help", "08:19:00"),
                                click("ben", "/basket", "09:10:00"),
                                click("ada", "/", "09:09:00"),
                                click("ben", "/checkout", "10:00:00")))
                .runsMax(150)
                .run();
    }

    @Test
    void theSampleIsTheSameEachTimeAndNoClickIsTooLate() {
        List<Click> clicks = SampleClicks.all();
        assertThat(clicks).isEqualTo(SampleClicks.all()).hasSizeGreaterThan(5_000);
        assertThat(clicks.stream().map(Click::user).distinct()).hasSize(SampleClicks.USERS);
        Instant latest = Instant.MIN;
        Duration behindMax = Duration.ZERO;
        for (Click click : clicks) {
            latest = click.time().isAfter(latest) ? click.time() : latest;
            Duration behind = Duration.between(click.time(), latest);
            behindMax = behind.compareTo(behindMax) > 0 ? behind : behindMax;
        }
        assertThat(behindMax).isBetween(Duration.ofMinutes(4), Visits.OUT_OF_ORDERNESS);
    }
}
