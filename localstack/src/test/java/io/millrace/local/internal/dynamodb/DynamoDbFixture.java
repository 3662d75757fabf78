package io.millrace.local.internal.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.ManualClock;
import io.millrace.local.internal.AwsServiceException;
import java.io.UncheckedIOException;
import java.time.Instant;

/** A service with a clock that tests move, and documents written with single quotes. */
final class DynamoDbFixture {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(JsonReadFeature.ALLOW_SINGLE_QUOTES).build();

    final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    final DynamoDbService service = new DynamoDbService(clock, "eu-central-1", "000000000000", null);

    static ObjectNode json(String text) {
        try {
            return (ObjectNode) MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    ObjectNode call(String operation, String document) {
        return service.call(operation, json(document));
    }

    AwsServiceException failure(String operation, ObjectNode document) {
        AwsServiceException failure =
                catchThrowableOfType(AwsServiceException.class, () -> service.call(operation, document));
        assertThat(failure).as(operation + " " + document).isNotNull();
        return failure;
    }

    AwsServiceException failure(String operation, String document) {
        return failure(operation, json(document));
    }

    void assertInvalid(String operation, String document, String message) {
        AwsServiceException failure = failure(operation, document);
        assertThat(failure.code()).isEqualTo("ValidationException");
        assertThat(failure.httpStatus()).isEqualTo(400);
        assertThat(failure).hasMessage(message);
    }

    /** A table with the string partition key {@code id}. */
    void createSimpleTable(String name) {
        call("CreateTable", """
                {'TableName': '%s', 'BillingMode': 'PAY_PER_REQUEST',
                 'AttributeDefinitions': [{'AttributeName': 'id', 'AttributeType': 'S'}],
                 'KeySchema': [{'AttributeName': 'id', 'KeyType': 'HASH'}]}""".formatted(name));
    }

    /** A table with the string partition key {@code id} and the sort key {@code pos} of the given type. */
    void createSortedTable(String name, String sortType) {
        call("CreateTable", """
                {'TableName': '%s', 'BillingMode': 'PAY_PER_REQUEST',
                 'AttributeDefinitions': [{'AttributeName': 'id', 'AttributeType': 'S'},
                                          {'AttributeName': 'pos', 'AttributeType': '%s'}],
                 'KeySchema': [{'AttributeName': 'id', 'KeyType': 'HASH'}, {'AttributeName': 'pos', 'KeyType': 'RANGE'}]}""".formatted(name, sortType));
    }

    void put(String table, String item) {
        call("PutItem", "{'TableName': '" + table + "', 'Item': " + item + "}");
    }

    /** The item, or an empty document when there is none. */
    ObjectNode get(String table, String key) {
        ObjectNode response =
                call("GetItem", "{'TableName': '" + table + "', 'ConsistentRead': true, 'Key': " + key + "}");
        return response.has("Item") ? (ObjectNode) response.get("Item") : json("{}");
    }

    static ObjectNode putRequest(String table, String id, String attribute, String text) {
        ObjectNode request = json("{'TableName': '" + table + "'}");
        ObjectNode item = request.putObject("Item");
        item.putObject("id").put("S", id);
        item.putObject(attribute).put("S", text);
        return request;
    }
}
