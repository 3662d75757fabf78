package io.millrace.local.internal.dynamodb;

import static io.millrace.local.internal.dynamodb.DynamoDbFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The grammar and meaning of conditions, tried as conditions of a delete on one known item. */
class ConditionExpressionTest {
    private static final String ITEM = """
            {'id': {'S': 'a'}, 'n': {'N': '10'}, 'small': {'N': '9'}, 's': {'S': 'hello'}, 'b': {'B': 'gAE='},
             't': {'BOOL': true}, 'z': {'NULL': true}, 'l': {'L': [{'N': '1'}, {'S': 'x'}, {'M': {'k': {'N': '5'}}}]},
             'm': {'M': {'in': {'M': {'deep': {'S': 'yes'}}}, 'seq': {'L': [{'N': '7'}]}}},
             'ss': {'SS': ['p', 'q']}, 'ns': {'NS': ['1', '2']}, 'twin': {'S': 'hello'}, 'dotted.name': {'N': '3'}}""";
    private static final String NAMES =
            "{'#dotted': 'dotted.name', '#status': 'status', '#n': 'n', '#m': 'm', '#i': 'in'}";
    private static final String VALUES = """
            {':n10': {'N': '10'}, ':n10e': {'N': '1E1'}, ':n9': {'N': '9'}, ':n5': {'N': '5'}, ':n3': {'N': '3'}, ':n2': {'N': '2'},
             ':hello': {'S': 'hello'}, ':he': {'S': 'he'}, ':ell': {'S': 'ell'}, ':zz': {'S': 'zz'}, ':p': {'S': 'p'},
             ':S': {'S': 'S'}, ':L': {'S': 'L'}, ':yes': {'S': 'yes'}, ':true': {'BOOL': true}, ':null': {'NULL': true},
             ':b80': {'B': 'gA=='}, ':b7f': {'B': 'fw=='}, ':qp': {'SS': ['q', 'p']}, ':list': {'L': [{'N': '1'}]},
             ':BAD': {'S': 'BAD'}}""";

    private final DynamoDbFixture aws = new DynamoDbFixture();

    @BeforeEach
    void createTable() {
        aws.createSimpleTable("cells");
        aws.put("cells", ITEM);
    }

    private ObjectNode request(String condition) {
        ObjectNode request = json("{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}}");
        request.put("ConditionExpression", condition);
        copyUsed(request, "ExpressionAttributeNames", json(NAMES), condition);
        copyUsed(request, "ExpressionAttributeValues", json(VALUES), condition);
        return request;
    }

    private static void copyUsed(ObjectNode request, String member, ObjectNode all, String expression) {
        all.properties().forEach(entry -> {
            if (expression.matches("(?s).*" + entry.getKey() + "(?![A-Za-z0-9_]).*")) {
                request.withObjectProperty(member).set(entry.getKey(), entry.getValue());
            }
        });
    }

    private boolean holds(String condition) {
        try {
            aws.service.call("DeleteItem", request(condition));
            return true;
        } catch (AwsServiceException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo("ConditionalCheckFailedException");
            assertThat(e).hasMessage("The conditional request failed");
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "n = :n10",
                "n = :n10e",
                ":n10 = n",
                "(n) = (:n10)",
                "n <> :n9",
                "n > :n9",
                "n >= :n10",
                "small < n",
                "n <= :n10e",
                "absent <> :n9",
                "n <> :hello",
                "NOT n = :n9",
                "NOT absent < :n9",
                "n BETWEEN :n9 AND :n10",
                "n between :n10 and :n10",
                "n IN (:n9, :n10)",
                "s IN (twin)",
                "s = twin",
                "z = :null",
                "t = :true",
                "ss = :qp",
                "l[0] < :n2",
                "l[2].k = :n5",
                "m.#i.deep = :yes",
                "#m.seq[0] > :n5",
                "#dotted = :n3",
                "attribute_exists(s)",
                "attribute_exists(m.seq[0])",
                "attribute_exists (z)",
                "attribute_not_exists(absent)",
                "attribute_not_exists(l[3])",
                "attribute_not_exists(#status)",
                "attribute_type(s, :S)",
                "attribute_type(l, :L)",
                "begins_with(s, :he)",
                "begins_with(b, :b80)",
                "contains(s, :ell)",
                "contains(ss, :p)",
                "contains(ns, :n2)",
                "contains(l, :n5) OR contains(l, :n10) OR l[0] <> :n5",
                "size(s) = :n5",
                "size(l) = :n3",
                "size(ss) = :n2",
                "size(m) BETWEEN :n2 AND :n5",
                "size(b) = :n2",
                "b > :b7f",
                "n = :n9 OR s = :hello AND t = :true",
                "(n = :n9 OR s = :hello) AND t = :true",
                "NOT (n = :n9 AND s = :hello)",
                "NOT NOT n = :n10",
                "n=:n10 and(s=:hello)",
            })
    void trueConditions(String condition) {
        assertThat(holds(condition)).as(condition).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "n = :n9",
                "n = :hello",
                "absent = :n9",
                "absent < :n9",
                "s > :zz",
                "s < :n9",
                "n BETWEEN :n5 AND :n9",
                "n IN (:n9)",
                "attribute_not_exists(id)",
                "attribute_exists(m.seq[1])",
                "attribute_exists(s.deep)",
                "attribute_type(n, :S)",
                "begins_with(s, :ell)",
                "begins_with(n, :he)",
                "contains(s, :zz)",
                "contains(n, :n10)",
                "contains(absent, :n10)",
                "size(n) = :n2",
                "b < :b80",
                "n = :n10 AND s = :zz",
                "(n = :n9 OR s = :hello) AND t = :null",
                "NOT n = :n10",
            })
    void falseConditions(String condition) {
        assertThat(holds(condition)).as(condition).isFalse();
    }

    @Test
    void conditionsAreTestedAgainstNothingWhenThereIsNoItem() {
        aws.call(
                "DeleteItem",
                "{'TableName': 'cells', 'Key': {'id': {'S': 'none'}},"
                        + " 'ConditionExpression': 'attribute_not_exists(id)'}");
        assertThat(aws.failure(
                                "DeleteItem",
                                "{'TableName': 'cells', 'Key': {'id': {'S': 'none'}},"
                                        + " 'ConditionExpression': 'attribute_exists(id)',"
                                        + " 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}")
                        .members())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "n = = :n10 | Syntax error; token: \"=\", near: \"= = :n10\"",
                "n = | Syntax error; token: \"<EOF>\", near: \"=\"",
                "n | Syntax error; token: \"<EOF>\", near: \"n\"",
                "n = :n10 AND | Syntax error; token: \"<EOF>\", near: \"AND\"",
                "n = :n10 s | Syntax error; token: \"s\", near: \":n10 s\"",
                "n = 10 | Syntax error; token: \"10\", near: \"= 10\"",
                "n ! :n10 | Syntax error; token: \"!\", near: \"n ! :n10\"",
                "(n = :n10 | Syntax error; token: \"<EOF>\", near: \":n10\"",
                "n[x] = :n10 | Syntax error; token: \"x\", near: \"[x]\"",
                "((n = :n10)) | The expression has redundant parentheses;",
                "status = :n10 | Attribute name is a reserved keyword; reserved keyword: status",
                "n.Value = :n10 | Attribute name is a reserved keyword; reserved keyword: Value",
                "#undefined = :n10 | An expression attribute name used in the document path is not defined; attribute name: #undefined",
                "n = :undefined | An expression attribute value used in expression is not defined; attribute value: :undefined",
                "foo(n) | Invalid function name; function: foo",
                "ATTRIBUTE_EXISTS(n) | Invalid function name; function: ATTRIBUTE_EXISTS",
                "size(n) | The function is not allowed to be used this way in an expression; function: size",
                "n = begins_with(s, :he) | The function is not allowed to be used this way in an expression; function: begins_with",
                "begins_with(s) | Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: 1",
                "attribute_exists(:he) | Operator or function requires a document path; operator or function: attribute_exists",
                "begins_with(s, :n9) | Incorrect operand type for operator or function; operator or function: begins_with, operand type: N",
                "attribute_type(s, :n9) | Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N",
                "attribute_type(s, :BAD) | Invalid attribute type name found; type: BAD, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
                "size(:n9) = :n9 | Incorrect operand type for operator or function; operator or function: size, operand type: N",
                "n < :true | Incorrect operand type for operator or function; operator: <, operand type: BOOL",
                "n = n | The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [n]",
                "n BETWEEN :n10 AND :n9 | The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:10}, upper bound operand: AttributeValue: {N:9}",
                "n BETWEEN :n9 AND :he | The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {N:9}, upper bound operand: AttributeValue: {S:he}",
            })
    void invalidConditions(String condition, String detail) {
        var failure = aws.failure("DeleteItem", request(condition));
        assertThat(failure.code()).isEqualTo("ValidationException");
        assertThat(failure).hasMessage("Invalid ConditionExpression: " + detail);
    }

    @Test
    void emptyExpressionsAreRefused() {
        aws.assertInvalid(
                "DeleteItem",
                "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, 'ConditionExpression': ' '}",
                "Invalid ConditionExpression: The expression can not be empty;");
    }

    @Test
    void namesAndValuesMustBeUsedAndWellFormed() {
        String start = "{'TableName': 'cells', 'Key': {'id': {'S': 'a'}}, ";
        String condition = "'ConditionExpression': 'attribute_exists(id)', ";
        aws.assertInvalid(
                "DeleteItem",
                start + condition + "'ExpressionAttributeNames': {'#b': 'b', '#a': 'a'}}",
                "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}");
        aws.assertInvalid(
                "DeleteItem",
                start + condition + "'ExpressionAttributeValues': {':a': {'S': 'a'}}}",
                "Value provided in ExpressionAttributeValues unused in expressions: keys: {:a}");
        aws.assertInvalid(
                "DeleteItem",
                start + "'ExpressionAttributeNames': {'#a': 'a'}}",
                "ExpressionAttributeNames can only be specified when using expressions");
        aws.assertInvalid(
                "DeleteItem",
                start + "'ExpressionAttributeValues': {':a': {'S': 'a'}}}",
                "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null");
        aws.assertInvalid(
                "DeleteItem",
                start + condition + "'ExpressionAttributeNames': {}}",
                "ExpressionAttributeNames must not be empty");
        aws.assertInvalid(
                "DeleteItem",
                start + condition + "'ExpressionAttributeNames': {'a': 'a'}}",
                "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"");
        aws.assertInvalid(
                "DeleteItem",
                start + condition + "'ExpressionAttributeValues': {':a': {}}}",
                "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain "
                        + "exactly one of the supported datatypes for key :a");
    }

    @Test
    void expressionsHaveAtMostFourKilobytes() {
        assertThat(holds("n = :n10" + " ".repeat(4_096 - 8))).isTrue();
        assertThat(aws.failure("DeleteItem", request("n = :n10" + " ".repeat(4_097 - 8))))
                .hasMessage("Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
                        + "expression size: 4097");
    }

    @Test
    void expressionsHaveAtMostThreeHundredOperators() {
        // 150 comparisons have 149 operators between them; one NOT makes 300.
        String many = IntStream.range(0, 150).mapToObj(i -> "n=:n10").collect(Collectors.joining(" OR "));
        assertThat(holds("NOT " + many)).isTrue();
        aws.put("cells", ITEM);
        assertThat(aws.failure("DeleteItem", request("NOT NOT " + many)))
                .hasMessage("Invalid ConditionExpression: The expression contains too many operators; "
                        + "operator count: 301");
    }

    @Test
    void inTakesAtMostOneHundredOperands() {
        String hundred = IntStream.range(0, 100).mapToObj(i -> ":n10").collect(Collectors.joining(", "));
        assertThat(holds("n IN (" + hundred + ")")).isTrue();
        assertThat(aws.failure("DeleteItem", request("n IN (" + hundred + ", :n10)")))
                .hasMessage("Invalid ConditionExpression: The IN operator is provided with too many operands; "
                        + "number of operands: 101");
    }

    @Test
    void everyReservedWordIsRefusedInAnyCase() {
        assertThat(ReservedWords.count()).isEqualTo(573);
        for (String word : new String[] {"ABORT", "NAME", "TTL", "ZONE"}) {
            assertThat(ReservedWords.contains(word)).isTrue();
            assertThat(ReservedWords.contains(word.toLowerCase(Locale.ROOT))).isTrue();
        }
        assertThat(ReservedWords.contains("fence")).isFalse();
    }

    @Test
    void theCacheOfExpressionsIsBounded() {
        ExpressionCache cache = new ExpressionCache();
        for (int i = 0; i < 3 * ExpressionCache.ENTRIES_MAX; i++) {
            cache.condition(ExpressionKind.CONDITION, "n" + i + " = :x");
        }
        assertThat(cache.size()).isLessThanOrEqualTo(ExpressionCache.ENTRIES_MAX);
    }
}
