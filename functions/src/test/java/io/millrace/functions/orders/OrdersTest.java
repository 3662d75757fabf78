package io.millrace.functions.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.PipelineDefinition;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.LocalRun;
import io.millrace.serde.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;

class OrdersTest {
    private static final Instant TIME = Instant.parse("2026-11-02T08:00:00Z");
    private static final int ORDERS = 500;

    @Test
    void thePipelineIsFoundByItsName() {
        assertThat(ServiceLoader.load(PipelineDefinition.class))
                .anySatisfy(definition -> assertThat(definition.name()).isEqualTo("orders"));
    }

    @Test
    void anOrderIsCarriedOutToTheLastCentAndNotBeyond() {
        Account account = Account.NEW.after(order("o-1", 500));
        assertThat(account.after(order("o-2", -500))).isEqualTo(new Account(0, 2, 0));
        assertThat(account.after(order("o-2", -501))).isEqualTo(new Account(500, 1, 1));
    }

    @Test
    void anOrderWithoutItsAccountOrWithoutMoneyIsUndecodable() {
        String order = "{\"id\":\"o-1\",\"account\":\"a\",\"given\":\"2026-11-02T08:00:00Z\",\"cents\":0}";
        for (String document : List.of(order, order.replace("\"account\":\"a\",", ""))) {
            assertThatThrownBy(() -> Json.of(Order.class).deserialize(document.getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void theSampleIsTheSameEachTime() {
        List<Order> one = sample(SampleOrders.ORDERS);
        assertThat(one).hasSize(10_000).isEqualTo(sample(SampleOrders.ORDERS));
        assertThat(one.stream().map(Order::id).distinct()).hasSize(10_000);
        assertThat(one.stream().map(Order::account).distinct().count()).isBetween(300L, 400L);
    }

    /** Crashes, zombies, repeated and recomposed batches, throttles, conflicts and lost answers. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void eachOrderHasOneLedgerRowAndTheyAddUpToTheBalance(long seed) throws InterruptedException {
        List<Order> orders = sample(ORDERS);
        try (EmbeddedAws aws = EmbeddedAws.create();
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                KinesisClient kinesis = endpoint.kinesis();
                DynamoDbClient dynamoDb = endpoint.dynamoDb();
                LocalRun run = LocalRun.builder(Orders::new, endpoint)
                        .chaos(seed)
                        .batchRecords(20)
                        .build()) {
            run.provision(3);
            publish(kinesis, orders);
            run.start();
            assertThat(run.awaitDrained(Duration.ofMinutes(2))).isTrue();
            assertThat(run.statistics().redelivered()).isPositive();

            Map<String, Account> accounts = new TreeMap<>();
            Map<String, LedgerRow> expected = new TreeMap<>();
            for (Order order : orders) {
                Account before = accounts.getOrDefault(order.account(), Account.NEW);
                boolean covered = before.balanceCents() + order.cents() >= 0;
                accounts.put(order.account(), before.after(order));
                expected.put(order.id(), new Booking(order, covered, before.after(order)).ledgerRow());
            }
            Map<String, LedgerRow> ledger = new TreeMap<>();
            Map<String, Long> sums = new HashMap<>();
            for (LedgerRow row : ledger(dynamoDb)) {
                assertThat(ledger.put(row.order(), row)).isNull();
                sums.merge(row.account(), row.status().equals(LedgerRow.ACCEPTED) ? row.cents() : 0, Long::sum);
            }
            assertThat(ledger).isEqualTo(expected);
            List<Map<String, AttributeValue>> balances = items(dynamoDb, Orders.BALANCE_TABLE);
            assertThat(balances).hasSameSizeAs(accounts.keySet());
            Map<String, Long> balanceCents = new HashMap<>();
            balances.forEach(row -> balanceCents.put(text(row, "account"), number(row, "balance_cents")));
            assertThat(balanceCents).isEqualTo(sums);
            accounts.forEach((name, account) -> assertThat(balanceCents).containsEntry(name, account.balanceCents()));
        }
    }

    private static List<Order> sample(int count) {
        List<Order> orders = new ArrayList<>();
        new SampleOrders().forEachRemaining(orders::add);
        return orders.subList(0, count);
    }

    private static void publish(KinesisClient kinesis, List<Order> orders) {
        List<PutRecordsRequestEntry> entries = orders.stream()
                .map(order -> PutRecordsRequestEntry.builder()
                        .partitionKey(order.account())
                        .data(SdkBytes.fromByteArray(Json.of(Order.class).serialize(order)))
                        .build())
                .toList();
        assertThat(kinesis.putRecords(
                                request -> request.streamName(Orders.STREAM).records(entries))
                        .failedRecordCount())
                .isZero();
    }

    private static List<LedgerRow> ledger(DynamoDbClient dynamoDb) {
        return items(dynamoDb, Orders.LEDGER_TABLE).stream()
                .map(item -> new LedgerRow(
                        text(item, "account"),
                        text(item, "order"),
                        text(item, "given"),
                        number(item, "cents"),
                        text(item, "status"),
                        number(item, "balance_cents")))
                .toList();
    }

    private static List<Map<String, AttributeValue>> items(DynamoDbClient dynamoDb, String table) {
        List<Map<String, AttributeValue>> items = new ArrayList<>();
        dynamoDb.scanPaginator(request -> request.tableName(table).consistentRead(true))
                .items()
                .forEach(items::add);
        return items;
    }

    private static String text(Map<String, AttributeValue> item, String attribute) {
        return Objects.requireNonNull(item.get(attribute), attribute).s();
    }

    private static long number(Map<String, AttributeValue> item, String attribute) {
        return Long.parseLong(
                Objects.requireNonNull(item.get(attribute), attribute).n());
    }

    private static Order order(String id, long cents) {
        return new Order(id, "a", TIME, cents);
    }
}
