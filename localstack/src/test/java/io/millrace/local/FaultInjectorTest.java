package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.mapping.InMemoryShards;
import io.millrace.local.internal.mapping.LambdaEvents;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;
import software.amazon.awssdk.services.dynamodb.model.TransactionInProgressException;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ExpiredIteratorException;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;

class FaultInjectorTest {
    private static final String TRANSACT = "DynamoDB.TransactWriteItems";
    private static final StaticCredentialsProvider CREDENTIALS =
            StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local"));

    private final TinyAws aws = new TinyAws()
            .on("TransactWriteItems", request -> JsonNodeFactory.instance.objectNode())
            .on("PutItem", request -> JsonNodeFactory.instance.objectNode())
            .on("GetItem", request -> JsonNodeFactory.instance.objectNode())
            .on("BatchGetItem", FaultInjectorTest::echoKeys)
            .on("GetRecords", request -> page(request.get("ShardIterator").asText()))
            .on(
                    "PutRecord",
                    request -> JsonNodeFactory.instance
                            .objectNode()
                            .put("ShardId", "shardId-000000000000")
                            .put("SequenceNumber", "1"));

    private static ObjectNode echoKeys(ObjectNode request) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ObjectNode responses = answer.putObject("Responses");
        for (Map.Entry<String, JsonNode> table : request.get("RequestItems").properties()) {
            ArrayNode items = responses.putArray(table.getKey());
            table.getValue()
                    .get("Keys")
                    .forEach(key -> items.add(((ObjectNode) key.deepCopy())
                            .set("value", JsonNodeFactory.instance.objectNode().put("S", "x"))));
        }
        answer.putObject("UnprocessedKeys");
        return answer;
    }

    private static ObjectNode page(String iterator) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode records = answer.putArray("Records");
        if (!iterator.equals("tip")) {
            records.addObject()
                    .put("SequenceNumber", "1")
                    .put("PartitionKey", "k")
                    .put("Data", new byte[] {1});
        }
        return answer.put("NextShardIterator", "tip").put("MillisBehindLatest", 0);
    }

    private static DynamoDbClient dynamoDb(SdkHttpClient http, int attempts) {
        return DynamoDbClient.builder()
                .httpClient(http)
                .credentialsProvider(CREDENTIALS)
                .region(Region.US_EAST_1)
                .overrideConfiguration(configuration -> configuration.retryStrategy(
                        retries().maxAttempts(attempts).build()))
                .build();
    }

    private static KinesisClient kinesis(SdkHttpClient http) {
        return KinesisClient.builder()
                .httpClient(http)
                .credentialsProvider(CREDENTIALS)
                .region(Region.US_EAST_1)
                .overrideConfiguration(configuration ->
                        configuration.retryStrategy(retries().maxAttempts(1).build()))
                .build();
    }

    /** The SDK's standard strategy without its pauses. */
    private static StandardRetryStrategy.Builder retries() {
        return AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .backoffStrategy(BackoffStrategy.retryImmediately())
                .throttlingBackoffStrategy(BackoffStrategy.retryImmediately());
    }

    private static TransactWriteItemsRequest transaction(int actions) {
        List<TransactWriteItem> items = new ArrayList<>();
        for (int action = 0; action < actions; action++) {
            Map<String, AttributeValue> item = Map.of("key", AttributeValue.fromS("k" + action));
            items.add(TransactWriteItem.builder()
                    .put(Put.builder().tableName("cells").item(item).build())
                    .build());
        }
        return TransactWriteItemsRequest.builder().transactItems(items).build();
    }

    private static void putItem(DynamoDbClient client) {
        client.putItem(request -> request.tableName("cells").item(Map.of("key", AttributeValue.fromS("k"))));
    }

    @Test
    void aLostResponseWasExecutedAndALostRequestWasNot() {
        FaultInjector injector = FaultInjector.scripted()
                .inject(TRANSACT, 2, Fault.LOST_RESPONSE)
                .inject(TRANSACT, 3, Fault.LOST_REQUEST)
                .build();
        DynamoDbClient client = dynamoDb(injector.decorate(aws), 1);
        client.transactWriteItems(transaction(1));
        assertThatThrownBy(() -> client.transactWriteItems(transaction(1))).isInstanceOf(SdkClientException.class);
        assertThat(aws.executed).hasSize(2);
        assertThatThrownBy(() -> client.transactWriteItems(transaction(1))).isInstanceOf(SdkClientException.class);
        assertThat(aws.executed).hasSize(2);
        assertThat(injector.injected()).containsEntry(Fault.LOST_RESPONSE, 1L).containsEntry(Fault.LOST_REQUEST, 1L);
    }

    @Test
    void theSdkRetriesALostResponseSoThatTheRequestIsExecutedTwice() {
        FaultInjector injector = FaultInjector.scripted()
                .inject("DynamoDB.PutItem", 1, Fault.LOST_RESPONSE)
                .build();
        putItem(dynamoDb(injector.decorate(aws), 3));
        assertThat(aws.executed).containsExactly("PutItem", "PutItem");
    }

    @Test
    void aTransactionConflictHasOneReasonPerAction() {
        FaultInjector injector = FaultInjector.scripted()
                .inject(TRANSACT, 1, Fault.TRANSACTION_CONFLICT)
                .inject("DynamoDB.PutItem", 1, Fault.TRANSACTION_CONFLICT)
                .build();
        DynamoDbClient client = dynamoDb(injector.decorate(aws), 1);
        assertThatThrownBy(() -> client.transactWriteItems(transaction(3)))
                .isInstanceOfSatisfying(TransactionCanceledException.class, cancelled -> {
                    assertThat(cancelled.cancellationReasons())
                            .extracting(CancellationReason::code)
                            .hasSize(3)
                            .containsOnlyOnce("TransactionConflict")
                            .contains("None");
                    assertThat(cancelled.getMessage())
                            .contains("Transaction cancelled, please refer cancellation reasons");
                });
        assertThatThrownBy(() -> putItem(client)).isInstanceOf(TransactionConflictException.class);
        assertThat(aws.executed).isEmpty();
    }

    @Test
    void aRepetitionFindsTheFirstAttemptInProgress() {
        FaultInjector injector = FaultInjector.scripted()
                .inject(TRANSACT, 1, Fault.TRANSACTION_IN_PROGRESS)
                .build();
        DynamoDbClient client = dynamoDb(injector.decorate(aws), 1);
        TransactWriteItemsRequest request =
                transaction(1).toBuilder().clientRequestToken("token").build();
        assertThatThrownBy(() -> client.transactWriteItems(request)).isInstanceOf(SdkClientException.class);
        for (int repetition = 0; repetition < 2; repetition++) {
            assertThatThrownBy(() -> client.transactWriteItems(request))
                    .isInstanceOf(TransactionInProgressException.class);
        }
        client.transactWriteItems(request);
        assertThat(aws.executed).hasSize(2);
    }

    @Test
    void noConflictForATransactionWhoseTokenWasExecuted() {
        FaultInjector injector = FaultInjector.scripted()
                .inject(TRANSACT, 1, Fault.LOST_RESPONSE)
                .inject(TRANSACT, 2, Fault.TRANSACTION_CONFLICT)
                .build();
        dynamoDb(injector.decorate(aws), 2).transactWriteItems(transaction(2));
        assertThat(injector.injected()).containsEntry(Fault.TRANSACTION_CONFLICT, 0L);
    }

    @Test
    void throttlesAndServerErrorsAreThoseOfTheService() {
        FaultInjector injector = FaultInjector.scripted()
                .inject("DynamoDB.PutItem", 1, Fault.THROTTLE)
                .inject("DynamoDB.PutItem", 2, Fault.INTERNAL_SERVER_ERROR)
                .inject("Kinesis.PutRecord", 1, Fault.THROTTLE)
                .inject("Kinesis.PutRecord", 2, Fault.INTERNAL_SERVER_ERROR)
                .build();
        DynamoDbClient client = dynamoDb(injector.decorate(aws), 1);
        assertThatThrownBy(() -> putItem(client)).isInstanceOf(ProvisionedThroughputExceededException.class);
        assertThatThrownBy(() -> putItem(client))
                .isInstanceOfSatisfying(
                        InternalServerErrorException.class,
                        failure -> assertThat(failure.statusCode()).isEqualTo(500));
        KinesisClient kinesis = kinesis(injector.decorate(aws));
        assertThatThrownBy(() -> putRecord(kinesis))
                .isInstanceOf(
                        software.amazon.awssdk.services.kinesis.model.ProvisionedThroughputExceededException.class)
                .hasMessageContaining("Rate exceeded for shard");
        assertThatThrownBy(() -> putRecord(kinesis)).hasMessageContaining("Status Code: 500");
        putRecord(kinesis);
        assertThat(aws.executed).containsExactly("PutRecord");
    }

    private static void putRecord(KinesisClient client) {
        client.putRecord(request -> request.streamName("s").partitionKey("k").data(SdkBytes.fromUtf8String("x")));
    }

    @Test
    void unprocessedKeysAreTheOnesWithoutAnItem() {
        FaultInjector injector = FaultInjector.builder(7)
                .none()
                .probability(Fault.UNPROCESSED_KEYS, 1)
                .build();
        DynamoDbClient client = dynamoDb(injector.decorate(aws), 1);
        List<Map<String, AttributeValue>> keys = new ArrayList<>();
        for (int key = 0; key < 20; key++) {
            keys.add(Map.of("key", AttributeValue.fromN("1" + key)));
        }
        BatchGetItemResponse response = client.batchGetItem(BatchGetItemRequest.builder()
                .requestItems(Map.of(
                        "cells",
                        KeysAndAttributes.builder()
                                .keys(keys)
                                .consistentRead(true)
                                .build()))
                .build());
        KeysAndAttributes unprocessed = response.unprocessedKeys().get("cells");
        TreeSet<String> all = new TreeSet<>();
        response.responses().getOrDefault("cells", List.of()).forEach(item -> all.add(keyOf(item)));
        assertThat(all).isNotEmpty().hasSizeLessThan(20);
        assertThat(unprocessed).isNotNull();
        assertThat(unprocessed.consistentRead()).isTrue();
        unprocessed.keys().forEach(key -> assertThat(all.add(keyOf(key))).isTrue());
        assertThat(all).hasSize(20);
    }

    private static String keyOf(Map<String, AttributeValue> item) {
        return item.getOrDefault("key", AttributeValue.fromNul(true)).n();
    }

    @Test
    void oneKeyIsNeverUnprocessed() {
        FaultInjector injector = FaultInjector.builder(7)
                .none()
                .probability(Fault.UNPROCESSED_KEYS, 1)
                .build();
        BatchGetItemResponse response = dynamoDb(injector.decorate(aws), 1)
                .batchGetItem(request -> request.requestItems(Map.of(
                        "cells",
                        KeysAndAttributes.builder()
                                .keys(List.of(Map.of("key", AttributeValue.fromS("a"))))
                                .build())));
        assertThat(response.unprocessedKeys()).isEmpty();
        assertThat(injector.injected()).containsEntry(Fault.UNPROCESSED_KEYS, 0L);
    }

    @Test
    void anEmptyReadKeepsItsIteratorAndNeverHappensAtTheTip() {
        FaultInjector injector = FaultInjector.scripted()
                .inject("Kinesis.GetRecords", 1, Fault.EMPTY_READ)
                .inject("Kinesis.GetRecords", 3, Fault.EMPTY_READ)
                .inject("Kinesis.GetRecords", 4, Fault.EXPIRED_ITERATOR)
                .emptyReads(3)
                .build();
        KinesisClient client = kinesis(injector.decorate(aws));
        String iterator = "start";
        for (int read = 0; read < 3; read++) {
            GetRecordsResponse empty = read(client, iterator);
            assertThat(empty.records()).isEmpty();
            assertThat(empty.millisBehindLatest()).isPositive();
            iterator = empty.nextShardIterator();
        }
        GetRecordsResponse full = read(client, iterator);
        assertThat(full.records()).hasSize(1);
        GetRecordsResponse tip = read(client, full.nextShardIterator());
        assertThat(tip.millisBehindLatest()).isZero();
        assertThat(injector.injected()).containsEntry(Fault.EMPTY_READ, 3L);
    }

    private static GetRecordsResponse read(KinesisClient client, String iterator) {
        return client.getRecords(request -> request.shardIterator(iterator));
    }

    @Test
    void anExpiredIteratorIsTheSdksException() {
        FaultInjector injector = FaultInjector.scripted()
                .inject("Kinesis.GetRecords", 1, Fault.EXPIRED_ITERATOR)
                .build();
        KinesisClient client = kinesis(injector.decorate(aws));
        assertThatThrownBy(() -> read(client, "start"))
                .isInstanceOf(ExpiredIteratorException.class)
                .hasMessageContaining("Iterator expired");
    }

    @Test
    void latencyGoesThroughTheHook() {
        List<Duration> delays = new ArrayList<>();
        FaultInjector injector = FaultInjector.builder(1)
                .none()
                .latency(1, Duration.ofHours(1))
                .latencyHook(delays::add)
                .build();
        putItem(dynamoDb(injector.decorate(aws), 1));
        assertThat(delays)
                .singleElement()
                .satisfies(delay -> assertThat(delay).isBetween(Duration.ofSeconds(1), Duration.ofHours(1)));
    }

    @Test
    void quiesceStopsEverythingAndSparedOperationsMeetNothing() {
        FaultInjector injector = FaultInjector.builder(1)
                .none()
                .probability(Fault.LOST_REQUEST, 1)
                .spare("DynamoDB.GetItem")
                .build();
        DynamoDbClient client = dynamoDb(injector.decorate(aws), 1);
        client.getItem(request -> request.tableName("cells").key(Map.of("key", AttributeValue.fromS("k"))));
        assertThatThrownBy(() -> putItem(client)).isInstanceOf(SdkClientException.class);
        injector.quiesce();
        putItem(client);
        assertThat(aws.executed).containsExactly("GetItem", "PutItem");
    }

    @Test
    void theSameSeedInjectsTheSameFaultsAndTheSdkCanReadEachOfThem() {
        assertThat(outcomes(11)).isEqualTo(outcomes(11)).isNotEqualTo(outcomes(12));
    }

    private List<String> outcomes(long seed) {
        FaultInjector injector = FaultInjector.builder(seed)
                .probability(Fault.THROTTLE, 0.2)
                .probability(Fault.TRANSACTION_CONFLICT, 0.2)
                .build();
        DynamoDbClient client = dynamoDb(injector.decorate(aws), 1);
        List<String> outcomes = new ArrayList<>();
        for (int request = 0; request < 200; request++) {
            try {
                client.transactWriteItems(transaction(2));
                outcomes.add("ok");
            } catch (DynamoDbException failure) {
                assertThat(failure.awsErrorDetails().errorCode()).isNotBlank();
                outcomes.add(failure.awsErrorDetails().errorCode());
            } catch (SdkClientException failure) {
                outcomes.add("lost");
            }
        }
        return outcomes;
    }

    @Test
    void refusesRulesThatAwsCannotProduce() {
        assertThatThrownBy(() -> FaultInjector.scripted().inject("DynamoDB.PutItem", 1, Fault.UNPROCESSED_KEYS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("DynamoDB.PutItem cannot meet UNPROCESSED_KEYS");
        assertThatThrownBy(() -> FaultInjector.scripted().inject("PutItem", 1, Fault.LOST_RESPONSE))
                .hasMessageContaining("DynamoDB.GetItem");
        assertThatThrownBy(() -> FaultInjector.builder(1).probability(Fault.THROTTLE, -0.1))
                .hasMessageContaining("-0.1");
    }

    @Test
    void nothingOfADeadInvocationReachesAws() {
        FaultInjector injector = FaultInjector.scripted().build();
        AtomicInteger returned = new AtomicInteger();
        Function<FunctionContainer, RequestHandler<KinesisEvent, StreamsEventResponse>> handlers = container -> {
            DynamoDbClient client = dynamoDb(injector.decorate(aws, container), 3);
            return (event, context) -> {
                for (int write = 0; write < 5; write++) {
                    putItem(client);
                }
                returned.incrementAndGet();
                return null;
            };
        };
        InJvmFunctionInvoker function = InJvmFunctionInvoker.perContainer("board", handlers);
        InMemoryShards source = new InMemoryShards(Clock.systemUTC(), 10);
        source.addShard("shardId-000000000000");
        KinesisEvent event = LambdaEvents.event(
                InMemoryShards.STREAM_ARN, "shardId-000000000000", List.of(source.put("shardId-000000000000", "k")));
        InvocationContext dying =
                InvocationContext.starting(Clock.systemUTC(), Duration.ofSeconds(10), "shardId-000000000000", 0);
        dying.scope().abortFrom(3);
        assertThat(function.invoke(event, dying)).isInstanceOf(InvocationOutcome.FunctionError.class);
        assertThat(aws.executed).hasSize(2);
        assertThat(returned).hasValue(0);
        assertThat(function.invoke(event, dying.again())).isEqualTo(new InvocationOutcome.Returned(null));
        assertThat(aws.executed).hasSize(7);
    }
}
