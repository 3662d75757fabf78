package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static io.millrace.local.internal.dynamodb.DynamoDbFixture.putRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Types, sizes and limits of attribute values, items and keys. */
class AttributeValueTest {
    private static final int ITEM_BYTES_MAX = 409_600;

    private final DynamoDbFixture aws = new DynamoDbFixture();

    @BeforeEach
    void createTable() {
        aws.createSimpleTable("cells");
    }

    @Test
    void everyTypeComesBackAsItWasPut() {
        String item = """
                {'id': {'S': 'all'}, 's': {'S': 'é'}, 'n': {'N': '-1.5'}, 'b': {'B': 'AAH/'}, 't': {'BOOL': true},
                 'f': {'BOOL': false}, 'z': {'NULL': true}, 'l': {'L': [{'N': '1'}, {'M': {'x': {'S': ''}}}]},
                 'm': {'M': {'k': {'L': []}, 'e': {'M': {}}}}, 'ss': {'SS': ['a', 'b']}, 'ns': {'NS': ['1', '2.5']},
                 'bs': {'BS': ['AA==', '/w==']}, 'empty': {'S': ''}, 'emptyb': {'B': ''}}""";
        aws.put("cells", item);
        ObjectNode stored = aws.get("cells", "{'id': {'S': 'all'}}");
        assertThat(json(stored.toString())).isEqualTo(json(item));
    }

    @Test
    void answersShareNothingWithTheTable() throws IOException {
        ObjectNode request = json("{'TableName': 'cells', 'Item': {'id': {'S': 'a'}}}");
        byte[] bytes = {1, 2, 3};
        ((ObjectNode) request.get("Item")).putObject("b").put("B", bytes);
        aws.service.call("PutItem", request);
        bytes[0] = 9;
        ObjectNode first = aws.get("cells", "{'id': {'S': 'a'}}");
        first.get("b").get("B").binaryValue()[1] = 9;
        first.remove("id");
        ObjectNode second = aws.get("cells", "{'id': {'S': 'a'}}");
        assertThat(second.get("b").get("B").binaryValue()).containsExactly(1, 2, 3);
        assertThat(second.has("id")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "1.500, 1.5",
        "0.00, 0",
        "-0, 0",
        "1E2, 100",
        "001, 1",
        "1e-3, 0.001",
        "+7, 7",
        "99999999999999999999999999999999999999, 99999999999999999999999999999999999999",
        "123456789012345678901234567890123456780000, 123456789012345678901234567890123456780000",
    })
    void numbersAreNormalised(String given, String stored) {
        aws.put("cells", "{'id': {'S': 'a'}, 'n': {'N': '" + given + "'}}");
        assertThat(aws.get("cells", "{'id': {'S': 'a'}}").at("/n/N").asText()).isEqualTo(stored);
    }

    @ParameterizedTest
    @CsvSource({
        "100000000000000000000000000000000000001, Attempting to store more than 38 significant digits in a Number",
        "1E126, Number overflow. Attempting to store a number with magnitude larger than supported range",
        "1E-131, Number underflow. Attempting to store a number with magnitude smaller than supported range",
        "'', The parameter cannot be converted to a numeric value",
        "abc, The parameter cannot be converted to a numeric value: abc",
        "NaN, The parameter cannot be converted to a numeric value: NaN",
    })
    void numbersOutOfRangeAreRefused(String number, String message) {
        aws.assertInvalid("PutItem", item("{'N': '" + number + "'}"), message);
    }

    @Test
    void numbersAtTheLimitsAreAccepted() {
        for (String number : new String[] {"9.9999999999999999999999999999999999999E125", "1E-130", "-1E125"}) {
            aws.put("cells", "{'id': {'S': 'a'}, 'n': {'N': '" + number + "'}}");
        }
    }

    private static String item(String value) {
        return "{'TableName': 'cells', 'Item': {'id': {'S': 'a'}, 'v': " + value + "}}";
    }

    @Test
    void malformedValuesAreRefused() {
        String invalid = "One or more parameter values were invalid: ";
        aws.assertInvalid(
                "PutItem",
                item("{}"),
                "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
        aws.assertInvalid(
                "PutItem",
                item("{'S': 'a', 'N': '1'}"),
                "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported "
                        + "datatypes");
        aws.assertInvalid(
                "PutItem", item("{'NULL': false}"), invalid + "Null attribute value types must have the value of true");
        aws.assertInvalid("PutItem", item("{'SS': []}"), invalid + "An string set  may not be empty");
        aws.assertInvalid("PutItem", item("{'NS': []}"), invalid + "An number set  may not be empty");
        aws.assertInvalid("PutItem", item("{'BS': []}"), invalid + "Binary sets should not be empty");
        aws.assertInvalid(
                "PutItem",
                item("{'SS': ['a', 'b', 'a']}"),
                invalid + "Input collection [a, b, a] contains duplicates.");
        aws.assertInvalid("PutItem", item("{'NS': ['1', '1.0']}"), "Input collection contains duplicates");
        assertThat(aws.failure("PutItem", item("{'N': 1}")).code()).isEqualTo("SerializationException");
        assertThat(aws.failure("PutItem", item("{'B': '***'}")).code()).isEqualTo("SerializationException");
    }

    @Test
    void valuesNestThirtyTwoLevelsDeep() {
        aws.put("cells", "{'id': {'S': 'a'}, 'v': " + nested(32) + "}");
        aws.assertInvalid("PutItem", item(nested(33)), "Nesting Levels have exceeded supported limits");
    }

    private static String nested(int levels) {
        return "{'L': [".repeat(levels) + "{'S': 'x'}" + "]}".repeat(levels);
    }

    @Test
    void anItemMayHaveFourHundredKilobytes() {
        // Names and values: "id" + "a" + "v" and the text.
        int text = ITEM_BYTES_MAX - 4;
        aws.service.call("PutItem", putRequest("cells", "a", "v", "x".repeat(text - 1)));
        aws.service.call("PutItem", putRequest("cells", "a", "v", "x".repeat(text)));
        assertThat(aws.failure("PutItem", putRequest("cells", "a", "v", "x".repeat(text + 1))))
                .hasMessage("Item size has exceeded the maximum allowed size");
        // Two bytes a character.
        aws.service.call("PutItem", putRequest("cells", "a", "v", "é".repeat(text / 2)));
        assertThat(aws.failure("PutItem", putRequest("cells", "a", "v", "é".repeat(text / 2 + 1))))
                .hasMessage("Item size has exceeded the maximum allowed size");
    }

    @Test
    void anUpdateMayNotGrowAnItemOverFourHundredKilobytes() {
        aws.service.call("PutItem", putRequest("cells", "a", "v", "x".repeat(ITEM_BYTES_MAX - 4)));
        aws.assertInvalid(
                "UpdateItem",
                "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'UpdateExpression': 'SET w = :w',"
                        + " 'ExpressionAttributeValues': {':w': {'NULL': true}}}",
                "Item size to update has exceeded the maximum allowed size");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'S': 'abc'} | 3",
                "{'S': 'é€😀'} | 9",
                "{'N': '0'} | 1",
                "{'N': '7'} | 2",
                "{'N': '12'} | 2",
                "{'N': '123'} | 3",
                "{'N': '-12'} | 3",
                "{'N': '1000'} | 2",
                "{'B': 'AAH/'} | 3",
                "{'BOOL': true} | 1",
                "{'NULL': true} | 1",
                "{'L': []} | 3",
                "{'L': [{'S': 'ab'}, {'N': '1'}]} | 9",
                "{'M': {}} | 3",
                "{'M': {'ab': {'S': 'cde'}}} | 9",
                "{'SS': ['a', 'bcd']} | 4",
                "{'NS': ['1', '22']} | 4",
            })
    void sizesAreCountedAsDynamoDbCountsThem(String value, int bytes) {
        assertThat(ValueReader.value(json(value)).sizeBytes()).isEqualTo(bytes);
    }

    @Test
    void stringsSortByTheirUtf8Bytes() {
        assertThat(Utf8.compare("a", "b")).isNegative();
        assertThat(Utf8.compare("a", "ab")).isNegative();
        assertThat(Utf8.compare("z", "é")).isNegative();
        // UTF-16 has it the other way round.
        assertThat(Utf8.compare("\uFFFD", "\uD83D\uDE00")).isNegative();
        assertThat(Utf8.compare("same", "same")).isZero();
    }

    @Test
    void partitionKeysHaveOneToTwoThousandFortyEightBytes() {
        aws.service.call("PutItem", putRequest("cells", "k".repeat(2_047), "v", "x"));
        aws.service.call("PutItem", putRequest("cells", "k".repeat(2_048), "v", "x"));
        String tooLong = "One or more parameter values were invalid: "
                + "Size of hashkey has exceeded the maximum size limit of2048 bytes";
        assertThat(aws.failure("PutItem", putRequest("cells", "k".repeat(2_049), "v", "x")))
                .hasMessage(tooLong);
        assertThat(aws.failure("PutItem", putRequest("cells", "k".repeat(3_000), "v", "x")))
                .hasMessage(tooLong);
        assertThat(aws.failure("PutItem", putRequest("cells", "é".repeat(1_025), "v", "x")))
                .hasMessage(tooLong);
        assertThat(aws.failure("PutItem", putRequest("cells", "", "v", "x")))
                .hasMessage("One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
                        + "contain an empty string value. Key: id");
    }

    @Test
    void sortKeysHaveOneToOneThousandTwentyFourBytes() {
        aws.createSortedTable("rows", "S");
        aws.put("rows", "{'id': {'S': 'a'}, 'pos': {'S': '" + "k".repeat(1_024) + "'}}");
        aws.assertInvalid(
                "PutItem",
                "{'TableName': 'rows', 'Item': {'id': {'S': 'a'}, 'pos': {'S': '" + "k".repeat(1_025) + "'}}}",
                "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size "
                        + "limit of 1024 bytes");
        aws.assertInvalid(
                "GetItem",
                "{'TableName': 'rows', 'Key': {'id': {'S': 'a'}, 'pos': {'S': ''}}}",
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                        + "empty string value. Key: pos");
    }

    @Test
    void keysMustFitTheSchema() {
        aws.assertInvalid(
                "PutItem",
                "{'TableName': 'cells', 'Item': {'x': {'S': 'a'}}}",
                "One or more parameter values were invalid: Missing the key id in the item");
        aws.assertInvalid(
                "PutItem",
                "{'TableName': 'cells', 'Item': {'id': {'N': '1'}}}",
                "One or more parameter values were invalid: Type mismatch for key id expected: S actual: N");
        String mismatch = "The provided key element does not match the schema";
        for (String key : new String[] {"{}", "{'id': {'N': '1'}}", "{'id': {'S': 'a'}, 'x': {'S': 'a'}}"}) {
            aws.assertInvalid("GetItem", "{'TableName': 'cells', 'Key': " + key + "}", mismatch);
            aws.assertInvalid("DeleteItem", "{'TableName': 'cells', 'Key': " + key + "}", mismatch);
            aws.assertInvalid("UpdateItem", "{'TableName': 'cells', 'Key': " + key + "}", mismatch);
        }
    }

    @Test
    void binaryAndNumberKeysFindTheirItems() {
        aws.createSortedTable("numbers", "N");
        aws.put("numbers", "{'id': {'S': 'a'}, 'pos': {'N': '1.0'}, 'v': {'S': 'one'}}");
        assertThat(aws.get("numbers", "{'id': {'S': 'a'}, 'pos': {'N': '1'}}")
                        .at("/v/S")
                        .asText())
                .isEqualTo("one");
        aws.createSortedTable("bytes", "B");
        aws.put("bytes", "{'id': {'S': 'a'}, 'pos': {'B': '/w=='}, 'v': {'S': 'ff'}}");
        assertThat(aws.get("bytes", "{'id': {'S': 'a'}, 'pos': {'B': '/w=='}}")
                        .at("/v/S")
                        .asText())
                .isEqualTo("ff");
    }

    @Test
    void valuesOfDifferentTypesHaveNoOrder() {
        Value text = ValueReader.value(json("{'S': 'a'}"));
        Value number = ValueReader.value(json("{'N': '1'}"));
        assertThat(ScalarOrder.comparable(text, number)).isFalse();
        assertThatThrownBy(() -> ScalarOrder.compare(text, number)).isInstanceOf(IllegalArgumentException.class);
    }
}
