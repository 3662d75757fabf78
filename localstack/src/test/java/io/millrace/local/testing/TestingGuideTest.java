package io.millrace.local.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.aws.BatchReport;
import io.millrace.local.testing.HourlyMaxima.HourRow;
import io.millrace.local.testing.HourlyMaxima.Reading;
import io.millrace.local.testing.OrderTotals.Order;
import io.millrace.local.testing.OrderTotals.OrderTotal;
import io.millrace.local.testing.OrderTotals.Total;
import io.millrace.local.testing.Silence.SilentRow;
import io.millrace.time.WatermarkStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of the guide on testing, and that the guide shows them as they are here. */
class TestingGuideTest {
    private static final Path GUIDE = Path.of("../framework/docs/guides/testing.md");
    private static final Path THIS = Path.of("src/test/java/io/millrace/local/testing/TestingGuideTest.java");
    private static final Pattern EXAMPLES = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern FAILURE = Pattern.compile("```\n(The pipeline .*?)\n```", Pattern.DOTALL);

    @PipelineTest(OrderTotals.class)
    void ordersAreAddedUp(PipelineTestDriver driver) {
        driver.input("orders", Order.class).send(new Order("alice", 10), new Order("bob", 5), new Order("alice", 7));
        driver.run();
        assertThat(driver.rows("order-totals", OrderTotal.class))
                .containsExactly(new OrderTotal("alice", 2, 17), new OrderTotal("bob", 1, 5));
        assertThat(driver.state("add-up", "alice").value(OrderTotals.TOTAL)).isEqualTo(new Total(2, 17));
    }

    @Test
    void shards() {
        try (PipelineTestDriver driver = PipelineTestDriver.builder(OrderTotals::new)
                .shards(2)
                .batchSize(10)
                .build()) {
            TestInput<Order> orders = driver.input("orders", Order.class);
            orders.onShard(0).send(new Order("alice", 10));
            orders.onShard(1).send(new Order("alice", 7)).sendText("no order");
            driver.run();
            assertThat(driver.rows("order-totals", OrderTotal.class)).containsExactly(new OrderTotal("alice", 2, 17));
            assertThat(driver.deadLetters()).extracting(TestDeadLetter::kind).containsExactly("UNDECODABLE");
        }
    }

    @PipelineTest(OrderTotals.class)
    void aBadDay(PipelineTestDriver driver) {
        driver.input("orders", Order.class).send(new Order("alice", 10), new Order("alice", 7));
        driver.crashAfter("DynamoDB.TransactWriteItems");
        assertThat(driver.deliver().crashed()).isTrue();
        assertThat(driver.deliver().isDone()).isTrue();
        driver.redeliver();
        driver.input("orders", Order.class).send(new Order("alice", 1));
        driver.meetConflicts().run();
        assertThat(driver.count(BatchReport.Count.CONFLICTS)).isEqualTo(1);
        assertThat(driver.rows("order-totals", OrderTotal.class)).containsExactly(new OrderTotal("alice", 3, 18));
    }

    @PipelineTest(OrderTotals.class)
    void verified(PipelineTestDriver driver) {
        driver.verify(
                List.of(new Order("alice", 10), new Order("bob", 5), new Order("alice", -1), new Order("alice", 7)));
    }

    @PipelineTest(HourlyMaxima.class)
    void eventTime(PipelineTestDriver driver) {
        TestInput<Reading> readings = driver.input("readings", Reading.class);
        readings.send(new Reading("a", 5, Instant.parse("2026-01-31T08:10:00Z")));
        driver.run();
        assertThat(driver.rows("hourly-maxima")).isEmpty();
        readings.send(new Reading("a", 7, Instant.parse("2026-01-31T09:05:00Z")));
        driver.run();
        driver.tick();
        assertThat(driver.rows("hourly-maxima", HourRow.class))
                .containsExactly(new HourRow("a", "2026-01-31T08:00:00Z", 5));
        driver.crashAfter("DynamoDB.TransactWriteItems").endOfInput();
        assertThat(driver.rows("hourly-maxima")).hasSize(2);
        assertThat(driver.watermark()).isEqualTo(WatermarkStrategy.END_OF_INPUT);
    }

    @PipelineTest(Silence.class)
    void timersByTheClock(PipelineTestDriver driver) {
        driver.input("readings", Reading.class)
                .send(new Reading("a", 5, driver.clock().instant()));
        driver.run();
        driver.advance(Duration.ofMinutes(10)).tick();
        assertThat(driver.rows("silent-sensors", SilentRow.class))
                .containsExactly(new SilentRow("a", "2026-01-31T12:00:00.250Z"));
    }

    @Test
    void timersOfOneFunction() throws Exception {
        KeyedProcessFunctionTestHarness<String, Reading, SilentRow> harness =
                KeyedProcessFunctionTestHarness.of(new Silence.Watch(), Reading::sensor);
        harness.processElement(new Reading("a", 5, Instant.EPOCH));
        assertThat(harness.numProcessingTimeTimers()).isEqualTo(1);
        harness.setProcessingTime(600_000);
        assertThat(harness.extractOutputValues()).containsExactly(new SilentRow("a", "1970-01-01T00:00:00Z"));
    }

    @PipelineTest(CountingInField.class)
    void whatVerifySaysAboutACounterInAField(PipelineTestDriver driver) throws IOException {
        String shown = EXAMPLES.matcher(Files.readString(GUIDE)).replaceAll("");
        MatchResult failure = FAILURE.matcher(shown).results().findFirst().orElseThrow();
        assertThatThrownBy(() -> driver.verify(List.of(new Order("alice", 10), new Order("alice", 7))))
                .isInstanceOf(AssertionError.class)
                .hasMessage(failure.group(1));
    }

    @Test
    void oneFunction() throws Exception {
        KeyedProcessFunctionTestHarness<String, Order, OrderTotal> harness =
                KeyedProcessFunctionTestHarness.of(new OrderTotals.AddUp(), Order::customer);
        harness.processElements(new Order("alice", 10), new Order("alice", 7));
        assertThat(harness.extractOutputValues())
                .containsExactly(new OrderTotal("alice", 1, 10), new OrderTotal("alice", 2, 17));
        assertThat(harness.state("alice").value(OrderTotals.TOTAL)).isEqualTo(new Total(2, 17));
    }

    @Test
    void theGuideShowsTheseExamples() throws IOException {
        String code = withoutSpace(Files.readString(THIS));
        List<String> examples = EXAMPLES.matcher(Files.readString(GUIDE))
                .results()
                .map(example -> withoutSpace(example.group(1)))
                .toList();
        assertThat(examples).hasSize(8).allSatisfy(example -> assertThat(code).contains(example));
    }

    private static String withoutSpace(String text) {
        return Pattern.compile("\\s+").matcher(text).replaceAll("");
    }
}
