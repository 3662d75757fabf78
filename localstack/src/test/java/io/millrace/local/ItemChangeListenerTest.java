package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

class ItemChangeListenerTest {
    private final ManualClock clock = new ManualClock();
    private final List<List<ItemChange>> told = new ArrayList<>();
    private final EmbeddedAws aws =
            EmbeddedAws.builder().clock(clock).itemChangeListener(told::add).build();
    private final DynamoDbClient dynamo = AwsEndpoint.of(aws).dynamoDb();

    @BeforeEach
    void createTables() {
        SimpleTable.create(dynamo, "cells");
        SimpleTable.create(dynamo, "rows");
    }

    @AfterEach
    void close() {
        dynamo.close();
        aws.close();
    }

    @Test
    void putTellsTheItemBeforeAndAfter() {
        put("a", "1");
        put("a", "2");
        assertThat(told)
                .containsExactly(
                        List.of(new ItemChange("cells", null, cell("a", "1"), false)),
                        List.of(new ItemChange("cells", cell("a", "1"), cell("a", "2"), false)));
    }

    @Test
    void putOfTheSameContentIsTold() {
        put("a", "1");
        put("a", "1");
        assertThat(told.get(1)).containsExactly(new ItemChange("cells", cell("a", "1"), cell("a", "1"), false));
    }

    @Test
    void updateAndDeleteTellTheWholeItem() {
        put("a", "1");
        dynamo.updateItem(request -> request.tableName("cells")
                .key(Map.of("id", text("a")))
                .updateExpression("ADD version :one")
                .expressionAttributeValues(Map.of(":one", number("1"))));
        dynamo.deleteItem(request -> request.tableName("cells").key(Map.of("id", text("a"))));
        Map<String, AttributeValue> updated = Map.of("id", text("a"), "version", number("2"));
        assertThat(told.subList(1, 3))
                .containsExactly(
                        List.of(new ItemChange("cells", cell("a", "1"), updated, false)),
                        List.of(new ItemChange("cells", updated, null, false)));
    }

    @Test
    void whatWritesNothingIsNotTold() {
        dynamo.deleteItem(request -> request.tableName("cells").key(Map.of("id", text("none"))));
        dynamo.getItem(request -> request.tableName("cells").key(Map.of("id", text("none"))));
        assertThatThrownBy(() -> dynamo.putItem(request ->
                        request.tableName("cells").item(cell("a", "1")).conditionExpression("attribute_exists(id)")))
                .isInstanceOf(ConditionalCheckFailedException.class);
        assertThatThrownBy(() -> transact("token-1", putOf("rows", "r", "1"), checkOf("none")))
                .isInstanceOf(TransactionCanceledException.class);
        assertThat(told).isEmpty();
    }

    @Test
    void transactionIsToldTogetherAndOnce() {
        put("present", "1");
        told.clear();
        transact("token-1", putOf("rows", "r", "1"), checkOf("present"), putOf("cells", "c", "7"));
        transact("token-1", putOf("rows", "r", "1"), checkOf("present"), putOf("cells", "c", "7"));
        assertThat(told)
                .containsExactly(List.of(
                        new ItemChange("rows", null, cell("r", "1"), false),
                        new ItemChange("cells", null, cell("c", "7"), false)));
    }

    @Test
    void batchIsToldTogether() {
        put("a", "1");
        told.clear();
        dynamo.batchWriteItem(request -> request.requestItems(Map.of(
                "cells",
                List.of(
                        WriteRequest.builder()
                                .putRequest(put -> put.item(cell("b", "1")))
                                .build(),
                        WriteRequest.builder()
                                .deleteRequest(delete -> delete.key(Map.of("id", text("a"))))
                                .build()))));
        assertThat(told)
                .containsExactly(List.of(
                        new ItemChange("cells", null, cell("b", "1"), false),
                        new ItemChange("cells", cell("a", "1"), null, false)));
    }

    @Test
    void expiredItemsAreDeletedAtTheChosenMomentOnly() {
        Map<String, AttributeValue> cell = ending("a", 10);
        Map<String, AttributeValue> row = ending("r", 10);
        dynamo.putItem(request -> request.tableName("cells").item(cell));
        dynamo.putItem(request -> request.tableName("rows").item(row));
        dynamo.putItem(request -> request.tableName("rows").item(ending("later", 1_000_000)));
        told.clear();
        assertThat(aws.deleteExpiredItems()).isZero();
        clock.advance(Duration.ofDays(3));
        // Expired items are there for reads, conditions and updates, as on AWS.
        assertThat(dynamo.scan(request -> request.tableName("cells")).count()).isEqualTo(1);
        dynamo.putItem(request -> request.tableName("cells").item(cell).conditionExpression("attribute_exists(id)"));
        told.clear();
        assertThat(aws.deleteExpiredItems()).isEqualTo(2);
        assertThat(told)
                .containsExactly(
                        List.of(new ItemChange("cells", cell, null, true), new ItemChange("rows", row, null, true)));
        assertThat(aws.deleteExpiredItems()).isZero();
        assertThat(told).hasSize(1);
    }

    @Test
    void everyTypeIsToldAsItWasWritten() {
        Map<String, AttributeValue> item = Map.ofEntries(
                Map.entry("id", text("a")),
                Map.entry("binary", AttributeValue.fromB(SdkBytes.fromUtf8String("x"))),
                Map.entry("binaries", AttributeValue.fromBs(List.of(SdkBytes.fromUtf8String("x")))),
                Map.entry("list", AttributeValue.fromL(List.of(text("x"), number("1.5")))),
                Map.entry("map", AttributeValue.fromM(Map.of("inner", AttributeValue.fromBool(false)))),
                Map.entry("no", AttributeValue.fromNul(true)),
                Map.entry("numbers", AttributeValue.fromNs(List.of("1", "2"))),
                Map.entry("texts", AttributeValue.fromSs(List.of("x", "y"))),
                Map.entry("yes", AttributeValue.fromBool(true)));
        dynamo.putItem(request -> request.tableName("cells").item(item));
        Map<String, AttributeValue> after =
                Objects.requireNonNull(told.get(0).get(0).after());
        assertThat(after).isEqualTo(item);
        assertThat(List.copyOf(after.keySet())).isSorted();
        assertThatThrownBy(() -> after.remove("id")).isInstanceOf(UnsupportedOperationException.class);
    }

    private void put(String id, String version) {
        dynamo.putItem(request -> request.tableName("cells").item(cell(id, version)));
    }

    private void transact(String token, TransactWriteItem... items) {
        dynamo.transactWriteItems(request -> request.clientRequestToken(token).transactItems(items));
    }

    private static TransactWriteItem putOf(String table, String id, String version) {
        return TransactWriteItem.builder()
                .put(put -> put.tableName(table).item(cell(id, version)))
                .build();
    }

    private static TransactWriteItem checkOf(String id) {
        return TransactWriteItem.builder()
                .conditionCheck(check -> check.tableName("cells")
                        .key(Map.of("id", text(id)))
                        .conditionExpression("attribute_exists(id)"))
                .build();
    }

    private Map<String, AttributeValue> ending(String id, long seconds) {
        long end = clock.instant().getEpochSecond() + seconds;
        return Map.of("id", text(id), "end", number(Long.toString(end)));
    }

    private static Map<String, AttributeValue> cell(String id, String version) {
        return Map.of("id", text(id), "version", number(version));
    }

    private static AttributeValue text(String text) {
        return AttributeValue.fromS(text);
    }

    private static AttributeValue number(String number) {
        return AttributeValue.fromN(number);
    }
}
