package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UpdateExpressionTest {
    private static final String KEY = "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, ";
    private static final String ITEM = """
            {'id': {'S': 'a'}, 'n': {'N': '10'}, 's': {'S': 'x'}, 'l': {'L': [{'N': '0'}, {'N': '1'}, {'N': '2'}]},
             'm': {'M': {'k': {'N': '5'}, 'seq': {'L': [{'M': {'y': {'N': '1'}}}, {'N': '8'}]}}},
             'ss': {'SS': ['p', 'q']}, 'ns': {'NS': ['1', '2']}}""";

    private final DynamoDbFixture aws = new DynamoDbFixture();

    @BeforeEach
    void createTable() {
        aws.createSimpleTable("cells");
        aws.put("cells", ITEM);
    }

    /** The item after the update, without its key. */
    private JsonNode update(String expression, String values) {
        String members = values.isEmpty() ? "" : "'ExpressionAttributeValues': {" + values + "}, ";
        JsonNode item = aws.call(
                        "UpdateItem",
                        KEY + members + "'UpdateExpression': '" + expression + "', 'ReturnValues': 'ALL_NEW'}")
                .get("Attributes");
        assertThat(item).isEqualTo(aws.get("cells", "{'id': {'S': 'a'}}"));
        return item;
    }

    private void assertInvalid(String expression, String values, String message) {
        String members = values.isEmpty() ? "" : "'ExpressionAttributeValues': {" + values + "}, ";
        aws.assertInvalid("UpdateItem", KEY + members + "'UpdateExpression': '" + expression + "'}", message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SET n = :v | ':v': {'S': 'new'} | /n | {'S': 'new'}",
                "set fresh = :v | ':v': {'BOOL': true} | /fresh | {'BOOL': true}",
                "SET n = n + :v | ':v': {'N': '2.5'} | /n | {'N': '12.5'}",
                "SET n = :v - n | ':v': {'N': '1'} | /n | {'N': '-9'}",
                "SET n = (n + :v) | ':v': {'N': '1'} | /n | {'N': '11'}",
                "SET n = if_not_exists(n, :v) + :v | ':v': {'N': '1'} | /n | {'N': '11'}",
                "SET c = if_not_exists(c, :v) + :v | ':v': {'N': '1'} | /c | {'N': '2'}",
                "SET l = list_append(l, :v) | ':v': {'L': [{'N': '3'}]} | /l | {'L': [{'N':'0'},{'N':'1'},{'N':'2'},{'N':'3'}]}",
                "SET l = list_append(:v, l) | ':v': {'L': [{'N': '3'}]} | /l | {'L': [{'N':'3'},{'N':'0'},{'N':'1'},{'N':'2'}]}",
                "SET l[1] = :v | ':v': {'S': 'x'} | /l | {'L': [{'N':'0'},{'S':'x'},{'N':'2'}]}",
                "SET l[9] = :v | ':v': {'S': 'x'} | /l | {'L': [{'N':'0'},{'N':'1'},{'N':'2'},{'S':'x'}]}",
                "SET m.k = m.k + :v | ':v': {'N': '1'} | /m/M/k | {'N': '6'}",
                "SET m.seq[0].y = :v | ':v': {'N': '2'} | /m/M/seq/L/0 | {'M': {'y': {'N': '2'}}}",
                "ADD n :v | ':v': {'N': '-10'} | /n | {'N': '0'}",
                "ADD c :v | ':v': {'N': '4'} | /c | {'N': '4'}",
                "ADD m.k :v | ':v': {'N': '4'} | /m/M/k | {'N': '9'}",
                "ADD ss :v | ':v': {'SS': ['q', 'r']} | /ss | {'SS': ['p', 'q', 'r']}",
                "ADD fresh :v | ':v': {'NS': ['1']} | /fresh | {'NS': ['1']}",
                "DELETE ss :v | ':v': {'SS': ['q', 'z']} | /ss | {'SS': ['p']}",
                "DELETE ns :v REMOVE s | ':v': {'NS': ['1.0']} | /ns | {'NS': ['2']}",
                "SET n = s, s = n REMOVE m ADD c :v | ':v': {'N': '1'} | /s | {'N': '10'}",
            })
    void actions(String expression, String values, String pointer, String expected) {
        assertThat(update(expression, values).at(pointer)).isEqualTo(json(expected));
    }

    @Test
    void removals() {
        assertThat(update("REMOVE s, absent", "").has("s")).isFalse();
        assertThat(update("REMOVE l[0], l[2], l[7]", "").get("l")).isEqualTo(json("{'L': [{'N': '1'}]}"));
        assertThat(update("REMOVE m.seq[0].y, m.seq[1]", "").at("/m/M/seq")).isEqualTo(json("{'L': [{'M': {}}]}"));
        assertThat(update("DELETE ss :v", "':v': {'SS': ['p', 'q']}").has("ss")).isFalse();
        assertThat(update("DELETE gone :v", "':v': {'SS': ['p', 'q']}").has("gone"))
                .isFalse();
    }

    @Test
    void operandsAreReadBeforeTheUpdate() {
        JsonNode item = update("SET n = :v, former = n", "':v': {'N': '1'}");
        assertThat(item.get("former")).isEqualTo(json("{'N': '10'}"));
        // Removing an element moves no other action.
        assertThat(update("REMOVE l[0] SET l[1] = :v", "':v': {'S': 'x'}").get("l"))
                .isEqualTo(json("{'L': [{'S': 'x'}, {'N': '2'}]}"));
    }

    @Test
    void anUpdateOfNothingMakesAnItem() {
        aws.call(
                "UpdateItem",
                "{'TableName': 'cells', 'Key': {'id': {'S': 'b'}}, 'UpdateExpression': 'ADD n :one',"
                        + " 'ExpressionAttributeValues': {':one': {'N': '1'}}}");
        assertThat(aws.get("cells", "{'id': {'S': 'b'}}")).isEqualTo(json("{'id': {'S': 'b'}, 'n': {'N': '1'}}"));
        aws.call("UpdateItem", "{'TableName': 'cells', 'Key': {'id': {'S': 'c'}}}");
        assertThat(aws.get("cells", "{'id': {'S': 'c'}}")).isEqualTo(json("{'id': {'S': 'c'}}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "SET n | - | Invalid UpdateExpression: Syntax error; token: \"<EOF>\", near: \"n\"",
                "n = :v | ':v': {'N': '1'} | Invalid UpdateExpression: Syntax error; token: \"n\", near: \"n =\"",
                "SET n = :v SET s = :v | ':v': {'N': '1'} | Invalid UpdateExpression: The \"SET\" section can only be used once in an update expression;",
                "SET name = :v | ':v': {'N': '1'} | Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: name",
                "SET n = foo(n, :v) | ':v': {'N': '1'} | Invalid UpdateExpression: Invalid function name; function: foo",
                "SET n = if_not_exists(:v, n) | ':v': {'N': '1'} | Invalid UpdateExpression: Operator or function requires a document path; operator or function: if_not_exists",
                "SET n = list_append(l) | - | Invalid UpdateExpression: Incorrect number of operands for operator or function; operator or function: list_append, number of operands: 1",
                "SET n = list_append(l, :v) | ':v': {'N': '1'} | Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: list_append, operand type: N",
                "SET n = n + :v | ':v': {'S': '1'} | Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: +, operand type: S",
                "ADD s :v | ':v': {'S': '1'} | Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND",
                "DELETE n :v | ':v': {'N': '1'} | Invalid UpdateExpression: Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND",
                "SET n = :v REMOVE n | ':v': {'N': '1'} | Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [n], path two: [n]",
                "SET m.k = :v, m = :v | ':v': {'N': '1'} | Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [m, k], path two: [m]",
                "SET m.k = :v, m[0] = :v | ':v': {'N': '1'} | Invalid UpdateExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [m, k], path two: [m, [0]]",
                "SET n = absent | - | The provided expression refers to an attribute that does not exist in the item",
                "SET c = c + :v | ':v': {'N': '1'} | The provided expression refers to an attribute that does not exist in the item",
                "SET s = s + :v | ':v': {'N': '1'} | An operand in the update expression has an incorrect data type",
                "ADD s :v | ':v': {'N': '1'} | An operand in the update expression has an incorrect data type",
                "ADD ss :v | ':v': {'NS': ['1']} | An operand in the update expression has an incorrect data type",
                "DELETE ns :v | ':v': {'SS': ['1']} | An operand in the update expression has an incorrect data type",
                "SET absent.k = :v | ':v': {'N': '1'} | The document path provided in the update expression is invalid for update",
                "SET s.k = :v | ':v': {'N': '1'} | The document path provided in the update expression is invalid for update",
                "SET m[0] = :v | ':v': {'N': '1'} | The document path provided in the update expression is invalid for update",
                "REMOVE absent.k | - | The document path provided in the update expression is invalid for update",
                "SET id = :v | ':v': {'S': 'b'} | One or more parameter values were invalid: Cannot update attribute id. This attribute is part of the key",
                "REMOVE id | - | One or more parameter values were invalid: Cannot update attribute id. This attribute is part of the key",
                "SET n = n + :v | ':v': {'N': '0.0000000000000000000000000000000000000001'} | Attempting to store more than 38 significant digits in a Number",
            })
    void invalidUpdates(String expression, @Nullable String values, String message) {
        assertInvalid(expression, values == null ? "" : values, message);
        assertThat(aws.get("cells", "{'id': {'S': 'a'}}")).isEqualTo(json(ITEM));
    }

    @Test
    void returnValuesShowWhatWasUpdated() {
        String set =
                "'UpdateExpression': 'SET m.k = :v, l[1] = :v REMOVE s', 'ExpressionAttributeValues': {':v': {'N': '6'}}, ";
        assertThat(aws.call("UpdateItem", KEY + set + "'ReturnValues': 'UPDATED_OLD'}"))
                .isEqualTo(json(
                        "{'Attributes': {'m': {'M': {'k': {'N': '5'}}}, 'l': {'L': [{'N': '1'}]}, 's': {'S': 'x'}}}"));
        assertThat(aws.call("UpdateItem", KEY + set + "'ReturnValues': 'UPDATED_NEW'}"))
                .isEqualTo(json("{'Attributes': {'m': {'M': {'k': {'N': '6'}}}, 'l': {'L': [{'N': '6'}]}}}"));
        assertThat(aws.call("UpdateItem", KEY + set + "'ReturnValues': 'NONE'}"))
                .isEqualTo(json("{}"));
        assertThat(aws.call("UpdateItem", KEY + set + "'ReturnValues': 'ALL_OLD'}")
                        .at("/Attributes/n"))
                .isEqualTo(json("{'N': '10'}"));
        String other = "{'TableName': 'cells', 'Key': {'id': {'S': 'b'}}, 'UpdateExpression': 'ADD n :v',"
                + " 'ExpressionAttributeValues': {':v': {'N': '6'}}, ";
        assertThat(aws.call("UpdateItem", other + "'ReturnValues': 'UPDATED_OLD'}"))
                .isEqualTo(json("{}"));
        aws.assertInvalid(
                "UpdateItem",
                other + "'ReturnValues': 'SOME'}",
                "1 validation error detected: Value 'SOME' at 'returnValues' failed to satisfy constraint: Member must "
                        + "satisfy enum value set: [NONE, ALL_NEW, UPDATED_OLD, ALL_OLD, UPDATED_NEW]");
    }
}
