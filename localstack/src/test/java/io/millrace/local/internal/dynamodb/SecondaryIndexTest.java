package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SecondaryIndexTest {
    private final DynamoDbFixture aws = new DynamoDbFixture();

    @BeforeEach
    void createTable() {
        aws.call("CreateTable", """
                {'TableName': 'cells', 'BillingMode': 'PAY_PER_REQUEST',
                 'AttributeDefinitions': [{'AttributeName': 'id', 'AttributeType': 'S'},
                    {'AttributeName': 'slot', 'AttributeType': 'S'}, {'AttributeName': 'due', 'AttributeType': 'N'}],
                 'KeySchema': [{'AttributeName': 'id', 'KeyType': 'HASH'}],
                 'GlobalSecondaryIndexes': [
                   {'IndexName': 'keys-only', 'Projection': {'ProjectionType': 'KEYS_ONLY'},
                    'KeySchema': [{'AttributeName': 'slot', 'KeyType': 'HASH'}, {'AttributeName': 'due', 'KeyType': 'RANGE'}]},
                   {'IndexName': 'with-x', 'Projection': {'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['x']},
                    'KeySchema': [{'AttributeName': 'slot', 'KeyType': 'HASH'}]},
                   {'IndexName': 'all', 'Projection': {'ProjectionType': 'ALL'},
                    'KeySchema': [{'AttributeName': 'due', 'KeyType': 'HASH'}]}]}""");
    }

    private ObjectNode query(String index, String more) {
        return aws.call(
                "Query",
                "{'TableName': 'cells', 'IndexName': '" + index + "', 'KeyConditionExpression': 'slot = :b',"
                        + " 'ExpressionAttributeValues': {':b': {'S': 'b'}}" + more + "}");
    }

    private static List<String> ids(JsonNode response) {
        List<String> ids = new ArrayList<>();
        response.get("Items").forEach(item -> ids.add(item.at("/id/S").asText()));
        return ids;
    }

    @Test
    void itemsWithoutTheKeysAreNotInTheIndex() {
        aws.put("cells", "{'id': {'S': 'none'}}");
        aws.put("cells", "{'id': {'S': 'half'}, 'slot': {'S': 'b'}}");
        aws.put("cells", "{'id': {'S': 'full'}, 'slot': {'S': 'b'}, 'due': {'N': '1'}}");
        assertThat(ids(query("keys-only", ""))).containsExactly("full");
        assertThat(ids(query("with-x", ""))).containsExactlyInAnyOrder("half", "full");
        aws.call(
                "UpdateItem", "{'TableName': 'cells', 'Key': {'id': {'S': 'full'}}, 'UpdateExpression': 'REMOVE due'}");
        assertThat(ids(query("keys-only", ""))).isEmpty();
        aws.call("DeleteItem", "{'TableName': 'cells', 'Key': {'id': {'S': 'full'}}}");
        assertThat(ids(query("with-x", ""))).containsExactly("half");
    }

    @Test
    void projectionsHoldKeysAndWhatIsIncluded() {
        aws.put("cells", "{'id': {'S': 'a'}, 'slot': {'S': 'b'}, 'due': {'N': '1'}, 'x': {'S': 'x'}, 'y': {'S': 'y'}}");
        assertThat(query("keys-only", "").get("Items").get(0))
                .isEqualTo(json("{'id': {'S': 'a'}, 'slot': {'S': 'b'}, 'due': {'N': '1'}}"));
        assertThat(query("with-x", "").get("Items").get(0))
                .isEqualTo(json("{'id': {'S': 'a'}, 'slot': {'S': 'b'}, 'x': {'S': 'x'}}"));
        ObjectNode all = aws.call("Scan", "{'TableName': 'cells', 'IndexName': 'all'}");
        assertThat(all.get("Items").get(0).size()).isEqualTo(5);
    }

    @Test
    void entriesWithOneKeyPageByTheKeyOfTheTable() {
        for (int i = 0; i < 5; i++) {
            aws.put("cells", "{'id': {'S': 'k" + i + "'}, 'slot': {'S': 'b'}, 'due': {'N': '7'}}");
        }
        List<String> found = new ArrayList<>();
        String start = "";
        for (int page = 0; page < 4; page++) {
            ObjectNode response = query("keys-only", ", 'Limit': 2" + start);
            found.addAll(ids(response));
            JsonNode last = response.get("LastEvaluatedKey");
            if (last == null) {
                break;
            }
            assertThat(last.fieldNames()).toIterable().containsExactlyInAnyOrder("slot", "due", "id");
            start = ", 'ExclusiveStartKey': " + last;
        }
        assertThat(found).containsExactlyInAnyOrder("k0", "k1", "k2", "k3", "k4");
    }

    @Test
    void numbersAreComparedByValueUpToTheEndsOfALong() {
        for (String due : List.of("9", "10", "-10", "-9223372036854775808", "9223372036854775807", "0")) {
            aws.put("cells", "{'id': {'S': '" + due + "'}, 'slot': {'S': 'b'}, 'due': {'N': '" + due + "'}}");
        }
        assertThat(ids(queryDue("<= :d", "10", ""))).containsExactly("-9223372036854775808", "-10", "0", "9", "10");
        assertThat(ids(queryDue("> :d", "10", ", 'Limit': 1"))).containsExactly("9223372036854775807");
        assertThat(ids(queryDue("> :d", "9223372036854775807", ""))).isEmpty();
        assertThat(ids(queryDue(">= :d", "-9223372036854775808", ", 'Limit': 1")))
                .containsExactly("-9223372036854775808");
    }

    @Test
    void aPageGoesOnBehindAnEntryThatIsGoneMeanwhile() {
        for (int i = 0; i < 4; i++) {
            aws.put("cells", "{'id': {'S': 'k" + i + "'}, 'slot': {'S': 'b'}, 'due': {'N': '" + i + "'}}");
        }
        ObjectNode first = queryDue("<= :d", "9", ", 'Limit': 2");
        aws.call("UpdateItem", "{'TableName': 'cells', 'Key': {'id': {'S': 'k0'}}, 'UpdateExpression': 'REMOVE due'}");
        aws.call("UpdateItem", "{'TableName': 'cells', 'Key': {'id': {'S': 'k1'}}, 'UpdateExpression': 'REMOVE due'}");

        ObjectNode second = queryDue("<= :d", "9", ", 'ExclusiveStartKey': " + first.get("LastEvaluatedKey"));

        assertThat(ids(first)).containsExactly("k0", "k1");
        assertThat(ids(second)).containsExactly("k2", "k3");
    }

    private ObjectNode queryDue(String condition, String due, String more) {
        return aws.call(
                "Query",
                "{'TableName': 'cells', 'IndexName': 'keys-only', 'KeyConditionExpression': 'slot = :b AND due "
                        + condition + "', 'ExpressionAttributeValues': {':b': {'S': 'b'}, ':d': {'N': '" + due + "'}}"
                        + more + "}");
    }

    @Test
    void updatesMoveEntries() {
        aws.put("cells", "{'id': {'S': 'a'}, 'slot': {'S': 'b'}, 'due': {'N': '10'}}");
        aws.put("cells", "{'id': {'S': 'c'}, 'slot': {'S': 'b'}, 'due': {'N': '9'}}");
        assertThat(ids(query("keys-only", ""))).containsExactly("c", "a");
        aws.call(
                "UpdateItem",
                "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'UpdateExpression': 'SET due = :d',"
                        + " 'ExpressionAttributeValues': {':d': {'N': '1'}}}");
        assertThat(ids(query("keys-only", ""))).containsExactly("a", "c");
    }

    @Test
    void indexesRefuseWhatTheyCannotHoldOrAnswer() {
        aws.assertInvalid(
                "PutItem",
                "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}, 'slot': {'N': '1'}}}",
                "One or more parameter values were invalid: Type mismatch for Index Key slot Expected: S Actual: N "
                        + "IndexName: keys-only");
        aws.assertInvalid(
                "PutItem",
                "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}, 'slot': {'S': ''}}}",
                "One or more parameter values are not valid. A value specified for a secondary index key is not "
                        + "supported. The AttributeValue for a key attribute cannot contain an empty string value. "
                        + "IndexName: keys-only, IndexKey: slot");
        String scan = "{'TableName': 'cells', 'IndexName': 'keys-only', ";
        aws.assertInvalid(
                "Scan",
                scan + "'ConsistentRead': true}",
                "Consistent reads are not supported on global secondary indexes");
        aws.assertInvalid(
                "Scan",
                scan + "'ProjectionExpression': 'id, x, y'}",
                "One or more parameter values were invalid: Global secondary index keys-only does not project [x, y]");
        aws.assertInvalid(
                "Scan",
                scan + "'Select': 'ALL_ATTRIBUTES'}",
                "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global "
                        + "secondary index keys-only because its projection type is not ALL");
    }

    @Test
    void indexesScanInSegmentsToo() {
        for (int i = 0; i < 40; i++) {
            aws.put("cells", "{'id': {'S': 'k" + i + "'}, 'due': {'N': '" + i + "'}}");
        }
        List<String> found = new ArrayList<>();
        for (int segment = 0; segment < 4; segment++) {
            found.addAll(ids(aws.call(
                    "Scan",
                    "{'TableName': 'cells', 'IndexName': 'all', 'TotalSegments': 4, 'Segment': " + segment + "}")));
        }
        assertThat(found).hasSize(40).doesNotHaveDuplicates();
    }
}
