package io.millrace.internal.item;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.Row.KeyType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowTest {
    private static final Row.Key ID = new Row.Key("id", KeyType.STRING);
    private static final Row.Key PART = new Row.Key("part", KeyType.STRING);
    private static final Row.Key NUMBER = new Row.Key("part", KeyType.NUMBER);

    private static ObjectNode attributes() {
        return JsonNodeFactory.instance.objectNode().put("id", "a");
    }

    private static void assertUnacceptable(Row.@Nullable Key sortKey, ObjectNode attributes, String message) {
        assertThatThrownBy(() -> Row.of("rows", ID, sortKey, attributes))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage(message);
    }

    @Test
    void sortKeyHasItsOwnLimit() {
        Row longest = Row.of("rows", ID, PART, attributes().put("part", "p".repeat(1_024)));

        assertThat(longest.identity()).isEqualTo(new Row.Identity("rows", "a", "p".repeat(1_024)));
        assertUnacceptable(
                PART,
                attributes().put("part", "p".repeat(1_025)),
                "The key attribute part of a row of table rows has 1025 bytes; DynamoDB allows 1 to 1024.");
        assertUnacceptable(
                PART,
                attributes().put("part", ""),
                "The key attribute part of a row of table rows has 0 bytes; DynamoDB allows 1 to 1024.");
    }

    @Test
    void rowWithoutAPartOfItsKeyIsUnacceptable() {
        String message = "A row of table rows has no part, which is part of its key.";

        assertUnacceptable(PART, attributes(), message);
        assertUnacceptable(PART, attributes().putNull("part"), message);
        assertThat(Row.of("rows", ID, null, attributes()).identity()).isEqualTo(new Row.Identity("rows", "a", null));
    }

    @Test
    void numberKeyIsTheSameHoweverItIsWritten() {
        for (ObjectNode same :
                new ObjectNode[] {attributes().put("part", 100), attributes().put("part", 100.0)}) {
            assertThat(Row.of("rows", ID, NUMBER, same).identity()).isEqualTo(new Row.Identity("rows", "a", "100"));
        }
    }

    @Test
    void keyOfAnotherTypeIsUnacceptable() {
        assertUnacceptable(
                PART,
                attributes().put("part", 7),
                "The key attribute part of a row of table rows is written as NUMBER, where a STRING is needed.");
        assertUnacceptable(
                NUMBER,
                attributes().put("part", "7"),
                "The key attribute part of a row of table rows is written as STRING, where a NUMBER is needed.");
        assertThat(Row.of("rows", ID, NUMBER, attributes().put("part", 7)).identity())
                .isEqualTo(new Row.Identity("rows", "a", "7"));
    }
}
