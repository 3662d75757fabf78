package io.millrace.aws.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.aws.QuickRetries;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Each class of outcome, provoked by a real answer. */
class CommitOutcomesTest {
    private static final String TABLE = "items";

    private final EmbeddedAws aws = EmbeddedAws.create();

    @BeforeEach
    void createTable() {
        CreateTableRequest request = CreateTableRequest.builder()
                .tableName(TABLE)
                .attributeDefinitions(AttributeDefinition.builder()
                        .attributeName("pk")
                        .attributeType(ScalarAttributeType.S)
                        .build())
                .keySchema(KeySchemaElement.builder()
                        .attributeName("pk")
                        .keyType(KeyType.HASH)
                        .build())
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .build();
        client(aws.httpClient()).createTable(request);
    }

    @AfterEach
    void closeAws() {
        aws.close();
    }

    private static DynamoDbClient client(SdkHttpClient http) {
        return DynamoDbClient.builder()
                .httpClient(http)
                .region(Region.US_EAST_1)
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .overrideConfiguration(QuickRetries.OVERRIDE)
                .build();
    }

    private DynamoDbClient client(Fault fault, int requests) {
        return client(FaultInjector.scripted()
                .inject("DynamoDB.PutItem", 1, requests, fault)
                .build()
                .decorate(aws.httpClient()));
    }

    private static CommitOutcome put(
            DynamoDbClient client, String version, @org.jspecify.annotations.Nullable String read) {
        Map<String, AttributeValue> item = Map.of("pk", Items.text("k"), "version", Items.text(version));
        ConditionalPut put = new ConditionalPut(client, TABLE, ShellRules.PROTOCOL);
        return put.put(
                item, read, List.of(), old -> Items.required(old, "version").s().equals(version));
    }

    @Test
    void committed() {
        assertThat(put(client(aws.httpClient()), "v1", null)).isInstanceOf(CommitOutcome.Committed.class);
    }

    @Test
    void alreadyCommittedWhenTheAnswerWasLostAndTheSdkTriedAgain() {
        assertThat(put(client(Fault.LOST_RESPONSE, 1), "v1", null)).isInstanceOf(CommitOutcome.AlreadyCommitted.class);
    }

    @Test
    void conflictWhenAnotherWriterCameFirst() {
        put(client(aws.httpClient()), "theirs", null);
        assertThat(put(client(aws.httpClient()), "ours", null)).isInstanceOf(CommitOutcome.Conflict.class);
        assertThat(put(client(aws.httpClient()), "ours", "older")).isInstanceOf(CommitOutcome.Conflict.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"THROTTLE", "TRANSACTION_CONFLICT"})
    void throttled(Fault fault) {
        assertThat(put(client(fault, 20), "v1", null)).isInstanceOf(CommitOutcome.Throttled.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOST_REQUEST", "INTERNAL_SERVER_ERROR"})
    void unknown(Fault fault) {
        assertThat(put(client(fault, 20), "v1", null)).isInstanceOf(CommitOutcome.Unknown.class);
    }

    @Test
    void permanentWhenTheItemIsTooLarge() {
        assertThat(put(client(aws.httpClient()), "v".repeat(410_000), null))
                .isInstanceOf(CommitOutcome.Permanent.class);
    }

    @Test
    void refusedWhenThereIsNoTable() {
        DynamoDbClient client = client(aws.httpClient());
        client.deleteTable(request -> request.tableName(TABLE));
        assertThat(put(client, "v1", null))
                .isInstanceOfSatisfying(
                        CommitOutcome.Refused.class,
                        refused -> assertThat(refused.cause()).hasMessageContaining("ResourceNotFoundException"));
    }

    private static CommitOutcome ofReasons(String... codes) {
        List<CancellationReason> reasons = java.util.Arrays.stream(codes)
                .map(code -> CancellationReason.builder().code(code).build())
                .toList();
        return CommitOutcomes.of(
                TransactionCanceledException.builder()
                        .message("cancelled")
                        .cancellationReasons(reasons)
                        .build(),
                old -> true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
    void aCancelledTransactionIsTriedAgainWhicheverActionMetTheOther(String code) { // field case 9
        assertThat(ofReasons("None", code)).isInstanceOf(CommitOutcome.Throttled.class);
        assertThat(ofReasons(code, "None")).isInstanceOf(CommitOutcome.Throttled.class);
    }

    @Test
    void aCancelledTransactionIsReadReasonByReason() {
        assertThat(ofReasons("None", "ValidationError")).isInstanceOf(CommitOutcome.Permanent.class);
        assertThat(ofReasons("TransactionConflict", "ValidationError")).isInstanceOf(CommitOutcome.Permanent.class);
        assertThat(ofReasons("None", "ItemCollectionSizeLimitExceeded")).isInstanceOf(CommitOutcome.Permanent.class);
        assertThat(ofReasons("ConditionalCheckFailed", "None"))
                .as("no old item came, so nothing proves that it is ours")
                .isInstanceOf(CommitOutcome.Conflict.class);
        assertThat(ofReasons("None", "ConditionalCheckFailed"))
                .as("a row of a newer generation")
                .isInstanceOf(CommitOutcome.Refused.class);
    }
}
