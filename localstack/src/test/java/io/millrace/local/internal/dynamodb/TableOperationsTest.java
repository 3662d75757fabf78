package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableOperationsTest {
    private static final String ATTRIBUTES = "'AttributeDefinitions': [{'AttributeName': 'id', 'AttributeType': 'S'}]";
    private static final String KEYS = "'KeySchema': [{'AttributeName': 'id', 'KeyType': 'HASH'}]";

    private final DynamoDbFixture aws = new DynamoDbFixture();

    @Test
    void aTableIsActiveAtOnceAndDescribesItself() {
        aws.createSortedTable("cells", "N");
        aws.put("cells", "{'id': {'S': 'a'}, 'pos': {'N': '1'}}");
        JsonNode table = aws.call("DescribeTable", "{'TableName': 'cells'}").get("Table");
        assertThat(table.get("TableStatus").asText()).isEqualTo("ACTIVE");
        assertThat(table.get("KeySchema"))
                .isEqualTo(json("{'k': [{'AttributeName': 'id', 'KeyType': 'HASH'},"
                                + " {'AttributeName': 'pos', 'KeyType': 'RANGE'}]}")
                        .get("k"));
        assertThat(table.get("ItemCount").asInt()).isEqualTo(1);
        assertThat(table.get("TableSizeBytes").asInt()).isEqualTo(2 + 1 + 3 + 2);
        assertThat(table.get("CreationDateTime").asDouble()).isEqualTo(1767225600.0);
        assertThat(table.get("TableArn").asText()).isEqualTo("arn:aws:dynamodb:eu-central-1:000000000000:table/cells");
        assertThat(table.at("/BillingModeSummary/BillingMode").asText()).isEqualTo("PAY_PER_REQUEST");
    }

    @Test
    void aTableIsFoundByItsArn() {
        aws.createSimpleTable("cells");
        JsonNode table = aws.call(
                        "DescribeTable", "{'TableName': 'arn:aws:dynamodb:eu-central-1:000000000000:table/cells'}")
                .get("Table");
        assertThat(table.get("TableName").asText()).isEqualTo("cells");
    }

    @Test
    void provisionedTablesWithIndexesAndHarmlessExtrasAreAccepted() {
        JsonNode table = aws.call("CreateTable", """
                {'TableName': 'cells', 'BillingMode': 'PROVISIONED',
                 'ProvisionedThroughput': {'ReadCapacityUnits': 5, 'WriteCapacityUnits': 6},
                 'AttributeDefinitions': [{'AttributeName': 'id', 'AttributeType': 'S'},
                                          {'AttributeName': 'due', 'AttributeType': 'N'}],
                 'KeySchema': [{'AttributeName': 'id', 'KeyType': 'HASH'}],
                 'GlobalSecondaryIndexes': [{'IndexName': 'by-due',
                    'KeySchema': [{'AttributeName': 'due', 'KeyType': 'HASH'}],
                    'Projection': {'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['x']},
                    'ProvisionedThroughput': {'ReadCapacityUnits': 1, 'WriteCapacityUnits': 2}}],
                 'StreamSpecification': {'StreamEnabled': true, 'StreamViewType': 'NEW_IMAGE'},
                 'SSESpecification': {'Enabled': true}, 'Tags': [{'Key': 'a', 'Value': 'b'}]}""").get("TableDescription");
        assertThat(table.at("/ProvisionedThroughput/WriteCapacityUnits").asInt())
                .isEqualTo(6);
        assertThat(table.at("/GlobalSecondaryIndexes/0/IndexStatus").asText()).isEqualTo("ACTIVE");
        assertThat(table.at("/GlobalSecondaryIndexes/0/ProvisionedThroughput/WriteCapacityUnits")
                        .asInt())
                .isEqualTo(2);
        assertThat(table.at("/GlobalSecondaryIndexes/0/Projection/NonKeyAttributes/0")
                        .asText())
                .isEqualTo("x");
        assertThat(table.at("/StreamSpecification/StreamEnabled").asBoolean()).isTrue();
        assertThat(table.at("/SSEDescription/Status").asText()).isEqualTo("ENABLED");
    }

    @Test
    void existingAndMissingTablesAreNamed() {
        aws.createSimpleTable("cells");
        var exists = aws.failure(
                "CreateTable",
                "{'TableName': 'cells', 'BillingMode': 'PAY_PER_REQUEST', " + ATTRIBUTES + ", " + KEYS + "}");
        assertThat(exists.code()).isEqualTo("ResourceInUseException");
        assertThat(exists).hasMessage("Table already exists: cells");
        for (String operation : List.of("DescribeTable", "DeleteTable", "DescribeTimeToLive")) {
            var missing = aws.failure(operation, "{'TableName': 'other'}");
            assertThat(missing.code()).isEqualTo("ResourceNotFoundException");
            assertThat(missing).hasMessage("Requested resource not found: Table: other not found");
        }
        var missing = aws.failure("GetItem", "{'TableName': 'other', 'Key': {'id': {'S': 'a'}}}");
        assertThat(missing.code()).isEqualTo("ResourceNotFoundException");
        assertThat(missing).hasMessage("Requested resource not found");
    }

    @Test
    void deletedTablesAreGone() {
        aws.createSimpleTable("cells");
        JsonNode deleted = aws.call("DeleteTable", "{'TableName': 'cells'}").get("TableDescription");
        assertThat(deleted.get("TableStatus").asText()).isEqualTo("DELETING");
        assertThat(aws.call("ListTables", "{}").get("TableNames")).isEmpty();
        aws.createSimpleTable("cells");
        assertThat(aws.call("Scan", "{'TableName': 'cells'}").get("Count").asInt())
                .isZero();
    }

    @Test
    void namesAreListedInPages() {
        for (int i = 0; i < 101; i++) {
            aws.createSimpleTable("table-%03d".formatted(i));
        }
        ObjectNode first = aws.call("ListTables", "{}");
        assertThat(first.get("TableNames")).hasSize(100);
        assertThat(first.get("LastEvaluatedTableName").asText()).isEqualTo("table-099");
        ObjectNode second = aws.call("ListTables", "{'ExclusiveStartTableName': 'table-099'}");
        assertThat(second.get("TableNames")).hasSize(1);
        assertThat(second.has("LastEvaluatedTableName")).isFalse();
        List<String> names = new ArrayList<>();
        aws.call("ListTables", "{'Limit': 2}").get("TableNames").forEach(name -> names.add(name.asText()));
        assertThat(names).containsExactly("table-000", "table-001");
        assertThat(aws.failure("ListTables", "{'Limit': 101}").code()).isEqualTo("ValidationException");
        assertThat(aws.failure("ListTables", "{'Limit': 0}").code()).isEqualTo("ValidationException");
    }

    @Test
    void invalidDefinitionsAreRefused() {
        assertRefused(
                "'TableName': 'ab', 'BillingMode': 'PAY_PER_REQUEST', " + ATTRIBUTES + ", " + KEYS,
                "TableName must be at least 3 characters long and at most 255 characters long");
        assertRefused(
                "'TableName': 'abc', " + ATTRIBUTES + ", " + KEYS,
                "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be "
                        + "specified when BillingMode is PROVISIONED");
        assertRefused(
                "'TableName': 'abc', 'BillingMode': 'PAY_PER_REQUEST', 'AttributeDefinitions': [], " + KEYS,
                "One or more parameter values were invalid: Some index key attributes are not defined in "
                        + "AttributeDefinitions. Keys: [id], AttributeDefinitions: []");
        assertRefused(
                "'TableName': 'abc', 'BillingMode': 'PAY_PER_REQUEST', " + KEYS
                        + ", 'AttributeDefinitions': [{'AttributeName': 'id', 'AttributeType': 'S'},"
                        + " {'AttributeName': 'x', 'AttributeType': 'S'}]",
                "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match "
                        + "number of attributes defined in AttributeDefinitions");
        assertRefused(
                "'TableName': 'abc', 'BillingMode': 'PAY_PER_REQUEST', " + ATTRIBUTES
                        + ", 'KeySchema': [{'AttributeName': 'id', 'KeyType': 'RANGE'}]",
                "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
        assertRefused(
                "'TableName': 'abc', 'BillingMode': 'PAY_PER_REQUEST', " + KEYS
                        + ", 'AttributeDefinitions': [{'AttributeName': 'id', 'AttributeType': 'BOOL'}]",
                "1 validation error detected: Value 'BOOL' at 'attributeType' failed to satisfy constraint: "
                        + "Member must satisfy enum value set: [B, N, S]");
    }

    private void assertRefused(String members, String message) {
        aws.assertInvalid("CreateTable", "{" + members + "}", message);
    }

    @Test
    void timeToLiveIsStoredAndDescribed() {
        aws.createSimpleTable("cells");
        assertThat(aws.call("DescribeTimeToLive", "{'TableName': 'cells'}"))
                .isEqualTo(json("{'TimeToLiveDescription': {'TimeToLiveStatus': 'DISABLED'}}"));
        String enable = "{'TableName': 'cells', 'TimeToLiveSpecification': {'AttributeName': 'end', 'Enabled': true}}";
        assertThat(aws.call("UpdateTimeToLive", enable))
                .isEqualTo(json("{'TimeToLiveSpecification': {'AttributeName': 'end', 'Enabled': true}}"));
        assertThat(aws.call("DescribeTimeToLive", "{'TableName': 'cells'}"))
                .isEqualTo(json("{'TimeToLiveDescription': {'TimeToLiveStatus': 'ENABLED', 'AttributeName': 'end'}}"));
        aws.assertInvalid("UpdateTimeToLive", enable, "TimeToLive is already enabled");
    }

    @Test
    void expiredItemsStayVisibleUntilTheyAreExpired() {
        aws.createSimpleTable("cells");
        aws.call(
                "UpdateTimeToLive",
                "{'TableName': 'cells', 'TimeToLiveSpecification': {'AttributeName': 'end', 'Enabled': true}}");
        long now = aws.clock.instant().getEpochSecond();
        aws.put("cells", "{'id': {'S': 'soon'}, 'end': {'N': '" + (now + 10) + "'}}");
        aws.put("cells", "{'id': {'S': 'text'}, 'end': {'S': '" + now + "'}}");
        aws.put("cells", "{'id': {'S': 'ancient'}, 'end': {'N': '1'}}");
        aws.put("cells", "{'id': {'S': 'forever'}}");
        aws.clock.advance(Duration.ofSeconds(10));
        assertThat(aws.service.expireItems()).isZero();
        aws.clock.advance(Duration.ofSeconds(1));
        assertThat(aws.get("cells", "{'id': {'S': 'soon'}}")).isNotEmpty();
        assertThat(aws.service.expireItems()).isEqualTo(1);
        assertThat(aws.get("cells", "{'id': {'S': 'soon'}}")).isEmpty();
        assertThat(aws.call("Scan", "{'TableName': 'cells'}").get("Count").asInt())
                .isEqualTo(3);
    }

    @Test
    void whatIsNotImplementedIsAnUnknownOperation() {
        assertThat(aws.failure("ExecuteStatement", "{}").code()).isEqualTo("UnknownOperationException");
    }
}
