package io.millrace.local.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.Collector;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.MapFunction;
import io.millrace.PipelineDefinition;
import io.millrace.local.testing.OrderTotals.Order;
import io.millrace.local.testing.OrderTotals.OrderTotal;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PipelineVerificationTest {
    private static final List<Order> ORDERS = orders(20);
    private static final List<Order> FEW = orders(4);

    /** Orders of three customers in turns. */
    private static List<Order> orders(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Order("customer-" + i % 3, i))
                .toList();
    }

    private static VerificationReport verify(Supplier<? extends PipelineDefinition> definitions, List<Order> orders) {
        try (PipelineTestDriver driver = PipelineTestDriver.of(definitions)) {
            return driver.verify(orders);
        }
    }

    private static String failureOf(Supplier<? extends PipelineDefinition> definitions, List<Order> orders) {
        try {
            verify(definitions, orders);
        } catch (AssertionError e) {
            return String.valueOf(e.getMessage());
        }
        throw new IllegalStateException("the verification found nothing");
    }

    @Test
    void aPipelineThatKeepsAllInStateIsVerifiedAtEveryCrashPoint() {
        VerificationReport report = verify(OrderTotals::new, ORDERS);
        System.out.println("Verified 20 records: " + report);
        assertThat(report.isSampled()).isFalse();
        assertThat(report.runs()).isBetween(60, PipelineVerification.RUNS_MAX);
        assertThat(report.invocations()).isGreaterThan(500);
        assertThat(report).asString().endsWith("AWS requests, every crash point among them");
    }

    @Test
    void aCounterInAFieldIsFoundAndNamed() {
        assertThat(failureOf(CountingInField::new, List.of(new Order("alice", 10), new Order("alice", 7))))
                .isEqualTo("""
                        The pipeline 'counting-in-field' does not end as its undisturbed run does.
                        Run: one batch, each of which meets another writer before each of its commits, and runs again.
                          the row {"customer":"alice"} of table 'order-counts': expected {"cents":7,"customer":"alice","orders":2}, but was {"cents":7,"customer":"alice","orders":4}
                        Likely cause: user code keeps something outside of state: what a retry finds, or a new process does not find, was changed in counter of io.millrace.local.testing.CountingInField$Count. Keep it in state, registered in open().""");
    }

    @Test
    void aFieldThatOnlyAWarmRetryFindsIsFoundWithTheCrashThatShowsIt() {
        String failure = failureOf(Pipelines.processing(SkippingWhatItHasSeen::new), FEW);
        assertThat(failure)
                .contains("was changed in seen of io.millrace.local.testing.PipelineVerificationTest"
                        + "$SkippingWhatItHasSeen");
        assertThat(failure).contains("the row {\"customer\":\"customer-0\"} of table 'results': expected ");
    }

    @Test
    void aCrashIsToldWithItsRequestAndItsBatch() {
        assertThat(failureOf(Pipelines.processing(FailingOnceAnOrder::new, ErrorPolicy.deadLetter()), FEW))
                .contains("\nRun: one batch, the first delivery of batch 1 of them ended ")
                .containsPattern("ended (before|after) AWS request [0-9]+ \\((DynamoDB|Kinesis)\\.[A-Za-z]+\\), and the"
                        + " same function instance got the batch again\\.")
                .contains("the dead letter of stage 'process', key 'customer-0', payload"
                        + " '{\"customer\":\"customer-0\",\"cents\":0}': expected there, but was nothing");
    }

    @Test
    void aFieldThatANewProcessDoesNotFindIsFound() {
        assertThat(failureOf(Pipelines.processing(CallingTheFirstOrderFirst::new), FEW))
                .contains("Run: one batch, each of which meets another writer")
                .contains("was changed in first of ");
        assertThat(failureOf(Pipelines.mapping(NumberingOrders::new), FEW)).contains("was changed in number of ");
    }

    @Test
    void fieldsOfWhatAFunctionHoldsAreLookedAtToo() {
        assertThat(failureOf(
                        Pipelines.processing(() -> {
                            AtomicLong captured = new AtomicLong();
                            return new CountingBy(captured::incrementAndGet);
                        }),
                        FEW))
                .contains("outside of state: what a retry finds, or a new process does not find, was changed in what a"
                        + " lambda in io.millrace.local.testing.PipelineVerificationTest holds. Keep it");
    }

    @Test
    void aPipelineThatDoesNotRepeatItselfIsNamed() {
        assertThat(failureOf(Pipelines.processing(CountingInAStaticField::new), FEW))
                .startsWith("The pipeline 'orders-test' cannot be verified: two undisturbed runs over the same records"
                        + " end differently.\n  the row {\"customer\":\"customer-0\"} of table 'results': expected ")
                .endsWith(
                        "\nLikely cause: user code uses a clock, random numbers, static fields or something outside of"
                                + " the pipeline. In the undisturbed run it changed the static field count of"
                                + " io.millrace.local.testing.PipelineVerificationTest$CountingInAStaticField. Pass in what it"
                                + " uses, so that a test can decide it.");
    }

    @Test
    void whatNoFieldExplainsIsSaid() {
        assertThat(failureOf(Pipelines.processing(CountingElsewhere::new), FEW))
                .contains("although no field that was looked at has changed: look for caches, files and services.");
    }

    @Test
    void deadLettersAreComparedByContent() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            VerificationReport report = driver.verification()
                    .records("orders", List.of(new Order("alice", 10), new Order("alice", -1)))
                    .bytes("orders", "no order".getBytes(StandardCharsets.UTF_8))
                    .records("orders", List.of(new Order("bob", 5), new Order("alice", 1)))
                    .run();
            assertThat(report.isSampled()).isFalse();
        }
    }

    @Test
    void stateOfManyStagesAndStreamsIsVerified() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(Pipelines.sizesOfTwoStreams())) {
            VerificationReport report = driver.verification()
                    .records("shop", FEW)
                    .records("web", orders(6))
                    .acrossShards(2)
                    .run();
            assertThat(report.isSampled()).isFalse();
        }
    }

    @Test
    void recordsOfOneKeyOnSeveralShardsShowWhatDependsOnTheirOrder() {
        List<Order> orders =
                IntStream.range(0, 9).mapToObj(i -> new Order("alice", i)).toList();
        try (PipelineTestDriver driver = PipelineTestDriver.of(Pipelines.reducing((before, order) -> order))) {
            PipelineVerification oneShard =
                    driver.verification().records("orders", orders).runsMax(60);
            assertThat(oneShard.run().runs()).isPositive();
            assertThatThrownBy(() -> oneShard.acrossShards(2).run())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("Run: batches of 1.\n")
                    .hasMessageContaining("\nThe records lie on 2 shards, so each run has them in another order: if it"
                            + " passes on one shard, the results depend on the order across shards.\nLikely cause: ");
        }
        try (PipelineTestDriver driver = PipelineTestDriver.of(
                Pipelines.reducing((before, order) -> new Order(order.customer(), before.cents() + order.cents())))) {
            driver.verification()
                    .records("orders", orders)
                    .acrossShards(2)
                    .runsMax(60)
                    .run();
        }
    }

    @Test
    void moreRunsThanTheBoundAreASampleAndTheReportSaysSo() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            VerificationReport report = driver.verification()
                    .records("orders", FEW)
                    .runsMax(40)
                    .seed(7)
                    .run();
            assertThat(report.isSampled()).isTrue();
            assertThat(report.runs()).isEqualTo(40);
            assertThat(report.seed()).isEqualTo(7);
            assertThat(report)
                    .asString()
                    .contains(", drawn by seed 7 from the " + report.runsPossible()
                            + " that would cover every crash point; raise runsMax(...) for all");
        }
    }

    @Test
    void anUndisturbedRunThatDoesNotEndIsNamed() {
        assertThat(failureOf(
                        Pipelines.processing(() -> new CountingBy(() -> {
                            throw new IllegalStateException("never");
                        })),
                        FEW))
                .startsWith("The pipeline 'orders-test' cannot be verified: its undisturbed run does not end. stage"
                        + " 'process' on shard 0 of stream 'orders' does not get past record 0");
    }

    @Test
    void aRunThatDoesNotEndIsADifference() {
        assertThat(failureOf(Pipelines.processing(ThrowingWhenItRunsAgain::new), FEW))
                .startsWith("The pipeline 'orders-test' does not end as its undisturbed run does.\nRun: one batch, each"
                        + " of which meets another writer before each of its commits, and runs again.\n  stage 'process'"
                        + " on shard 0 of stream 'orders' does not get past record ")
                .contains("was changed in seen of ");
    }

    @Test
    void whatCannotBeVerifiedIsRefused() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> driver.verify(List.of()))
                    .withMessage("There are no records to verify the pipeline 'order-totals' with. Pass some that touch"
                            + " all its code.");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.verification().bytes("mail", new byte[0]))
                    .withMessage("The pipeline 'order-totals' does not read the stream 'mail'; it reads [orders].");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.verify(List.of("text")))
                    .withMessageStartingWith("The record text of java.lang.String cannot be written by the serde"
                            + " 'json:io.millrace.local.testing.OrderTotals$Order' of the stream 'orders': ");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.verification().runsMax(0))
                    .withMessage("runsMax(0): at least 1 is needed");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.verification().acrossShards(0))
                    .withMessage("acrossShards(0): 1 to 100 are allowed");
        }
    }

    /** Passes over an order that it has seen already, by a field. */
    private static final class SkippingWhatItHasSeen extends KeyedProcessFunction<String, Order, OrderTotal> {
        private final Set<Order> seen = new HashSet<>();

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            if (seen.add(order)) {
                out.collect(new OrderTotal(ctx.getCurrentKey(), 1, order.cents()));
            }
        }
    }

    /** Throws at an order that it has seen already. */
    private static final class ThrowingWhenItRunsAgain extends KeyedProcessFunction<String, Order, OrderTotal> {
        private final Set<Order> seen = new HashSet<>();

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            if (!seen.add(order)) {
                throw new IllegalStateException("seen before");
            }
        }
    }

    /** Throws at each order the first time. */
    private static final class FailingOnceAnOrder extends KeyedProcessFunction<String, Order, OrderTotal> {
        private final Set<Order> seen = new HashSet<>();

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            if (seen.add(order)) {
                throw new IllegalStateException("not yet");
            }
        }
    }

    /** Marks the first order of a process. */
    private static final class CallingTheFirstOrderFirst extends KeyedProcessFunction<String, Order, OrderTotal> {
        private boolean first = true;

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            out.collect(new OrderTotal(ctx.getCurrentKey() + (first ? "-first" : ""), 1, order.cents()));
            first = false;
        }
    }

    /** Numbers the orders before their key. */
    private static final class NumberingOrders implements MapFunction<Order, Order> {
        private int number;

        @Override
        public Order map(Order order) {
            return new Order(order.customer(), ++number);
        }
    }

    private static final class CountingInAStaticField extends KeyedProcessFunction<String, Order, OrderTotal> {
        private static long count;

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            out.collect(new OrderTotal(ctx.getCurrentKey(), next(), order.cents()));
        }

        private static long next() {
            return ++count;
        }
    }

    /** Where something is counted that is no field of a function. */
    private static final class Elsewhere {
        private static long count;

        private static long next() {
            return ++count;
        }
    }

    private static final class CountingElsewhere extends KeyedProcessFunction<String, Order, OrderTotal> {
        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            out.collect(new OrderTotal(ctx.getCurrentKey(), Elsewhere.next(), order.cents()));
        }
    }

    private static final class CountingBy extends KeyedProcessFunction<String, Order, OrderTotal> {
        private final Supplier<Long> counter;

        private CountingBy(Supplier<Long> counter) {
            this.counter = counter;
        }

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            out.collect(new OrderTotal(ctx.getCurrentKey(), counter.get(), order.cents()));
        }
    }
}
