package io.millrace.internal.item;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ItemJsonTest {
    private static ObjectNode item() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static ObjectNode everyType() {
        ObjectNode item = item();
        item.put("text", "é\ud83d\ude00\n\"");
        item.put("empty", "");
        item.put("data", new byte[] {0, -1, 7});
        item.put("none", new byte[0]);
        item.put("number", new BigDecimal("12345678901234567890123456789012345678"));
        item.put("yes", true);
        item.put("no", false);
        item.putNull("null");
        item.putArray("list").add("a").add(1).addArray().add(true);
        item.putObject("map").putObject("B").put("S", "not a type here");
        item.putObject("nothing");
        item.putArray("nobody");
        return item;
    }

    private static JsonNode roundTrip(ObjectNode item) throws IOException {
        return ItemJson.read(ItemJson.write(item));
    }

    @Test
    void eachValueNamesItsType() {
        assertThat(new String(ItemJson.write(everyType()), UTF_8))
                .isEqualTo("{\"text\":{\"S\":\"é\ud83d\ude00\\n\\\"\"},\"empty\":{\"S\":\"\"},"
                        + "\"data\":{\"B\":\"AP8H\"},\"none\":{\"B\":\"\"},"
                        + "\"number\":{\"N\":\"12345678901234567890123456789012345678\"},"
                        + "\"yes\":{\"BOOL\":true},\"no\":{\"BOOL\":false},\"null\":{\"NULL\":true},"
                        + "\"list\":{\"L\":[{\"S\":\"a\"},{\"N\":\"1\"},{\"L\":[{\"BOOL\":true}]}]},"
                        + "\"map\":{\"M\":{\"B\":{\"M\":{\"S\":{\"S\":\"not a type here\"}}}}},"
                        + "\"nothing\":{\"M\":{}},\"nobody\":{\"L\":[]}}");
    }

    @Test
    void everyTypeRoundTripsInItsOrder() throws IOException {
        JsonNode read = roundTrip(everyType());

        List<String> names = new ArrayList<>();
        read.fieldNames().forEachRemaining(names::add);
        assertThat(names)
                .containsExactly(
                        "text", "empty", "data", "none", "number", "yes", "no", "null", "list", "map", "nothing",
                        "nobody");
        assertThat(read.get("data").isBinary()).isTrue();
        assertThat(ItemSize.of(read)).isEqualTo(ItemSize.of(everyType()));
        assertThat(ItemJson.write((ObjectNode) read)).isEqualTo(ItemJson.write(everyType()));
    }

    /** Jackson's own limit for a name is 50,000 characters; a map's key may be longer. */
    @Test
    void namesAndTextsAreAsLongAsTheyAre() throws IOException {
        ObjectNode item = item().put("k".repeat(60_000), "v".repeat(3_000_000));

        assertThat(roundTrip(item)).isEqualTo(item);
    }

    @Test
    void namesThatCollideAreNamesToo() throws IOException {
        ObjectNode item = item();
        for (int i = 0; i < 1 << 10; i++) {
            StringBuilder name = new StringBuilder();
            for (int bit = 0; bit < 10; bit++) {
                name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            item.put(name.toString(), i);
        }

        assertThat(roundTrip(item).size()).isEqualTo(1 << 10);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "[]",
                "{\"a\":7}",
                "{\"a\":[7]}",
                "{\"a\":[\"S\"]}",
                "{\"a\":{}}",
                "{\"a\":{\"S\":\"x\",\"N\":\"1\"}}",
                "{\"a\":{\"S\":7}}",
                "{\"a\":{\"B\":7}}",
                "{\"a\":{\"B\":\"?\"}}",
                "{\"a\":{\"N\":1}}",
                "{\"a\":{\"N\":\"one\"}}",
                "{\"a\":{\"M\":7}}",
                "{\"a\":{\"L\":[7]}}",
                "{\"a\":{\"X\":\"x\"}}",
                "{\"a\":"
            })
    void whatIsSomethingElseIsRefused(String text) {
        assertThatThrownBy(() -> ItemJson.read(text.getBytes(UTF_8))).isInstanceOf(IOException.class);
    }
}
