package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TransactionOperationsTest {
    private final DynamoDbFixture aws = new DynamoDbFixture();

    @BeforeEach
    void createTables() {
        aws.createSimpleTable("cells");
        aws.createSimpleTable("rows");
    }

    private static String put(String id) {
        return "{'Put': {'TableName': 'cells', 'Item': {'id': {'S': '" + id + "'}}}}";
    }

    private static String puts(int count) {
        return IntStream.range(0, count).mapToObj(i -> put("k" + i)).collect(Collectors.joining(", "));
    }

    private int count(String table) {
        return aws.call("Scan", "{'TableName': '" + table + "', 'Select': 'COUNT'}")
                .get("Count")
                .asInt();
    }

    @Test
    void allActionsTakeEffectTogether() {
        aws.put("cells", "{'id': {'S': 'check'}, 'v': {'N': '1'}}");
        aws.put("cells", "{'id': {'S': 'gone'}}");
        ObjectNode response = aws.call("TransactWriteItems", """
                {'TransactItems': [
                  {'ConditionCheck': {'TableName': 'cells', 'Key': {'id': {'S': 'check'}}, 'ConditionExpression': 'v = :v',
                                      'ExpressionAttributeValues': {':v': {'N': '1'}}}},
                  {'Put': {'TableName': 'rows', 'Item': {'id': {'S': 'row'}}}},
                  {'Update': {'TableName': 'cells', 'Key': {'id': {'S': 'counter'}}, 'UpdateExpression': 'ADD n :one',
                              'ExpressionAttributeValues': {':one': {'N': '1'}}}},
                  {'Delete': {'TableName': 'cells', 'Key': {'id': {'S': 'gone'}}}}]}""");
        assertThat(response).isEqualTo(json("{}"));
        assertThat(aws.get("rows", "{'id': {'S': 'row'}}")).isNotEmpty();
        assertThat(aws.get("cells", "{'id': {'S': 'counter'}}").at("/n/N").asText())
                .isEqualTo("1");
        assertThat(aws.get("cells", "{'id': {'S': 'gone'}}")).isEmpty();
        assertThat(aws.get("cells", "{'id': {'S': 'check'}}")).hasSize(2);
    }

    @Test
    void aFailedConditionCancelsAllAndReasonsComeInTheOrderOfTheActions() {
        aws.put("cells", "{'id': {'S': 'b'}, 'v': {'N': '1'}}");
        String condition = "'ConditionExpression': 'attribute_not_exists(id)'";
        AwsServiceException failure = aws.failure(
                "TransactWriteItems",
                "{'TransactItems': [" + put("a") + ", {'Put': {'TableName': 'cells', 'Item': {'id': {'S': 'b'}}, "
                        + condition
                        + ", 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}}, {'Delete': {'TableName': 'cells',"
                        + " 'Key': {'id': {'S': 'c'}}, 'ConditionExpression': 'attribute_exists(id)'}}]}");
        assertThat(failure.code()).isEqualTo("TransactionCanceledException");
        assertThat(failure)
                .hasMessage("Transaction cancelled, please refer cancellation reasons for specific reasons "
                        + "[None, ConditionalCheckFailed, ConditionalCheckFailed]");
        assertThat(failure.members()).isEqualTo(json("""
                {'CancellationReasons': [{'Code': 'None'},
                  {'Code': 'ConditionalCheckFailed', 'Message': 'The conditional request failed',
                   'Item': {'id': {'S': 'b'}, 'v': {'N': '1'}}},
                  {'Code': 'ConditionalCheckFailed', 'Message': 'The conditional request failed'}]}"""));
        assertThat(count("cells")).isEqualTo(1);
    }

    @Test
    void whatIsInvalidOnlyForItsItemIsAReason() {
        aws.put("cells", "{'id': {'S': 'a'}, 's': {'S': 'text'}}");
        AwsServiceException failure = aws.failure("TransactWriteItems", """
                {'TransactItems': [
                  {'Put': {'TableName': 'rows', 'Item': {'id': {'S': 'row'}}}},
                  {'Update': {'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'UpdateExpression': 'ADD s :one',
                              'ExpressionAttributeValues': {':one': {'N': '1'}}}},
                  {'Put': {'TableName': 'cells', 'Item': {'wrong': {'S': 'a'}}}}]}""");
        assertThat(failure)
                .hasMessage("Transaction cancelled, please refer cancellation reasons for specific reasons "
                        + "[None, ValidationError, ValidationError]");
        assertThat(failure.members()).isEqualTo(json("""
                {'CancellationReasons': [{'Code': 'None'},
                  {'Code': 'ValidationError', 'Message': 'An operand in the update expression has an incorrect data type'},
                  {'Code': 'ValidationError',
                   'Message': 'One or more parameter values were invalid: Missing the key id in the item'}]}"""));
        assertThat(count("rows")).isZero();
    }

    @Test
    void anItemTooLargeIsAReason() {
        ObjectNode request = json("{'TransactItems': [" + put("small") + ", " + put("large") + "]}");
        ((ObjectNode) request.at("/TransactItems/1/Put/Item")).putObject("v").put("S", "x".repeat(400 * 1_024));
        AwsServiceException failure = aws.failure("TransactWriteItems", request);
        assertThat(failure.code()).isEqualTo("TransactionCanceledException");
        assertThat(failure.members()).isNotNull();
        assertThat(failure.members().at("/CancellationReasons/1/Message").asText())
                .isEqualTo("Item size has exceeded the maximum allowed size");
    }

    @Test
    void oneItemTwiceIsRefused() {
        String message = "Transaction request cannot include multiple operations on one item";
        aws.assertInvalid("TransactWriteItems", "{'TransactItems': [" + put("a") + ", " + put("a") + "]}", message);
        aws.assertInvalid(
                "TransactWriteItems",
                "{'TransactItems': [" + put("a")
                        + ", {'ConditionCheck': {'TableName': 'cells', 'Key': {'id': {'S': 'a'}},"
                        + " 'ConditionExpression': 'attribute_exists(id)'}}]}",
                message);
        String get = "{'Get': {'TableName': 'cells', 'Key': {'id': {'S': 'a'}}}}";
        aws.assertInvalid("TransactGetItems", "{'TransactItems': [" + get + ", " + get + "]}", message);
    }

    @Test
    void atMostOneHundredActions() {
        aws.call("TransactWriteItems", "{'TransactItems': [" + puts(100) + "]}");
        assertThat(count("cells")).isEqualTo(100);
        AwsServiceException failure = aws.failure("TransactWriteItems", "{'TransactItems': [" + puts(101) + "]}");
        assertThat(failure.code()).isEqualTo("ValidationException");
        assertThat(failure).hasMessageEndingWith("Member must have length less than or equal to 100");
        assertThat(aws.failure("TransactWriteItems", "{'TransactItems': []}").code())
                .isEqualTo("ValidationException");
    }

    @Test
    void atMostFourMegabytes() {
        // 16 items of 256 KB: names and values of id and v, ids of two characters.
        int text = 256 * 1_024 - 2 - 2 - 1;
        ObjectNode request = json("{'TransactItems': ["
                + IntStream.range(10, 26).mapToObj(i -> put("" + i)).collect(Collectors.joining(", ")) + "]}");
        ArrayNode actions = (ArrayNode) request.get("TransactItems");
        actions.forEach(
                action -> ((ObjectNode) action.at("/Put/Item")).putObject("v").put("S", "x".repeat(text)));
        aws.service.call("TransactWriteItems", request);
        ((ObjectNode) actions.get(0).at("/Put/Item")).putObject("v").put("S", "x".repeat(text + 1));
        AwsServiceException failure = aws.failure("TransactWriteItems", request);
        assertThat(failure.code()).isEqualTo("ValidationException");
        assertThat(failure).hasMessageContaining("4194305 bytes");
    }

    @Test
    void malformedActionsAreRefused() {
        assertThat(aws.failure("TransactWriteItems", "{'TransactItems': [{}]}").code())
                .isEqualTo("ValidationException");
        aws.assertInvalid(
                "TransactWriteItems",
                "{'TransactItems': [{'ConditionCheck': {'TableName': 'cells', 'Key': {'id': {'S': 'a'}},"
                        + " 'ConditionExpression': 'a ='}}]}",
                "Invalid ConditionExpression: Syntax error; token: \"<EOF>\", near: \"=\"");
        assertThat(aws.failure(
                                "TransactWriteItems",
                                "{'TransactItems': [{'Put': {'TableName': 'nothere', 'Item': {}}}]}")
                        .code())
                .isEqualTo("ResourceNotFoundException");
    }

    private static String increment(String token, int by) {
        return "{'ClientRequestToken': '" + token
                + "', 'TransactItems': [{'Update': {'TableName': 'cells', 'Key': {'id':"
                + " {'S': 'n'}}, 'UpdateExpression': 'ADD n :by', 'ExpressionAttributeValues': {':by': {'N': '" + by
                + "'}}}}]}";
    }

    private String counter() {
        return aws.get("cells", "{'id': {'S': 'n'}}").at("/n/N").asText();
    }

    @Test
    void aTokenMakesATransactionIdempotentForTenMinutes() {
        aws.call("TransactWriteItems", increment("t1", 1));
        aws.clock.advance(Duration.ofMinutes(10).minusMillis(1));
        aws.call("TransactWriteItems", increment("t1", 1));
        assertThat(counter()).isEqualTo("1");
        aws.call("TransactWriteItems", increment("t2", 1));
        assertThat(counter()).isEqualTo("2");
        aws.clock.advance(Duration.ofMillis(1));
        aws.call("TransactWriteItems", increment("t1", 1));
        assertThat(counter()).isEqualTo("3");
    }

    @Test
    void aTokenWithAnotherBodyIsRefused() {
        aws.call("TransactWriteItems", increment("t1", 1));
        AwsServiceException failure = aws.failure("TransactWriteItems", increment("t1", 2));
        assertThat(failure.code()).isEqualTo("IdempotentParameterMismatchException");
        assertThat(counter()).isEqualTo("1");
    }

    @Test
    void theOrderOfMembersIsNoOtherBody() {
        aws.call(
                "TransactWriteItems",
                "{'ClientRequestToken': 't', 'TransactItems': [{'Put': {'TableName': 'cells',"
                        + " 'Item': {'id': {'S': 'a'}, 'x': {'S': 'x'}}}}]}");
        aws.call(
                "TransactWriteItems",
                "{'ClientRequestToken': 't', 'ReturnConsumedCapacity': 'TOTAL', 'TransactItems':"
                        + " [{'Put': {'Item': {'x': {'S': 'x'}, 'id': {'S': 'a'}}, 'TableName': 'cells'}}]}");
        assertThat(count("cells")).isEqualTo(1);
    }

    @Test
    void aCancelledTransactionDoesNotUseUpItsToken() {
        String request = "{'ClientRequestToken': 't', 'TransactItems': [{'Put': {'TableName': 'cells', 'Item': {'id':"
                + " {'S': 'a'}}, 'ConditionExpression': 'attribute_not_exists(id)'}}]}";
        aws.put("cells", "{'id': {'S': 'a'}}");
        assertThat(aws.failure("TransactWriteItems", request).code()).isEqualTo("TransactionCanceledException");
        aws.call("DeleteItem", "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}}");
        aws.call("TransactWriteItems", request);
        aws.call("TransactWriteItems", request);
        assertThat(count("cells")).isEqualTo(1);
    }

    @Test
    void tokensHaveOneToThirtySixCharacters() {
        aws.call("TransactWriteItems", increment("x".repeat(36), 1));
        assertThat(aws.failure("TransactWriteItems", increment("x".repeat(37), 1))
                        .code())
                .isEqualTo("ValidationException");
        assertThat(aws.failure("TransactWriteItems", increment("", 1)).code()).isEqualTo("ValidationException");
    }

    @Test
    void transactionalReadsAnswerInOrder() {
        aws.put("cells", "{'id': {'S': 'a'}, 'x': {'N': '1'}, 'y': {'N': '2'}}");
        ObjectNode response = aws.call("TransactGetItems", """
                {'TransactItems': [{'Get': {'TableName': 'rows', 'Key': {'id': {'S': 'none'}}}},
                  {'Get': {'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'ProjectionExpression': 'x'}}]}""");
        assertThat(response).isEqualTo(json("{'Responses': [{}, {'Item': {'x': {'N': '1'}}}]}"));
    }
}
