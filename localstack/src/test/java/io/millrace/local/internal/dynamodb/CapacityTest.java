package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The units that requests consume. Items here are made of id (2 + 1 bytes) and v (1 byte and its text). */
class CapacityTest {
    private static final int OVERHEAD_BYTES = 4;

    private final DynamoDbFixture aws = new DynamoDbFixture();

    @BeforeEach
    void createTable() {
        aws.createSimpleTable("cells");
    }

    private double put(int itemBytes) {
        return units(
                "PutItem",
                "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}, 'v': {'S': '"
                        + "x".repeat(itemBytes - OVERHEAD_BYTES) + "'}}}");
    }

    private double units(String operation, String document) {
        ObjectNode request = json(document);
        request.put("ReturnConsumedCapacity", "TOTAL");
        return aws.service
                .call(operation, request)
                .at("/ConsumedCapacity/CapacityUnits")
                .asDouble();
    }

    @Test
    void writesCostOneUnitAKilobyteOfTheLargerItem() {
        assertThat(put(4)).isEqualTo(1);
        assertThat(put(1_024)).isEqualTo(1);
        assertThat(put(1_025)).isEqualTo(2);
        assertThat(put(2_049)).isEqualTo(3);
        assertThat(put(10)).isEqualTo(3);
        assertThat(put(10)).isEqualTo(1);
        put(5_000);
        String key = "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}";
        assertThat(units("UpdateItem", key + ", 'UpdateExpression': 'REMOVE v'}"))
                .isEqualTo(5);
        assertThat(units("DeleteItem", key + "}")).isEqualTo(1);
        assertThat(units("DeleteItem", key + "}")).isEqualTo(1);
    }

    @Test
    void readsCostHalfAUnitOrOneForFourKilobytes() {
        String get = "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}";
        assertThat(units("GetItem", get + "}")).isEqualTo(0.5);
        put(4_096);
        assertThat(units("GetItem", get + "}")).isEqualTo(0.5);
        assertThat(units("GetItem", get + ", 'ConsistentRead': true}")).isEqualTo(1);
        put(4_097);
        assertThat(units("GetItem", get + ", 'ConsistentRead': true}")).isEqualTo(2);
        assertThat(units("GetItem", get + ", 'ConsistentRead': true, 'ProjectionExpression': 'id'}"))
                .isEqualTo(2);
    }

    @Test
    void pagesAreRoundedUpAsAWhole() {
        for (String id : new String[] {"a", "b", "c"}) {
            aws.put("cells", "{'id': {'S': '" + id + "'}, 'v': {'S': '" + "x".repeat(2_000) + "'}}");
        }
        assertThat(units("Scan", "{'TableName': 'cells', 'ConsistentRead': true}"))
                .isEqualTo(2);
        assertThat(units("Scan", "{'TableName': 'cells'}")).isEqualTo(1);
        assertThat(units("Scan", "{'TableName': 'cells', 'FilterExpression': 'attribute_not_exists(id)'}"))
                .isEqualTo(1);
    }

    @Test
    void batchesCountEachItemAndEachTable() {
        aws.createSimpleTable("rows");
        put(4_097);
        ObjectNode response = aws.call("BatchGetItem", """
                {'ReturnConsumedCapacity': 'TOTAL', 'RequestItems': {
                   'cells': {'Keys': [{'id': {'S': 'a'}}, {'id': {'S': 'none'}}], 'ConsistentRead': true},
                   'rows': {'Keys': [{'id': {'S': 'none'}}]}}}""");
        assertThat(response.get("ConsumedCapacity"))
                .isEqualTo(json("{'c': [{'TableName': 'cells', 'CapacityUnits': 3.0},"
                                + " {'TableName': 'rows', 'CapacityUnits': 0.5}]}")
                        .get("c"));
        ObjectNode written = aws.call("BatchWriteItem", """
                {'ReturnConsumedCapacity': 'TOTAL', 'RequestItems': {
                   'cells': [{'DeleteRequest': {'Key': {'id': {'S': 'a'}}}}],
                   'rows': [{'PutRequest': {'Item': {'id': {'S': 'x'}}}}, {'PutRequest': {'Item': {'id': {'S': 'y'}}}}]}}""");
        assertThat(written.at("/ConsumedCapacity/0/CapacityUnits").asDouble()).isEqualTo(5);
        assertThat(written.at("/ConsumedCapacity/1/CapacityUnits").asDouble()).isEqualTo(2);
    }

    @Test
    void transactionsCostTwice() {
        String items = "'TransactItems': [{'Put': {'TableName': 'cells', 'Item': {'id': {'S': 'a'}, 'v': {'S': '"
                + "x".repeat(1_025) + "'}}}}, {'ConditionCheck': {'TableName': 'cells', 'Key': {'id': {'S': 'b'}},"
                + " 'ConditionExpression': 'attribute_not_exists(id)'}}]";
        String request = "{'ClientRequestToken': 't', 'ReturnConsumedCapacity': 'TOTAL', " + items + "}";
        assertThat(aws.call("TransactWriteItems", request).at("/ConsumedCapacity/0"))
                .isEqualTo(json("{'TableName': 'cells', 'CapacityUnits': 6.0, 'WriteCapacityUnits': 6.0}"));
        // The second call with the token only reads.
        assertThat(aws.call("TransactWriteItems", request).at("/ConsumedCapacity/0"))
                .isEqualTo(json("{'TableName': 'cells', 'CapacityUnits': 4.0, 'ReadCapacityUnits': 4.0}"));
        assertThat(aws.call(
                                "TransactGetItems",
                                "{'ReturnConsumedCapacity': 'TOTAL', 'TransactItems':"
                                        + " [{'Get': {'TableName': 'cells', 'Key': {'id': {'S': 'a'}}}}]}")
                        .at("/ConsumedCapacity/0/CapacityUnits")
                        .asDouble())
                .isEqualTo(2);
    }

    @Test
    void indexesCostNothingOneWriteOrTwo() {
        aws.call("CreateTable", """
                {'TableName': 'indexed', 'BillingMode': 'PAY_PER_REQUEST',
                 'AttributeDefinitions': [{'AttributeName': 'id', 'AttributeType': 'S'},
                                          {'AttributeName': 'due', 'AttributeType': 'N'}],
                 'KeySchema': [{'AttributeName': 'id', 'KeyType': 'HASH'}],
                 'GlobalSecondaryIndexes': [{'IndexName': 'by-due', 'Projection': {'ProjectionType': 'KEYS_ONLY'},
                    'KeySchema': [{'AttributeName': 'due', 'KeyType': 'HASH'}]}]}""");
        assertThat(indexed("{'id': {'S': 'a'}}"))
                .isEqualTo(json("{'TableName': 'indexed', 'CapacityUnits': 1.0, 'Table': {'CapacityUnits': 1.0}}"));
        assertThat(indexed("{'id': {'S': 'a'}, 'due': {'N': '1'}}")).isEqualTo(json("""
                {'TableName': 'indexed', 'CapacityUnits': 2.0, 'Table': {'CapacityUnits': 1.0},
                 'GlobalSecondaryIndexes': {'by-due': {'CapacityUnits': 1.0}}}"""));
        assertThat(indexed("{'id': {'S': 'a'}, 'due': {'N': '1'}, 'x': {'N': '1'}}")
                        .at("/CapacityUnits")
                        .asDouble())
                .isEqualTo(1);
        assertThat(indexed("{'id': {'S': 'a'}, 'due': {'N': '2'}}")
                        .at("/GlobalSecondaryIndexes/by-due/CapacityUnits")
                        .asDouble())
                .isEqualTo(2);
        assertThat(indexed("{'id': {'S': 'a'}}").at("/CapacityUnits").asDouble())
                .isEqualTo(2);
    }

    private ObjectNode indexed(String item) {
        return (ObjectNode) aws.call(
                        "PutItem",
                        "{'TableName': 'indexed', 'ReturnConsumedCapacity': 'INDEXES', 'Item': " + item + "}")
                .get("ConsumedCapacity");
    }

    @Test
    void theMeterAlsoCountsRefusedWrites() {
        put(2_000);
        assertThat(aws.service.consumedWriteUnits()).isEqualTo(2);
        assertThat(aws.failure(
                                "PutItem",
                                "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}},"
                                        + " 'ConditionExpression': 'attribute_not_exists(id)'}")
                        .code())
                .isEqualTo("ConditionalCheckFailedException");
        assertThat(aws.service.consumedWriteUnits()).isEqualTo(4);
        aws.get("cells", "{'id': {'S': 'a'}}");
        assertThat(aws.service.consumedReadUnits()).isEqualTo(1);
    }

    @Test
    void nothingIsReportedUnlessAsked() {
        ObjectNode response = aws.call("PutItem", "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}}}");
        assertThat(response.has("ConsumedCapacity")).isFalse();
        assertThat(aws.failure("Scan", "{'TableName': 'cells', 'ReturnConsumedCapacity': 'SOME'}")
                        .code())
                .isEqualTo("ValidationException");
    }
}
