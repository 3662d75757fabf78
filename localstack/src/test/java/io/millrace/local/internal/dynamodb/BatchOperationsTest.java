package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static io.millrace.local.internal.dynamodb.DynamoDbFixture.putRequest;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchOperationsTest {
    private final DynamoDbFixture aws = new DynamoDbFixture();

    @BeforeEach
    void createTables() {
        aws.createSimpleTable("cells");
        aws.createSimpleTable("rows");
    }

    private static String keys(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{'id': {'S': 'k" + i + "'}}")
                .collect(Collectors.joining(", ", "[", "]"));
    }

    @Test
    void aBatchReadsFromSeveralTables() {
        aws.put("cells", "{'id': {'S': 'a'}, 'x': {'N': '1'}, 'y': {'N': '2'}}");
        aws.put("rows", "{'id': {'S': 'b'}}");
        ObjectNode response = aws.call("BatchGetItem", """
                {'RequestItems': {'cells': {'Keys': [{'id': {'S': 'a'}}, {'id': {'S': 'none'}}], 'ConsistentRead': true,
                                            'ProjectionExpression': '#x', 'ExpressionAttributeNames': {'#x': 'x'}},
                                  'rows': {'Keys': [{'id': {'S': 'b'}}]}}}""");
        assertThat(response).isEqualTo(json("""
                {'Responses': {'cells': [{'x': {'N': '1'}}], 'rows': [{'id': {'S': 'b'}}]}, 'UnprocessedKeys': {}}"""));
    }

    @Test
    void aRepeatedKeyIsRefused() {
        aws.assertInvalid(
                "BatchGetItem",
                "{'RequestItems': {'cells': {'Keys': [{'id': {'S': 'id1'}}, {'id': {'S': 'id1'}}, {'id': {'S': 'id2'}}]}}}",
                "Provided list of item keys contains duplicates");
        aws.assertInvalid(
                "BatchWriteItem",
                "{'RequestItems': {'cells': [{'PutRequest': {'Item': {'id': {'S': 'a'}}}},"
                        + " {'DeleteRequest': {'Key': {'id': {'S': 'a'}}}}]}}",
                "Provided list of item keys contains duplicates");
        assertThat(aws.get("cells", "{'id': {'S': 'a'}}")).isEmpty();
    }

    @Test
    void aBatchReadsAtMostOneHundredKeys() {
        aws.call("BatchGetItem", "{'RequestItems': {'cells': {'Keys': " + keys(100) + "}}}");
        aws.assertInvalid(
                "BatchGetItem",
                "{'RequestItems': {'cells': {'Keys': " + keys(101) + "}}}",
                "Too many items requested for the BatchGetItem call");
        aws.assertInvalid(
                "BatchGetItem",
                "{'RequestItems': {'cells': {'Keys': " + keys(100) + "}, 'rows': {'Keys': " + keys(1) + "}}}",
                "Too many items requested for the BatchGetItem call");
        assertThat(aws.failure("BatchGetItem", "{'RequestItems': {}}").code()).isEqualTo("ValidationException");
        assertThat(aws.failure("BatchGetItem", "{'RequestItems': {'other': {'Keys': " + keys(1) + "}}}")
                        .code())
                .isEqualTo("ResourceNotFoundException");
    }

    @Test
    void whatGoesOverSixteenMegabytesIsLeftUnprocessed() {
        String text = "x".repeat(399 * 1_024);
        for (int i = 0; i < 50; i++) {
            aws.service.call("PutItem", putRequest("cells", "k" + i, "v", text));
        }
        ObjectNode request = json("{'RequestItems': {'cells': {'Keys': " + keys(50)
                + ", 'ConsistentRead': true, 'ProjectionExpression': 'id'}}}");
        Set<String> found = new HashSet<>();
        ObjectNode response = aws.service.call("BatchGetItem", request);
        response.at("/Responses/cells")
                .forEach(item -> found.add(item.at("/id/S").asText()));
        assertThat(found).hasSize(41);
        JsonNode unprocessed = response.get("UnprocessedKeys");
        assertThat(unprocessed.at("/cells/Keys")).hasSize(9);
        assertThat(unprocessed.at("/cells/ConsistentRead").asBoolean()).isTrue();
        request.set("RequestItems", unprocessed);
        ObjectNode rest = aws.service.call("BatchGetItem", request);
        rest.at("/Responses/cells").forEach(item -> found.add(item.at("/id/S").asText()));
        assertThat(found).hasSize(50);
        assertThat(rest.get("UnprocessedKeys")).isEmpty();
    }

    private static String writes(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{'PutRequest': {'Item': {'id': {'S': 'k" + i + "'}}}}")
                .collect(Collectors.joining(", ", "[", "]"));
    }

    @Test
    void aBatchWritesAtMostTwentyFiveItems() {
        assertThat(aws.call("BatchWriteItem", "{'RequestItems': {'cells': " + writes(25) + "}}"))
                .isEqualTo(json("{'UnprocessedItems': {}}"));
        assertThat(aws.call("Scan", "{'TableName': 'cells'}").get("Count").asInt())
                .isEqualTo(25);
        assertThat(aws.failure("BatchWriteItem", "{'RequestItems': {'cells': " + writes(26) + "}}"))
                .hasMessageContaining("Member must have length less than or equal to 25");
        aws.assertInvalid(
                "BatchWriteItem",
                "{'RequestItems': {'cells': " + writes(25) + ", 'rows': " + writes(1) + "}}",
                "Too many items requested for the BatchWriteItem call");
    }

    @Test
    void aBatchPutsAndDeletes() {
        aws.put("cells", "{'id': {'S': 'old'}}");
        aws.call("BatchWriteItem", """
                {'RequestItems': {'cells': [{'DeleteRequest': {'Key': {'id': {'S': 'old'}}}},
                                            {'PutRequest': {'Item': {'id': {'S': 'new'}}}}],
                                  'rows': [{'PutRequest': {'Item': {'id': {'S': 'row'}}}}]}}""");
        assertThat(aws.get("cells", "{'id': {'S': 'old'}}")).isEmpty();
        assertThat(aws.get("cells", "{'id': {'S': 'new'}}")).isNotEmpty();
        assertThat(aws.get("rows", "{'id': {'S': 'row'}}")).isNotEmpty();
    }

    @Test
    void anInvalidWriteStopsTheWholeBatch() {
        aws.assertInvalid(
                "BatchWriteItem",
                "{'RequestItems': {'cells': [{'PutRequest': {'Item': {'id': {'S': 'a'}}}},"
                        + " {'PutRequest': {'Item': {'id': {'N': '1'}}}}]}}",
                "One or more parameter values were invalid: Type mismatch for key id expected: S actual: N");
        assertThat(aws.get("cells", "{'id': {'S': 'a'}}")).isEmpty();
    }
}
