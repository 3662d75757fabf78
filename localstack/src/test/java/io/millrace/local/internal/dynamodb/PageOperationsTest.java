package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PageOperationsTest {
    private final DynamoDbFixture aws = new DynamoDbFixture();

    private void putNumbers(int count) {
        aws.createSortedTable("rows", "N");
        for (int i = 0; i < count; i++) {
            aws.put("rows", "{'id': {'S': 'p'}, 'pos': {'N': '" + i + "'}, 'odd': {'BOOL': " + (i % 2 == 1) + "}}");
        }
        aws.put("rows", "{'id': {'S': 'other'}, 'pos': {'N': '3'}}");
    }

    private static List<String> sortKeys(JsonNode response, String type) {
        List<String> keys = new ArrayList<>();
        response.get("Items").forEach(item -> keys.add(item.at("/pos/" + type).asText()));
        return keys;
    }

    private ObjectNode query(String keyCondition, String values, String more) {
        return aws.call(
                "Query",
                "{'TableName': 'rows', 'KeyConditionExpression': 'id = :p" + keyCondition
                        + "', 'ExpressionAttributeValues': {':p': {'S': 'p'}" + values + "}" + more + "}");
    }

    @Test
    void numbersAreInNumericOrder() {
        putNumbers(12);
        assertThat(sortKeys(query("", "", ""), "N"))
                .containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
        assertThat(sortKeys(query("", "", ", 'ScanIndexForward': false, 'Limit': 3"), "N"))
                .containsExactly("11", "10", "9");
    }

    @Test
    void sortKeyConditionsSelectARange() {
        putNumbers(12);
        String nine = ", ':a': {'N': '9'}";
        assertThat(sortKeys(query(" AND pos = :a", nine, ""), "N")).containsExactly("9");
        assertThat(sortKeys(query(" AND pos > :a", nine, ""), "N")).containsExactly("10", "11");
        assertThat(sortKeys(query(" AND pos >= :a", nine, ""), "N")).containsExactly("9", "10", "11");
        assertThat(sortKeys(query(" AND pos < :a", ", ':a': {'N': '2'}", ""), "N"))
                .containsExactly("0", "1");
        assertThat(sortKeys(query(" AND pos <= :a", ", ':a': {'N': '2'}", ""), "N"))
                .containsExactly("0", "1", "2");
        String bounds = ", ':a': {'N': '2'}, ':b': {'N': '4'}";
        assertThat(sortKeys(query(" AND pos BETWEEN :a AND :b", bounds, ""), "N"))
                .containsExactly("2", "3", "4");
        assertThat(sortKeys(query(" AND pos BETWEEN :a AND :b", bounds, ", 'ScanIndexForward': false"), "N"))
                .containsExactly("4", "3", "2");
        assertThat(query(" AND pos = :a", ", ':a': {'N': '99'}", "")
                        .get("Count")
                        .asInt())
                .isZero();
    }

    @Test
    void prefixesSelectNeighbours() {
        aws.createSortedTable("rows", "S");
        for (String at : List.of("a", "ab", "abc", "abd", "ac", "b", "aé")) {
            aws.put("rows", "{'id': {'S': 'p'}, 'pos': {'S': '" + at + "'}}");
        }
        String prefix = ", ':a': {'S': 'ab'}";
        assertThat(sortKeys(query(" AND begins_with(pos, :a)", prefix, ""), "S"))
                .containsExactly("ab", "abc", "abd");
        assertThat(sortKeys(query(" AND begins_with(pos, :a)", prefix, ", 'ScanIndexForward': false"), "S"))
                .containsExactly("abd", "abc", "ab");
        assertThat(sortKeys(query("", "", ""), "S")).containsExactly("a", "ab", "abc", "abd", "ac", "aé", "b");
    }

    @Test
    void binariesAreInUnsignedOrder() {
        aws.createSortedTable("rows", "B");
        for (String at : List.of("/w==", "AA==", "fw==", "gA==", "AAA=")) {
            aws.put("rows", "{'id': {'S': 'p'}, 'pos': {'B': '" + at + "'}}");
        }
        assertThat(sortKeys(query("", "", ""), "B")).containsExactly("AA==", "AAA=", "fw==", "gA==", "/w==");
    }

    @Test
    void pagesGoOnBehindTheLastKeyEvenWhenItemsChange() {
        putNumbers(6);
        ObjectNode first = query("", "", ", 'Limit': 2");
        assertThat(sortKeys(first, "N")).containsExactly("0", "1");
        assertThat(first.get("LastEvaluatedKey")).isEqualTo(json("{'id': {'S': 'p'}, 'pos': {'N': '1'}}"));
        aws.call("DeleteItem", "{'TableName': 'rows', 'Key': {'id': {'S': 'p'}, 'pos': {'N': '1'}}}");
        aws.put("rows", "{'id': {'S': 'p'}, 'pos': {'N': '1.5'}}");
        ObjectNode second = query("", "", ", 'Limit': 9, 'ExclusiveStartKey': " + first.get("LastEvaluatedKey"));
        assertThat(sortKeys(second, "N")).containsExactly("1.5", "2", "3", "4", "5");
        assertThat(second.has("LastEvaluatedKey")).isFalse();
        ObjectNode back = query(
                "", "", ", 'ScanIndexForward': false, 'ExclusiveStartKey': {'id': {'S': 'p'}, 'pos': {'N': '2'}}");
        assertThat(sortKeys(back, "N")).containsExactly("1.5", "0");
    }

    @Test
    void aPageThatEndsAtItsLimitNamesALastKeyEvenAtTheEnd() {
        putNumbers(2);
        assertThat(query("", "", ", 'Limit': 2").has("LastEvaluatedKey")).isTrue();
        ObjectNode empty = query("", "", ", 'Limit': 2, 'ExclusiveStartKey': {'id': {'S': 'p'}, 'pos': {'N': '1'}}");
        assertThat(empty.get("Count").asInt()).isZero();
        assertThat(empty.has("LastEvaluatedKey")).isFalse();
    }

    @Test
    void filtersCountWhatTheyHide() {
        putNumbers(6);
        ObjectNode page = query("", ", ':t': {'BOOL': true}", ", 'FilterExpression': 'odd = :t', 'Limit': 3");
        assertThat(sortKeys(page, "N")).containsExactly("1");
        assertThat(page.get("Count").asInt()).isEqualTo(1);
        assertThat(page.get("ScannedCount").asInt()).isEqualTo(3);
        ObjectNode count = query("", ", ':t': {'BOOL': true}", ", 'FilterExpression': 'odd = :t', 'Select': 'COUNT'");
        assertThat(count).isEqualTo(json("{'Count': 3, 'ScannedCount': 6}"));
    }

    @Test
    void invalidQueriesAreRefused() {
        putNumbers(2);
        assertRefused("", "", "Invalid KeyConditionExpression: The expression can not be empty;");
        assertRefused("pos = :a", "':a': {'N': '1'}", "Query condition missed key schema element: id");
        assertRefused("id > :p", "':p': {'S': 'p'}", "Query key condition not supported");
        assertRefused(
                "id = :p OR id = :p",
                "':p': {'S': 'p'}",
                "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: OR");
        assertRefused(
                "id = :p AND id = :p",
                "':p': {'S': 'p'}",
                "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key");
        assertRefused(
                "id = :p AND pos <> :a",
                "':p': {'S': 'p'}, ':a': {'N': '1'}",
                "Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: <>");
        assertRefused(
                "id = :p AND x = :a",
                "':p': {'S': 'p'}, ':a': {'N': '1'}",
                "Query condition missed key schema element: pos");
        assertRefused(
                "id = :p",
                "':p': {'N': '1'}",
                "One or more parameter values were invalid: Condition parameter type does not match schema type");
        aws.assertInvalid(
                "Query",
                "{'TableName': 'rows'}",
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
        String valid =
                "{'TableName': 'rows', 'KeyConditionExpression': 'id = :p', 'ExpressionAttributeValues': {':p': {'S': 'p'}}, ";
        aws.assertInvalid(
                "Query",
                valid + "'FilterExpression': 'attribute_exists(pos)'}",
                "Filter Expression can only contain non-primary key attributes: Primary key attribute: pos");
        aws.assertInvalid("Query", valid + "'IndexName': 'none'}", "The table does not have the specified index: none");
        aws.assertInvalid(
                "Query",
                valid + "'Limit': 0}",
                "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
                        + "Member must have value greater than or equal to 1");
        aws.assertInvalid(
                "Query",
                valid + "'ExclusiveStartKey': {'id': {'S': 'p'}}}",
                "The provided starting key is invalid: The provided key element does not match the schema");
        aws.assertInvalid(
                "Query",
                valid + "'ExclusiveStartKey': {'id': {'S': 'q'}, 'pos': {'N': '1'}}}",
                "The provided starting key is outside query boundaries based on provided conditions");
        aws.assertInvalid(
                "Query",
                valid + "'Select': 'COUNT', 'ProjectionExpression': 'odd'}",
                "Cannot specify the ProjectionExpression when choosing to get only the Count");
    }

    private void assertRefused(String keyCondition, String values, String message) {
        String members = values.isEmpty() ? "" : ", 'ExpressionAttributeValues': {" + values + "}";
        aws.assertInvalid(
                "Query",
                "{'TableName': 'rows', 'KeyConditionExpression': '" + keyCondition + "'" + members + "}",
                message);
    }

    /** All keys of a scan that goes on until there is no last key. */
    private List<String> scanAll(String members) {
        List<String> keys = new ArrayList<>();
        JsonNode last = null;
        int pages = 0;
        do {
            ObjectNode request = json("{'TableName': 'cells'" + members + "}");
            if (last != null) {
                request.set("ExclusiveStartKey", last);
            }
            ObjectNode response = aws.service.call("Scan", request);
            response.get("Items").forEach(item -> keys.add(item.at("/id/S").asText()));
            last = response.get("LastEvaluatedKey");
            pages++;
        } while (last != null && pages < 10_000);
        return keys;
    }

    @Test
    void segmentsCoverEveryItemOnce() {
        aws.createSimpleTable("cells");
        Set<String> put = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            aws.put("cells", "{'id': {'S': 'key-" + i + "'}}");
            put.add("key-" + i);
        }
        for (int total : new int[] {1, 2, 3, 7, 64, 1_000_000}) {
            List<String> found = new ArrayList<>();
            if (total <= 64) {
                for (int segment = 0; segment < total; segment++) {
                    found.addAll(scanAll(", 'Limit': 17, 'Segment': " + segment + ", 'TotalSegments': " + total));
                }
                assertThat(found).as("total segments " + total).hasSize(1_000);
                assertThat(new HashSet<>(found)).isEqualTo(put);
            } else {
                assertThat(scanAll(", 'Segment': 999999, 'TotalSegments': " + total))
                        .hasSizeLessThan(10);
            }
        }
        List<String> half = scanAll(", 'Segment': 0, 'TotalSegments': 2");
        assertThat(half).hasSizeBetween(400, 600);
    }

    @Test
    void scanOrderIsStable() {
        aws.createSimpleTable("cells");
        for (int i = 0; i < 50; i++) {
            aws.put("cells", "{'id': {'S': 'key-" + i + "'}}");
        }
        List<String> paged = scanAll(", 'Limit': 7");
        assertThat(paged).isEqualTo(scanAll("")).hasSize(50);
    }

    @Test
    void segmentsAreChecked() {
        aws.createSimpleTable("cells");
        String scan = "{'TableName': 'cells', ";
        aws.assertInvalid(
                "Scan",
                scan + "'Segment': 0}",
                "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
                        + "present");
        aws.assertInvalid(
                "Scan",
                scan + "'TotalSegments': 1}",
                "The Segment parameter is required but was not present in the request when parameter TotalSegments is "
                        + "present");
        aws.assertInvalid(
                "Scan",
                scan + "'TotalSegments': 2, 'Segment': 2}",
                "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not "
                        + "less than TotalSegments: 2");
        assertThat(aws.failure("Scan", scan + "'TotalSegments': 1000001, 'Segment': 2}")
                        .code())
                .isEqualTo("ValidationException");
        aws.put("cells", "{'id': {'S': 'a'}}");
        int segment = scanAll(", 'TotalSegments': 2, 'Segment': 0").isEmpty() ? 1 : 0;
        aws.assertInvalid(
                "Scan",
                scan + "'TotalSegments': 2, 'Segment': " + (1 - segment) + ", 'ExclusiveStartKey': {'id': {'S': 'a'}}}",
                "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
                        + "correct Segment. TotalSegments: 2 Segment: " + (1 - segment));
    }

    @Test
    void scansFilterAndProject() {
        aws.createSimpleTable("cells");
        aws.put("cells", "{'id': {'S': 'a'}, 'n': {'N': '1'}, 'x': {'S': 'x'}}");
        aws.put("cells", "{'id': {'S': 'b'}, 'n': {'N': '2'}, 'x': {'S': 'x'}}");
        ObjectNode page = aws.call(
                "Scan",
                "{'TableName': 'cells', 'FilterExpression': 'n > :n', 'ProjectionExpression': 'id, n',"
                        + " 'ExpressionAttributeValues': {':n': {'N': '1'}}}");
        assertThat(page)
                .isEqualTo(json("{'Count': 1, 'ScannedCount': 2, 'Items': [{'id': {'S': 'b'}, 'n': {'N': '2'}}]}"));
    }

    @Test
    void pagesHoldAtMostOneMegabyte() {
        aws.createSortedTable("rows", "N");
        // Each item has 128 KB: names and values of id, pos and v.
        String text = "x".repeat(128 * 1_024 - 2 - 1 - 3 - 2 - 1);
        for (int i = 1; i <= 9; i++) {
            aws.put("rows", "{'id': {'S': 'p'}, 'pos': {'N': '" + i + "'}, 'v': {'S': '" + text + "'}}");
        }
        ObjectNode first = query("", "", "");
        assertThat(first.get("Count").asInt()).isEqualTo(8);
        assertThat(first.get("LastEvaluatedKey")).isEqualTo(json("{'id': {'S': 'p'}, 'pos': {'N': '8'}}"));
        ObjectNode filtered = query("", "", ", 'FilterExpression': 'attribute_not_exists(v)'");
        assertThat(filtered.get("Count").asInt()).isZero();
        assertThat(filtered.has("LastEvaluatedKey")).isTrue();
        ObjectNode scan =
                aws.call("Scan", "{'TableName': 'rows', 'ExclusiveStartKey': " + first.get("LastEvaluatedKey") + "}");
        assertThat(scan.get("Count").asInt()).isEqualTo(1);
        assertThat(scan.has("LastEvaluatedKey")).isFalse();
    }
}
