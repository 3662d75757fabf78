package io.millrace.internal.item;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules are those of "DynamoDB item sizes and formats" in AWS's developer guide, computed by hand. */
class ItemSizeTest {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static ObjectNode item() {
        return NODES.objectNode();
    }

    private static int sizeOfNumber(String number) {
        return ItemSize.of(NODES.numberNode(new BigDecimal(number)));
    }

    private static JsonNode nested(int levels) {
        JsonNode value = NODES.textNode("x");
        for (int i = 0; i < levels; i++) {
            value = i % 2 == 0 ? item().set("m", value) : NODES.arrayNode().add(value);
        }
        return value;
    }

    @Test
    void textTakesItsUtf8BytesAndItsName() {
        assertThat(ItemSize.of(item().put("id", "abc"))).isEqualTo(2 + 3);
        assertThat(ItemSize.of(item().put("é", "naïve"))).isEqualTo(2 + 6);
        assertThat(ItemSize.of(item().put("smile", "\ud83d\ude00"))).isEqualTo(5 + 4);
        assertThat(ItemSize.of(item().put("empty", ""))).isEqualTo(5);
    }

    @Test
    void everyCharacterTakesItsUtf8Bytes() {
        for (int character = 0; character <= Character.MAX_VALUE; character++) {
            String text = Character.toString(character);
            if (!Character.isSurrogate((char) character)) {
                assertThat(ItemSize.utf8Length(text))
                        .as("U+%04X", character)
                        .isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
            }
        }
    }

    @Test
    void binaryTakesItsBytesAndBooleanAndNullTakeOne() {
        assertThat(ItemSize.of(item().put("data", new byte[100]))).isEqualTo(4 + 100);
        assertThat(ItemSize.of(item().put("yes", true))).isEqualTo(3 + 1);
        assertThat(ItemSize.of(item().putNull("none"))).isEqualTo(4 + 1);
    }

    @Test
    void writeUnitIsEachBegunKilobyte() {
        assertThat(ItemSize.writeUnits(1)).isEqualTo(1);
        assertThat(ItemSize.writeUnits(1_024)).isEqualTo(1);
        assertThat(ItemSize.writeUnits(1_025)).isEqualTo(2);
        assertThat(ItemSize.writeUnits(400 * 1_024)).isEqualTo(400);
    }

    @Test
    void listsAndMapsTakeThreeBytesAndOneAnElement() {
        ObjectNode list = item();
        list.putArray("list").add("a").add("bc").add(true);
        ObjectNode map = item();
        map.putObject("map").put("k", "value").putObject("inner");
        ObjectNode empty = item();
        empty.putArray("l");

        assertThat(ItemSize.of(list)).isEqualTo(4 + 3 + (1 + 1) + (2 + 1) + (1 + 1));
        assertThat(ItemSize.of(map)).isEqualTo(3 + 3 + (1 + 5 + 1) + (5 + 3 + 1));
        assertThat(ItemSize.of(empty)).isEqualTo(1 + 3);
    }

    @ParameterizedTest
    @CsvSource({"0,1", "7,2", "42,2", "123,3", "1200,2", "-42,3", "-123,4", "0.5,2", "1.5,3", "1e100,2"})
    void numberTakesAtLeastAByteForTwoDigitsAndOneMoreAndAnotherForItsSign(String number, int published) {
        assertThat(sizeOfNumber(number)).isBetween(published, published + 2);
    }

    @Test
    void numberTakesAtMost21Bytes() {
        assertThat(sizeOfNumber("-" + "9".repeat(38))).isEqualTo(21);
        assertThat(sizeOfNumber("9".repeat(37) + ".9")).isEqualTo(21);
    }

    @Test
    void numberHasAtMost38SignificantDigits() {
        assertThat(sizeOfNumber("9".repeat(38) + "0".repeat(80))).isEqualTo(21);
        assertThat(sizeOfNumber("0.000" + "9".repeat(38))).isEqualTo(21);
        assertThatThrownBy(() -> sizeOfNumber("9".repeat(39)))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage("A number has 39 significant digits; DynamoDB keeps 38. Round it, or store it as text.");
        assertThatThrownBy(() ->
                        ItemSize.of(NODES.numberNode(BigInteger.TEN.pow(38).add(BigInteger.ONE))))
                .isInstanceOf(UnacceptableException.class);
    }

    @Test
    void numberIsOfDynamoDbsMagnitude() {
        assertThat(sizeOfNumber("9.9e125")).isPositive();
        assertThat(sizeOfNumber("1e-130")).isPositive();
        assertThat(sizeOfNumber("0e999")).isPositive();
        assertThatThrownBy(() -> sizeOfNumber("1e126"))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage("A number is of magnitude 1E126; DynamoDB keeps 1E-130 to 1E125. Store it as text.");
        assertThatThrownBy(() -> sizeOfNumber("9.9e-131")).isInstanceOf(UnacceptableException.class);
        assertThatThrownBy(() -> ItemSize.of(NODES.numberNode(Double.MAX_VALUE)))
                .isInstanceOf(UnacceptableException.class);
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
    void numberThatIsNoneIsUnacceptable(double number) {
        assertThatThrownBy(() -> ItemSize.of(item().put("n", number)))
                .isInstanceOf(UnacceptableException.class)
                .hasMessageContaining(Double.toString(number));
        assertThatThrownBy(() -> ItemSize.of(item().put("n", (float) number)))
                .isInstanceOf(UnacceptableException.class);
    }

    @Test
    void valueIsNestedAtMost32LevelsDeep() {
        assertThat(ItemSize.of(nested(32))).isPositive();
        assertThatThrownBy(() -> ItemSize.of(nested(33)))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage("A value is nested more than 32 levels deep, DynamoDB's limit. Flatten it.");
        assertThatThrownBy(() -> ItemSize.of(nested(100_000))).isInstanceOf(UnacceptableException.class);
    }

    @Test
    void halfASurrogatePairIsUnacceptableInTextAndNames() {
        assertThatThrownBy(() -> ItemSize.of(item().put("t", "a\ud800b")))
                .isInstanceOf(UnacceptableException.class)
                .hasMessageContaining("half a surrogate pair at 1");
        assertThatThrownBy(() -> ItemSize.of(item().put("a\udc00", "t"))).isInstanceOf(UnacceptableException.class);
        assertThatThrownBy(() -> ItemSize.utf8Length("\udc00\udc00")).isInstanceOf(UnacceptableException.class);
    }

    @Test
    void isNeverBelowTheRealSize() {
        Random random = new Random(8);
        for (int i = 0; i < 2_000; i++) {
            ObjectNode item = item();
            int real = 0;
            for (int attribute = random.nextInt(6); attribute > 0; attribute--) {
                String name = "attribute" + attribute;
                JsonNode value = randomValue(random, 3);
                item.set(name, value);
                real += name.length() + realSize(value);
            }
            assertThat(ItemSize.of(item)).as(item.toString()).isGreaterThanOrEqualTo(real);
        }
    }

    private static JsonNode randomValue(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 6)) {
            case 0 -> NODES.textNode("é".repeat(random.nextInt(4)) + "a".repeat(random.nextInt(40)));
            case 1 -> NODES.numberNode(BigDecimal.valueOf(random.nextLong(), random.nextInt(40) - 20));
            case 2 -> NODES.binaryNode(new byte[random.nextInt(40)]);
            case 3 -> NODES.booleanNode(random.nextBoolean());
            case 4 -> {
                ArrayNode list = NODES.arrayNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    list.add(randomValue(random, depth - 1));
                }
                yield list;
            }
            default -> {
                ObjectNode map = item();
                for (int i = random.nextInt(4); i > 0; i--) {
                    map.set("k" + i, randomValue(random, depth - 1));
                }
                yield map;
            }
        };
    }

    /** The published rules; for numbers the exact form: pairs of digits aligned at the decimal point, and a sign. */
    private static int realSize(JsonNode value) {
        int size;
        if (value.isTextual()) {
            size = value.textValue().getBytes(StandardCharsets.UTF_8).length;
        } else if (value.isBinary()) {
            size = ((com.fasterxml.jackson.databind.node.BinaryNode) value).binaryValue().length;
        } else if (value.isNumber()) {
            BigDecimal number = value.decimalValue().stripTrailingZeros();
            int leading = Math.floorMod(number.precision() - number.scale(), 2);
            size = (number.precision() + leading + 1) / 2 + 1 + (number.signum() < 0 ? 1 : 0);
            size = Math.min(size, 21);
        } else if (value.isContainerNode()) {
            size = 3 + value.size();
            for (var entry : value.properties()) {
                size += entry.getKey().length();
            }
            for (JsonNode element : value) {
                size += realSize(element);
            }
        } else {
            size = 1;
        }
        return size;
    }
}
