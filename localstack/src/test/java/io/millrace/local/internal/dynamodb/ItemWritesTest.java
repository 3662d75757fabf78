package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ItemWritesTest {
    private final DynamoDbFixture aws = new DynamoDbFixture();

    @BeforeEach
    void createTable() {
        aws.createSimpleTable("cells");
    }

    @Test
    void aPutReplacesTheWholeItem() {
        aws.put("cells", "{'id': {'S': 'a'}, 'x': {'N': '1'}}");
        ObjectNode response = aws.call(
                "PutItem",
                "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}, 'y': {'N': '2'}}, 'ReturnValues': 'ALL_OLD'}");
        assertThat(response).isEqualTo(json("{'Attributes': {'id': {'S': 'a'}, 'x': {'N': '1'}}}"));
        assertThat(aws.get("cells", "{'id': {'S': 'a'}}")).isEqualTo(json("{'id': {'S': 'a'}, 'y': {'N': '2'}}"));
    }

    @Test
    void aDeleteAnswersWhatItDeleted() {
        aws.put("cells", "{'id': {'S': 'a'}, 'x': {'N': '1'}}");
        String delete = "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'ReturnValues': 'ALL_OLD'}";
        assertThat(aws.call("DeleteItem", delete).get("Attributes"))
                .isEqualTo(json("{'id': {'S': 'a'}, 'x': {'N': '1'}}"));
        assertThat(aws.call("DeleteItem", delete)).isEqualTo(json("{}"));
        aws.assertInvalid(
                "DeleteItem",
                "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'ReturnValues': 'ALL_NEW'}",
                "ReturnValues can only be ALL_OLD or NONE");
    }

    @Test
    void aFailedConditionAnswersTheItemOnlyWhenAsked() {
        aws.put("cells", "{'id': {'S': 'a'}, 'x': {'N': '1'}}");
        String put =
                "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}}, 'ConditionExpression': 'attribute_not_exists(id)'";
        AwsServiceException plain = aws.failure("PutItem", put + "}");
        assertThat(plain.code()).isEqualTo("ConditionalCheckFailedException");
        assertThat(plain).hasMessage("The conditional request failed");
        assertThat(plain.httpStatus()).isEqualTo(400);
        assertThat(plain.members()).isNull();
        AwsServiceException withItem =
                aws.failure("PutItem", put + ", 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}");
        assertThat(withItem.members()).isEqualTo(json("{'Item': {'id': {'S': 'a'}, 'x': {'N': '1'}}}"));
        assertThat(aws.get("cells", "{'id': {'S': 'a'}}").has("x")).isTrue();
    }

    /** The SDK's own retry of a write whose response was lost: the item then shows that it was one's own. */
    @Test
    void aRepeatedConditionalPutFailsAndShowsItsOwnSuccess() {
        String put = "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}, 'version': {'S': 'v1'}},"
                + " 'ConditionExpression': 'attribute_not_exists(version)', 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}";
        aws.call("PutItem", put);
        assertThat(aws.failure("PutItem", put).members())
                .isEqualTo(json("{'Item': {'id': {'S': 'a'}, 'version': {'S': 'v1'}}}"));
    }

    @Test
    void requiredMembersAreNamed() {
        aws.assertInvalid(
                "PutItem",
                "{'Item': {'id': {'S': 'a'}}}",
                "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null");
        aws.assertInvalid(
                "GetItem",
                "{'TableName': 'cells'}",
                "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null");
        assertThat(aws.failure("PutItem", "{'TableName': 3}").code()).isEqualTo("SerializationException");
        assertThat(aws.failure("PutItem", "{'TableName': 'cells', 'Item': {}, 'Expected': {}}")
                        .code())
                .isEqualTo("ValidationException");
    }

    @Test
    void getsProjectNestedParts() {
        aws.put(
                "cells",
                "{'id': {'S': 'a'}, 'm': {'M': {'x': {'N': '1'}, 'y': {'N': '2'}}},"
                        + " 'l': {'L': [{'N': '0'}, {'N': '1'}, {'N': '2'}]}}");
        String get = "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'ProjectionExpression': ";
        assertThat(aws.call("GetItem", get + "'m.x, l[2], l[0], nothing, m.z'}").get("Item"))
                .isEqualTo(json("{'m': {'M': {'x': {'N': '1'}}}, 'l': {'L': [{'N': '0'}, {'N': '2'}]}}"));
        assertThat(aws.call("GetItem", get + "'nothing'}").get("Item")).isEqualTo(json("{}"));
        assertThat(aws.call("GetItem", get + "'#m', 'ExpressionAttributeNames': {'#m': 'm'}}")
                        .get("Item")
                        .fieldNames())
                .toIterable()
                .containsExactly("m");
        aws.assertInvalid(
                "GetItem",
                get + "'m, m.x'}",
                "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one "
                        + "of these paths; path one: [m], path two: [m, x]");
        aws.assertInvalid(
                "GetItem", get + "'m x'}", "Invalid ProjectionExpression: Syntax error; token: \"x\", near: \"m x\"");
    }

    /** Two writers of one key at the same moment: each conditional increment counts once. */
    @Test
    void concurrentConditionalWritesAreEachAppliedOnce() throws Exception {
        aws.put("cells", "{'id': {'S': 'a'}, 'n': {'N': '0'}}");
        AtomicInteger refused = new AtomicInteger();
        Callable<Integer> writer = () -> {
            int applied = 0;
            while (applied < 200) {
                int seen = aws.get("cells", "{'id': {'S': 'a'}}").at("/n/N").asInt();
                try {
                    aws.call(
                            "UpdateItem",
                            "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'UpdateExpression': 'SET n = n + :one',"
                                    + " 'ConditionExpression': 'n = :seen', 'ExpressionAttributeValues':"
                                    + " {':one': {'N': '1'}, ':seen': {'N': '" + seen + "'}}}");
                    applied++;
                } catch (AwsServiceException e) {
                    refused.incrementAndGet();
                }
            }
            return applied;
        };
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> writers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                writers.add(threads.submit(writer));
            }
            for (Future<Integer> one : writers) {
                assertThat(one.get()).isEqualTo(200);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(aws.get("cells", "{'id': {'S': 'a'}}").at("/n/N").asInt()).isEqualTo(800);
    }
}
