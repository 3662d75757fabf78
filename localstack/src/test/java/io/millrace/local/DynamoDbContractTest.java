package io.millrace.local;

import static io.millrace.local.ContractEndpoint.MOTO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.IdempotentParameterMismatchException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** What Millrace needs of DynamoDB, checked against every endpoint at hand. */
@ParameterizedClass(name = "{0}")
@EnumSource(ContractEndpoint.class)
class DynamoDbContractTest {
    private static final AtomicInteger TABLE_NUMBER = new AtomicInteger();
    private static final int PAGES_MAX = 1_000;

    // Set before every invocation of the class.
    @SuppressWarnings("NullAway.Init")
    private static ContractEndpoint.Running running;

    @SuppressWarnings("NullAway.Init")
    private static DynamoDbClient dynamo;

    private final String table = "contract-" + TABLE_NUMBER.incrementAndGet();

    DynamoDbContractTest(ContractEndpoint endpoint) {
        assertThat(endpoint).isNotNull();
    }

    @BeforeParameterizedClassInvocation
    static void start(ContractEndpoint endpoint) {
        running = endpoint.start();
        dynamo = running.client(DynamoDbClient.builder());
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        if (running != null) {
            dynamo.close();
            running.close();
        }
    }

    @BeforeEach
    void create() {
        dynamo.createTable(request -> request.tableName(table)
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .attributeDefinitions(
                        attribute("pk", ScalarAttributeType.S),
                        attribute("sk", ScalarAttributeType.N),
                        attribute("slot", ScalarAttributeType.S),
                        attribute("due", ScalarAttributeType.N))
                .keySchema(key("pk", KeyType.HASH), key("sk", KeyType.RANGE))
                .globalSecondaryIndexes(GlobalSecondaryIndex.builder()
                        .indexName("by-due")
                        .keySchema(key("slot", KeyType.HASH), key("due", KeyType.RANGE))
                        .projection(projection -> projection.projectionType(ProjectionType.KEYS_ONLY))
                        .build()));
        dynamo.waiter().waitUntilTableExists(request -> request.tableName(table));
    }

    @AfterEach
    void delete() {
        dynamo.deleteTable(request -> request.tableName(table));
        dynamo.waiter().waitUntilTableNotExists(request -> request.tableName(table));
    }

    private static AttributeDefinition attribute(String name, ScalarAttributeType type) {
        return AttributeDefinition.builder()
                .attributeName(name)
                .attributeType(type)
                .build();
    }

    private static KeySchemaElement key(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }

    private static AttributeValue s(String text) {
        return AttributeValue.fromS(text);
    }

    private static AttributeValue n(Object number) {
        return AttributeValue.fromN(number.toString());
    }

    private static Map<String, AttributeValue> key(String pk, int sk) {
        return Map.of("pk", s(pk), "sk", n(sk));
    }

    private void put(Map<String, AttributeValue> item) {
        dynamo.putItem(request -> request.tableName(table).item(item));
    }

    private Map<String, AttributeValue> get(String pk, int sk) {
        return dynamo.getItem(
                        request -> request.tableName(table).key(key(pk, sk)).consistentRead(true))
                .item();
    }

    private static void assertInvalid(Throwable failure, String message) {
        assertThat(failure).isInstanceOfSatisfying(DynamoDbException.class, invalid -> {
            assertThat(invalid.awsErrorDetails().errorCode()).isEqualTo("ValidationException");
            assertThat(invalid.awsErrorDetails().errorMessage()).isEqualTo(message);
        });
    }

    @Test
    void tableIsDescribedAndListed() {
        var description =
                dynamo.describeTable(request -> request.tableName(table)).table();
        assertThat(description.tableStatus()).isEqualTo(TableStatus.ACTIVE);
        assertThat(description.keySchema()).containsExactly(key("pk", KeyType.HASH), key("sk", KeyType.RANGE));
        assertThat(description.globalSecondaryIndexes()).hasSize(1);
        assertThat(dynamo.listTables().tableNames()).contains(table);
        assertThatThrownBy(() -> dynamo.createTable(request -> request.tableName(table)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .attributeDefinitions(attribute("pk", ScalarAttributeType.S))
                        .keySchema(key("pk", KeyType.HASH))))
                .isInstanceOf(ResourceInUseException.class);
        assertThatThrownBy(() -> dynamo.describeTable(request -> request.tableName("not-there")))
                .isInstanceOf(ResourceNotFoundException.class);
        assertThatThrownBy(() ->
                        dynamo.getItem(request -> request.tableName("not-there").key(key("a", 1))))
                .isInstanceOf(ResourceNotFoundException.class);
    }

    @Test
    void everyTypeComesBack() {
        Map<String, AttributeValue> item = Map.ofEntries(
                Map.entry("pk", s("all")),
                Map.entry("sk", n(1)),
                Map.entry("text", s("é😀")),
                Map.entry("digits", n("12345678901234567890123456789012345678")),
                Map.entry("bytes", AttributeValue.fromB(SdkBytes.fromByteArray(new byte[] {0, -1, 127, -128}))),
                Map.entry("yes", AttributeValue.fromBool(true)),
                Map.entry("nil", AttributeValue.fromNul(true)),
                Map.entry("seq", AttributeValue.fromL(List.of(n(1), s("x"), AttributeValue.fromL(List.of())))),
                Map.entry("lookup", AttributeValue.fromM(Map.of("k", n("-0.5")))),
                Map.entry("words", AttributeValue.fromSs(List.of("only"))),
                Map.entry("emptytext", s("")));
        put(item);
        assertThat(get("all", 1)).isEqualTo(item);
    }

    @Test
    void numbersHaveThirtyEightDigits() {
        running.difference(MOTO, "stores numbers of any precision");
        assertInvalid(
                catchThrowableOfType(
                        DynamoDbException.class,
                        () -> put(Map.of("pk", s("a"), "sk", n(1), "v", n("123456789012345678901234567890123456789")))),
                "Attempting to store more than 38 significant digits in a Number");
    }

    @Test
    void itemsHaveFourHundredKilobytes() {
        int text = 400 * 1_024 - "pk".length() - "a".length() - "sk".length() - 2 - "v".length();
        running.difference(MOTO, "refuses items that are a little smaller than the limit");
        put(Map.of("pk", s("a"), "sk", n(1), "v", s("x".repeat(text))));
        assertInvalid(
                catchThrowableOfType(
                        DynamoDbException.class,
                        () -> put(Map.of("pk", s("a"), "sk", n(1), "v", s("x".repeat(text + 1))))),
                "Item size has exceeded the maximum allowed size");
    }

    @Test
    void partitionKeysHaveTwoKilobytes() {
        put(Map.of("pk", s("k".repeat(2_048)), "sk", n(1)));
        assertInvalid(
                catchThrowableOfType(
                        DynamoDbException.class, () -> put(Map.of("pk", s("k".repeat(2_049)), "sk", n(1)))),
                "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 "
                        + "bytes");
    }

    @Test
    void aFailedConditionAnswersTheOldItem() {
        put(Map.of("pk", s("a"), "sk", n(1), "version", s("v1")));
        ConditionalCheckFailedException failure = catchThrowableOfType(
                ConditionalCheckFailedException.class,
                () -> dynamo.putItem(request -> request.tableName(table)
                        .item(Map.of("pk", s("a"), "sk", n(1), "version", s("v2")))
                        .conditionExpression("version = :seen AND (attribute_not_exists(#f.#l) OR #f.#l < :last)")
                        .expressionAttributeNames(Map.of("#f", "fence", "#l", "0"))
                        .expressionAttributeValues(Map.of(":seen", s("v0"), ":last", n(5)))
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)));
        assertThat(failure.awsErrorDetails().errorMessage()).isEqualTo("The conditional request failed");
        assertThat(failure.item()).containsEntry("version", s("v1"));
        assertThat(get("a", 1)).containsEntry("version", s("v1"));
    }

    @Test
    void binaryConditionsCompareUnsigned() {
        AttributeValue high = AttributeValue.fromB(SdkBytes.fromByteArray(new byte[] {(byte) 0xFF}));
        AttributeValue low = AttributeValue.fromB(SdkBytes.fromByteArray(new byte[] {0x7F, 1}));
        put(Map.of("pk", s("a"), "sk", n(1), "fence", low));
        dynamo.updateItem(request -> request.tableName(table)
                .key(key("a", 1))
                .updateExpression("SET fence = :p")
                .conditionExpression("fence < :p")
                .expressionAttributeValues(Map.of(":p", high)));
        assertThatThrownBy(() -> dynamo.updateItem(request -> request.tableName(table)
                        .key(key("a", 1))
                        .updateExpression("SET fence = :p")
                        .conditionExpression("fence < :p")
                        .expressionAttributeValues(Map.of(":p", low))))
                .isInstanceOf(ConditionalCheckFailedException.class);
    }

    @Test
    void updatesReturnWhatTheyChanged() {
        put(Map.of("pk", s("a"), "sk", n(1), "flights", n(1), "lanes", AttributeValue.fromM(Map.of("l0", n(1)))));
        var updated = dynamo.updateItem(request -> request.tableName(table)
                .key(key("a", 1))
                .updateExpression("SET flights = if_not_exists(flights, :zero) + :one, lanes.#l1 = :one REMOVE lanes.l0"
                        + " ADD delayed :one")
                .expressionAttributeNames(Map.of("#l1", "l1"))
                .expressionAttributeValues(Map.of(":zero", n(0), ":one", n(1)))
                .returnValues(ReturnValue.ALL_NEW));
        assertThat(updated.attributes())
                .containsEntry("flights", n(2))
                .containsEntry("delayed", n(1))
                .containsEntry("lanes", AttributeValue.fromM(Map.of("l1", n(1))));
    }

    @Test
    void expressionsAreChecked() {
        running.difference(MOTO, "accepts unused values and reserved words in conditions");
        assertInvalid(
                catchThrowableOfType(
                        DynamoDbException.class,
                        () -> dynamo.deleteItem(request -> request.tableName(table)
                                .key(key("a", 1))
                                .conditionExpression("attribute_not_exists(pk)")
                                .expressionAttributeValues(Map.of(":unused", n(1))))),
                "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}");
        assertInvalid(
                catchThrowableOfType(
                        DynamoDbException.class,
                        () -> dynamo.deleteItem(request -> request.tableName(table)
                                .key(key("a", 1))
                                .conditionExpression("attribute_not_exists(status)"))),
                "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: status");
    }

    @Test
    void aBatchRefusesARepeatedKey() {
        assertInvalid(
                catchThrowableOfType(
                        DynamoDbException.class,
                        () -> dynamo.batchGetItem(request -> request.requestItems(Map.of(
                                table,
                                KeysAndAttributes.builder()
                                        .keys(List.of(key("id1", 1), key("id1", 1), key("id2", 1)))
                                        .build())))),
                "Provided list of item keys contains duplicates");
    }

    @Test
    void aBatchReadsWhatIsThere() {
        put(Map.of("pk", s("a"), "sk", n(1)));
        put(Map.of("pk", s("b"), "sk", n(1)));
        var response = dynamo.batchGetItem(request -> request.requestItems(Map.of(
                table,
                KeysAndAttributes.builder()
                        .keys(List.of(key("a", 1), key("b", 1), key("c", 1)))
                        .consistentRead(true)
                        .build())));
        assertThat(response.responses().get(table)).containsExactlyInAnyOrder(key("a", 1), key("b", 1));
        assertThat(response.unprocessedKeys()).isEmpty();
    }

    @Test
    void queriesPageInNumericOrder() {
        for (int i = 0; i < 12; i++) {
            put(Map.of("pk", s("a"), "sk", n(i), "even", AttributeValue.fromBool(i % 2 == 0)));
        }
        List<String> found = new ArrayList<>();
        dynamo.queryPaginator(request -> request.tableName(table)
                        .keyConditionExpression("pk = :a AND sk >= :two")
                        .filterExpression("even = :yes")
                        .expressionAttributeValues(
                                Map.of(":a", s("a"), ":two", n(2), ":yes", AttributeValue.fromBool(true)))
                        .limit(3))
                .items()
                .forEach(item -> found.add(
                        String.valueOf(item.getOrDefault("sk", s("none")).n())));
        assertThat(found).containsExactly("2", "4", "6", "8", "10");
        var last = dynamo.query(request -> request.tableName(table)
                .keyConditionExpression("pk = :a AND sk BETWEEN :low AND :high")
                .expressionAttributeValues(Map.of(":a", s("a"), ":low", n(9), ":high", n(10)))
                .scanIndexForward(false));
        assertThat(last.items()).extracting(item -> item.get("sk")).containsExactly(n(10), n(9));
    }

    @Test
    void sparseIndexHoldsOnlyItemsWithItsKeys() {
        put(Map.of("pk", s("a"), "sk", n(1), "slot", s("0"), "due", n(20), "more", s("x")));
        put(Map.of("pk", s("b"), "sk", n(1), "slot", s("0"), "due", n(3)));
        put(Map.of("pk", s("c"), "sk", n(1), "slot", s("0")));
        var due = dynamo.query(request -> request.tableName(table)
                .indexName("by-due")
                .keyConditionExpression("slot = :slot AND due <= :now")
                .expressionAttributeValues(Map.of(":slot", s("0"), ":now", n(20))));
        assertThat(due.items()).extracting(item -> item.get("pk")).containsExactly(s("b"), s("a"));
        assertThat(due.items().get(1)).containsOnlyKeys("pk", "sk", "slot", "due");
    }

    @Test
    void segmentsCoverEveryItemOnce() {
        IntStream.range(0, 60).forEach(i -> put(Map.of("pk", s("key-" + i), "sk", n(1))));
        List<String> found = new ArrayList<>();
        for (int segment = 0; segment < 3; segment++) {
            found.addAll(scan(segment, 3));
        }
        Set<String> distinct = new HashSet<>(found);
        assertThat(found).hasSize(60);
        assertThat(distinct).hasSize(60);
    }

    private List<String> scan(int segment, int total) {
        List<String> found = new ArrayList<>();
        Map<String, AttributeValue> start = Map.of();
        for (int page = 0; page < PAGES_MAX; page++) {
            Map<String, AttributeValue> from = start;
            ScanResponse response = dynamo.scan(request -> request.tableName(table)
                    .segment(segment)
                    .totalSegments(total)
                    .limit(7)
                    .exclusiveStartKey(from.isEmpty() ? null : from));
            response.items()
                    .forEach(item -> found.add(
                            String.valueOf(item.getOrDefault("pk", n(0)).s())));
            if (!response.hasLastEvaluatedKey()) {
                break;
            }
            start = response.lastEvaluatedKey();
        }
        return found;
    }

    private TransactWriteItem putAction(Map<String, AttributeValue> item) {
        return TransactWriteItem.builder()
                .put(put -> put.tableName(table)
                        .item(item)
                        .conditionExpression("attribute_not_exists(pk)")
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD))
                .build();
    }

    @Test
    void aCancelledTransactionNamesEachReason() {
        put(Map.of("pk", s("taken"), "sk", n(1), "v", s("old")));
        TransactionCanceledException failure = catchThrowableOfType(
                TransactionCanceledException.class,
                () -> dynamo.transactWriteItems(
                        request -> request.transactItems(putAction(key("free", 1)), putAction(key("taken", 1)))));
        assertThat(failure.awsErrorDetails().errorMessage())
                .isEqualTo("Transaction cancelled, please refer cancellation reasons for specific reasons "
                        + "[None, ConditionalCheckFailed]");
        assertThat(failure.cancellationReasons())
                .extracting(CancellationReason::code)
                .containsExactly("None", "ConditionalCheckFailed");
        assertThat(failure.cancellationReasons().get(1).item()).containsEntry("v", s("old"));
        assertThat(get("free", 1)).isEmpty();
    }

    @Test
    void aTransactionTakesAnItemOnlyOnce() {
        assertInvalid(
                catchThrowableOfType(
                        DynamoDbException.class,
                        () -> dynamo.transactWriteItems(
                                request -> request.transactItems(putAction(key("a", 1)), putAction(key("a", 1))))),
                "Transaction request cannot include multiple operations on one item");
    }

    @Test
    void aTokenMakesATransactionIdempotent() {
        running.difference(MOTO, "ignores the client request token");
        String token = "token-" + table;
        for (int i = 0; i < 2; i++) {
            dynamo.transactWriteItems(
                    request -> request.clientRequestToken(token).transactItems(putAction(key("a", 1))));
        }
        assertThatThrownBy(() -> dynamo.transactWriteItems(
                        request -> request.clientRequestToken(token).transactItems(putAction(key("b", 1)))))
                .isInstanceOf(IdempotentParameterMismatchException.class);
    }

    @Test
    void consumedCapacityIsReported() {
        running.difference(MOTO, "reports one unit for every write");
        var response = dynamo.putItem(request -> request.tableName(table)
                .item(Map.of("pk", s("a"), "sk", n(1), "v", s("x".repeat(1_500))))
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
        assertThat(response.consumedCapacity().capacityUnits()).isEqualTo(2);
    }
}
