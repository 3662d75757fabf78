package io.millrace.local.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.LaneGapException;
import io.millrace.local.testing.OrderTotals.Order;
import io.millrace.local.testing.OrderTotals.OrderTotal;
import io.millrace.local.testing.OrderTotals.Total;
import io.millrace.serde.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PipelineTestDriverTest {
    private static final Order ALICE_10 = new Order("alice", 10);
    private static final Order ALICE_7 = new Order("alice", 7);
    private static final Order BOB_5 = new Order("bob", 5);

    @Test
    void recordsBecomeRowsAndState() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10, BOB_5, ALICE_7);
            List<Delivery> deliveries = driver.run();

            assertThat(deliveries).hasSize(1).allMatch(Delivery::isDone);
            assertThat(driver.rows("order-totals", OrderTotal.class))
                    .containsExactly(new OrderTotal("alice", 2, 17), new OrderTotal("bob", 1, 5));
            assertThat(driver.rows("order-totals"))
                    .containsExactly(
                            Map.of("customer", "alice", "orders", 2L, "cents", 17L),
                            Map.of("customer", "bob", "orders", 1L, "cents", 5L));
            KeyState alice = driver.state("add-up", "alice");
            assertThat(alice.value(OrderTotals.TOTAL)).isEqualTo(new Total(2, 17));
            assertThat(alice.json("total").path("cents").asLong()).isEqualTo(17);
            assertThat(alice.names()).containsExactly("total");
            assertThat(driver.state("add-up", "carol").isEmpty()).isTrue();
            assertThat(driver.keys("add-up")).containsExactly("alice", "bob");
            assertThat(driver.count(Count.ROW_WRITES)).isEqualTo(2);
        }
    }

    @Test
    void mapStateAndTypedKeysAreRead() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(Pipelines.sizesOfTwoStreams())) {
            driver.input("shop", Order.class).send(ALICE_7, new Order("bob", 7), BOB_5);
            driver.input("web", Json.of(Order.class)).send(ALICE_10);
            driver.run();

            assertThat(driver.state("shop-sizes", 7L).map(Pipelines.BY_SIZE)).containsExactly(entry(7L, 2L));
            assertThat(driver.state("shop-sizes", 7L).json("by-size").toString())
                    .isEqualTo("{\"7\":2}");
            assertThat(driver.state("shop-sizes", 8L).map(Pipelines.BY_SIZE)).isEmpty();
            assertThat(driver.state("web-sizes", "alice")
                            .get(context -> context.getMapState(Pipelines.BY_SIZE))
                            .get(10L))
                    .isEqualTo(1);
            assertThat(driver.rows("shop-results")).hasSize(2);
            assertThat(driver.rows("web-results")).hasSize(1);
        }
    }

    @Test
    void aTestDecidesWhatEachShardDeliversWhen() {
        try (PipelineTestDriver driver = PipelineTestDriver.builder(OrderTotals::new)
                .shards(3)
                .batchSize(2)
                .build()) {
            TestInput<Order> orders = driver.input("orders", Order.class);
            orders.send(ALICE_10).onShard(2).send(ALICE_7, BOB_5, BOB_5);
            TestLane lane = driver.lane("add-up", 2);

            assertThat(lane.deliver().to()).isEqualTo(2);
            assertThat(driver.rows("order-totals", OrderTotal.class))
                    .containsExactly(new OrderTotal("alice", 1, 7), new OrderTotal("bob", 1, 5));
            assertThat(lane.backlog()).isEqualTo(1);
            assertThat(driver.lane("add-up", 0).backlog()).isEqualTo(1);
            assertThat(lane.deliver(1).isDone()).isTrue();
            assertThat(driver.deliver().lane().shard()).isZero();
            assertThat(driver.rows("order-totals", OrderTotal.class))
                    .containsExactly(new OrderTotal("alice", 2, 17), new OrderTotal("bob", 2, 10));
        }
    }

    @Test
    void aPartitionKeyDecidesTheShardAsForAProducer() {
        try (PipelineTestDriver driver =
                PipelineTestDriver.builder(OrderTotals::new).shards(4).build()) {
            TestInput<Order> orders =
                    driver.input("orders", Order.class).partitionedBy(order -> "customer-" + order.cents() % 50);
            orders.sendAll(LongStream.range(0, 50)
                    .mapToObj(cents -> new Order("alice", cents))
                    .toList());
            assertThat(List.of(0, 1, 2, 3))
                    .allSatisfy(shard ->
                            assertThat(driver.lane("add-up", shard).size()).isPositive());
            driver.run();
            assertThat(driver.rows("order-totals", OrderTotal.class))
                    .containsExactly(new OrderTotal("alice", 50, 1225));
        }
    }

    @Test
    void whatCannotBeDecodedAndWhatThrowsBecomesADeadLetter() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class)
                    .sendText("no order")
                    .send(new Order("bob", -1), BOB_5)
                    .sendBytes(new byte[] {(byte) 0xff, (byte) 0xfe});
            driver.run();

            List<TestDeadLetter> letters = driver.deadLetters();
            assertThat(letters).hasSize(3);
            TestDeadLetter undecodable = letters.get(0);
            assertThat(undecodable.kind()).isEqualTo("UNDECODABLE");
            assertThat(undecodable.payloadText()).isEqualTo("no order");
            assertThat(undecodable.key()).isNull();
            TestDeadLetter thrown = letters.get(1);
            assertThat(thrown.kind()).isEqualTo("FUNCTION_THREW");
            assertThat(thrown.stage()).isEqualTo("add-up");
            assertThat(thrown.key()).isEqualTo("bob");
            assertThat(thrown.attempts()).isEqualTo(3);
            assertThat(thrown.status()).isEqualTo("open");
            assertThat(thrown.lane()).isEqualTo("orders/shardId-000000000000");
            assertThat(thrown)
                    .hasToString(
                            "FUNCTION_THREW of stage 'add-up', key bob, payload"
                                    + " '{\"customer\":\"bob\",\"cents\":-1}': java.lang.IllegalArgumentException: an order of -1 cents");
            assertThat(letters.get(2).payload()).containsExactly(0xff, 0xfe);
            assertThat(driver.rows("order-totals", OrderTotal.class)).containsExactly(new OrderTotal("bob", 1, 5));
        }
    }

    @Test
    void aLargePayloadOfADeadLetterIsPutTogether() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            String large = "x".repeat(700_000);
            driver.input("orders", Order.class).sendText(large);
            driver.run();
            assertThat(driver.deadLetters())
                    .hasSize(1)
                    .first()
                    .satisfies(letter -> assertThat(letter.payloadText()).isEqualTo(large));
        }
    }

    @Test
    void aCrashBeforeTheCommitLeavesNothingAndTheBatchIsDeliveredAgain() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10);
            driver.crashBefore("DynamoDB.TransactWriteItems");
            Delivery crashed = driver.deliver();

            assertThat(crashed.crashed()).isTrue();
            assertThat(crashed.isDone()).isFalse();
            assertThat(crashed.error()).isNull();
            assertThat(crashed.requests()).last().isEqualTo("DynamoDB.TransactWriteItems");
            assertThat(crashed.requests()).containsOnlyOnce("DynamoDB.TransactWriteItems");
            assertThat(crashed).hasToString("stage 'add-up' on shard 0 of stream 'orders', records 0 to 1: crashed");
            assertThat(driver.rows("order-totals")).isEmpty();
            assertThat(driver.run()).hasSize(1);
            assertThat(driver.rows("order-totals", OrderTotal.class)).containsExactly(new OrderTotal("alice", 1, 10));
        }
    }

    @Test
    void aCrashAfterTheCommitIsNotCountedTwice() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10);
            List<Delivery> deliveries =
                    driver.crashAfter("DynamoDB.TransactWriteItems").run();

            assertThat(deliveries).extracting(Delivery::crashed).containsExactly(true, false);
            assertThat(driver.count(Count.DUPLICATES)).isEqualTo(1);
            assertThat(driver.rows("order-totals", OrderTotal.class)).containsExactly(new OrderTotal("alice", 1, 10));
        }
    }

    @Test
    void crashesAreCountedByRequest() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10);
            assertThat(driver.crashBeforeRequest(3).deliver().requests()).hasSize(3);
            assertThat(driver.crashAfterRequest(4).deliver().requests()).hasSize(4);
            assertThat(driver.deliver().isDone()).isTrue();
        }
    }

    @Test
    void aCrashThatDoesNotHappenFailsTheTest() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10);
            driver.crashBeforeRequest(99);
            assertThatIllegalStateException()
                    .isThrownBy(driver::run)
                    .withMessageStartingWith("The invocation should have crashed before request 99, but made only the ")
                    .withMessageContaining("DynamoDB.TransactWriteItems")
                    .withMessageEndingWith("Choose one of them.");
            driver.input("orders", Order.class).send(ALICE_10);
            driver.crashAfter("DynamoDB.DeleteItem");
            assertThatIllegalStateException()
                    .isThrownBy(driver::deliver)
                    .withMessageContaining("crashed after the first request DynamoDB.DeleteItem");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.crashAfter("PutItem"))
                    .withMessage("The operation 'PutItem' names no service; DynamoDB.TransactWriteItems or"
                            + " Kinesis.GetRecords are such names.");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.crashBeforeRequest(0))
                    .withMessage("Request 0: requests are counted from 1.");
        }
    }

    @Test
    void aCrashAndARestartMakeANewInstanceAndNothingElseDoes() {
        AtomicInteger opened = new AtomicInteger();
        try (PipelineTestDriver driver = PipelineTestDriver.of(Pipelines.processing(() -> {
            opened.incrementAndGet();
            return new Ignoring();
        }))) {
            TestInput<Order> orders = driver.input("orders", Order.class);
            orders.send(ALICE_10);
            driver.run();
            int first = opened.get();
            orders.send(ALICE_10);
            driver.run();
            driver.redeliver();
            assertThat(opened.get()).isEqualTo(first);
            orders.send(ALICE_10);
            driver.crashBeforeRequest(1).run();
            assertThat(opened.get()).isEqualTo(first + 1);
            orders.send(ALICE_10);
            driver.restart().run();
            assertThat(opened.get()).isEqualTo(first + 2);
        }
    }

    @Test
    void redeliveredRecordsAreDuplicates() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10, ALICE_7, BOB_5);
            TestLane lane = driver.lane("add-up", 0);
            lane.deliver(2);
            assertThat(driver.redeliver().report().get(Count.DUPLICATES)).isEqualTo(2);
            Delivery recomposed = lane.redeliver(1, 3);
            assertThat(recomposed.report().get(Count.DUPLICATES)).isEqualTo(1);
            assertThat(lane.backlog()).isZero();
            assertThat(driver.rows("order-totals", OrderTotal.class))
                    .containsExactly(new OrderTotal("alice", 2, 17), new OrderTotal("bob", 1, 5));
        }
    }

    @Test
    void recordsDeliveredBehindOthersAreAGap() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10, ALICE_7);
            Delivery gap = driver.lane("add-up", 0).redeliver(1, 2);
            assertThat(gap.error()).isInstanceOf(LaneGapException.class);
            assertThat(gap.toString()).contains("failed as a whole: ");
            assertThat(gap.next()).isEqualTo(1);
            driver.run();
            assertThat(driver.rows("order-totals", OrderTotal.class)).containsExactly(new OrderTotal("alice", 2, 17));
        }
    }

    @Test
    void functionsRunAgainAfterAConflict() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10, BOB_5);
            driver.meetConflicts().run();
            assertThat(driver.count(Count.CONFLICTS)).isEqualTo(2);
            driver.input("orders", Order.class).send(ALICE_7);
            driver.meetConflicts().run();
            assertThat(driver.count(Count.CONFLICTS)).isEqualTo(3);
            assertThat(driver.rows("order-totals", OrderTotal.class))
                    .containsExactly(new OrderTotal("alice", 2, 17), new OrderTotal("bob", 1, 5));
        }
    }

    @Test
    void aRecordThatIsNeverGotPastEndsARunWithWhatWasThrown() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(Pipelines.processing(Throwing::new))) {
            driver.input("orders", Order.class).send(ALICE_10);
            assertThatThrownBy(driver::run)
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("stage 'process' on shard 0 of stream 'orders' does not get past record 0, which was"
                            + " delivered 6 times in a row. The last time: java.lang.IllegalStateException: no 10. The"
                            + " error policy of the stage is 'fail'. If it shall fail, use deliver() instead of run()"
                            + " and look at the delivery.")
                    .hasCauseInstanceOf(IllegalStateException.class);
            Delivery failed = driver.deliver();
            assertThat(failed.failure()).hasMessage("no 10");
            assertThat(failed.next()).isZero();
            assertThat(failed)
                    .hasToString("stage 'process' on shard 0 of stream 'orders', records 0 to 1: failed at"
                            + " record 0: java.lang.IllegalStateException: no 10");
        }
    }

    @Test
    void timeStandsStillUntilItIsMoved() {
        Instant start = Instant.parse("2030-01-01T00:00:00Z");
        try (PipelineTestDriver driver =
                PipelineTestDriver.builder(OrderTotals::new).startingAt(start).build()) {
            driver.input("orders", Order.class).send(ALICE_10, new Order("bob", -1));
            driver.run();
            assertThat(driver.clock().instant()).isEqualTo(start);
            driver.advance(Duration.ofMinutes(30));
            assertThat(driver.clock().instant()).isEqualTo(start.plus(Duration.ofMinutes(30)));
            driver.input("orders", Order.class).send(ALICE_7);
            driver.run();
            assertThat(driver.rows("order-totals", OrderTotal.class)).containsExactly(new OrderTotal("alice", 2, 17));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.advance(Duration.ofMillis(-1)))
                    .withMessage("advance(PT-0.001S): time does not go back.");
        }
    }

    @Test
    void theSameCallsGiveTheSameRequestsAndVersions() {
        assertThat(requestsAndVersions(0)).isEqualTo(requestsAndVersions(0));
        assertThat(requestsAndVersions(0)).isNotEqualTo(requestsAndVersions(1));
    }

    private static String requestsAndVersions(long seed) {
        try (PipelineTestDriver driver = PipelineTestDriver.builder(OrderTotals::new)
                .seed(seed)
                .timeout(Duration.ofSeconds(30))
                .build()) {
            driver.input("orders", Order.class).send(ALICE_10, BOB_5);
            driver.run();
            String versions = driver.dynamoDb().scan(scan -> scan.tableName("order-totals-state")).items().stream()
                    .map(item -> String.valueOf(item.get("version")))
                    .toList()
                    .toString();
            return driver.deliveries().get(0).requests() + versions;
        }
    }

    @Test
    void unknownNamesAreAnsweredWithTheKnownOnes() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(Pipelines.sizesOfTwoStreams())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.input("mail", Order.class))
                    .withMessage("The pipeline 'two-streams' does not read the stream 'mail'; it reads [shop, web].");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.state("mail-sizes", 7L))
                    .withMessage(
                            "The pipeline 'two-streams' has no stage 'mail-sizes'; it has [shop-sizes, web-sizes].");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.lane("mail-sizes", 0))
                    .withMessageContaining("has no stage 'mail-sizes'");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.rows("mail-results"))
                    .withMessage("The pipeline 'two-streams' writes no table 'mail-results'; it writes"
                            + " [shop-results, web-results].");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.lane("web-sizes", 1))
                    .withMessage("There is no shard 1: the stream 'web' has 1, counted from 0. Build the driver with"
                            + " shards(n).");
            assertThatThrownBy(() -> driver.input("web", Order.class).onShard(2))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("There is no shard 2: the stream 'web' has 1, counted from 0. Build the driver with"
                            + " shards(3) or more.");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.state("shop-sizes", "seven"))
                    .withMessage("The key seven is a java.lang.String, which the key codec 'long' of stage"
                            + " 'shop-sizes' does not take. Pass what keyBy gives.");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> driver.state("shop-sizes", 7L).json("sizes"))
                    .withMessage("The key '7' of stage 'shop-sizes' has no state 'sizes'; it has [].");
            assertThatIllegalStateException()
                    .isThrownBy(() -> driver.verify(List.of(ALICE_10)))
                    .withMessage("The pipeline 'two-streams' reads the streams [shop, web], so verify(records) cannot"
                            + " know whose records these are. Use verification().records(\"shop\", records)...run().");
        }
    }

    @Test
    void whatCannotBeDeliveredIsRefused() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            TestLane lane = driver.lane("add-up", 0);
            assertThatIllegalStateException()
                    .isThrownBy(driver::deliver)
                    .withMessage("All records of the pipeline 'order-totals' are done. Send some by input(...), or use"
                            + " redeliver().");
            assertThatIllegalStateException()
                    .isThrownBy(driver::redeliver)
                    .withMessage("Nothing was delivered yet. Call run() or deliver() first.");
            assertThatIllegalStateException()
                    .isThrownBy(lane::deliver)
                    .withMessage("Nothing is left to deliver on stage 'add-up' on shard 0 of stream 'orders': all its 0"
                            + " records are done. Send some, or use redeliver().");
            assertThatIllegalStateException()
                    .isThrownBy(lane::redeliver)
                    .withMessage("Nothing was delivered on stage 'add-up' on shard 0 of stream 'orders' yet. Deliver"
                            + " first.");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lane.deliver(0))
                    .withMessage("deliver(0): Lambda delivers at least one record. Ask for 1 or more.");
            driver.input("orders", Order.class).send(ALICE_10, BOB_5);
            assertThatThrownBy(() -> lane.redeliver(1, 3))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("redeliver(1, 3): stage 'add-up' on shard 0 of stream 'orders' has 2 records, so"
                            + " 0 <= from < to <= 2 is needed.");
        }
    }

    @Test
    void aRowOfAnotherClassIsNamed() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            driver.input("orders", Order.class).send(ALICE_10);
            driver.run();
            assertThatThrownBy(() -> driver.rows("order-totals", Integer.class))
                    .hasMessageStartingWith("The row {")
                    .hasMessageContaining("of table order-totals cannot be read as java.lang.Integer: ");
        }
    }

    @Test
    void optionsHaveBounds() {
        PipelineTestDriver.Builder builder = PipelineTestDriver.builder(OrderTotals::new);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.shards(0))
                .withMessage("shards is 0; 1 to 100 are allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.batchSize(10_001))
                .withMessage("batchSize is 10001; 1 to 10000 are allowed");
    }

    @Test
    void definitionsThatShareAFunctionAreRefused() {
        Ignoring shared = new Ignoring();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PipelineTestDriver.of(Pipelines.processing(() -> shared)))
                .withMessage("Two definitions of the pipeline 'orders-test' share the function object of stage"
                        + " 'process', as two processes never do. Let the supplier, or define(), make a new one each"
                        + " time.");
    }

    @Test
    void theAwsBelowIsAtHand() {
        try (PipelineTestDriver driver = PipelineTestDriver.of(OrderTotals::new)) {
            assertThat(driver.kinesis().listStreams().streamNames()).containsExactly("orders");
            assertThat(driver.aws().deleteExpiredItems()).isZero();
        }
    }

    private static final class Ignoring extends KeyedProcessFunction<String, Order, OrderTotal> {
        @Override
        public void processElement(Order value, Context ctx, Collector<OrderTotal> out) {}
    }

    private static final class Throwing extends KeyedProcessFunction<String, Order, OrderTotal> {
        @Override
        public void processElement(Order value, Context ctx, Collector<OrderTotal> out) {
            throw new IllegalStateException("no " + value.cents());
        }
    }
}
