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

    private static Row row(Row.Action action, ObjectNode attributes) {
        return Row.of("rows", ID, null, action, attributes);
    }

    private static Row put(ObjectNode attributes) {
        return row(Row.Action.PUT, attributes);
    }

    private static Row set(ObjectNode attributes) {
        return row(Row.Action.SET, attributes);
    }

    private static Row delete() {
        return row(Row.Action.DELETE, attributes());
    }

    @Test
    void setBehindAPutIsOnePut() {
        Row first = put(attributes().put("x", 1).put("y", 1).put("z", 1));

        Row both = first.followedBy(set(attributes().put("y", 2).putNull("z").put("w", 2)));

        assertThat(both).isEqualTo(put(attributes().put("x", 1).put("y", 2).put("w", 2)));
        assertThat(first.attributes())
                .as("as it was")
                .isEqualTo(attributes().put("x", 1).put("y", 1).put("z", 1));
    }

    @Test
    void setBehindASetIsOneSetThatRemovesWhatTheLaterOneRemoves() {
        Row first = set(attributes().put("x", 1).put("y", 1).putNull("w"));

        Row both = first.followedBy(set(attributes().put("y", 2).putNull("x")));

        assertThat(both).isEqualTo(set(attributes().putNull("x").put("y", 2).putNull("w")));
    }

    @Test
    void setBehindADeleteIsAPutOfWhatIsSet() {
        Row both = delete().followedBy(set(attributes().put("y", 2).putNull("x")));

        assertThat(both).isEqualTo(put(attributes().put("y", 2)));
    }

    @Test
    void putAndDeleteForgetWhatWasBefore() {
        Row put = put(attributes().put("x", 3));

        for (Row before :
                new Row[] {put(attributes().put("y", 1)), set(attributes().put("y", 1)), delete()}) {
            assertThat(before.followedBy(put)).isEqualTo(put);
            assertThat(before.followedBy(delete())).isEqualTo(delete());
        }
    }

    @Test
    void setTakesUpTo200AttributesBesideTheKey() {
        ObjectNode most = attributes().put("part", 1);
        for (int i = 0; i < 200; i++) {
            most.put("attribute" + i, i);
        }
        Row largest = Row.of("rows", ID, NUMBER, Row.Action.SET, most);
        assertThat(largest.fits()).isTrue();
        ObjectNode more = most.deepCopy().put("one more", 1);

        assertThatThrownBy(() -> Row.of("rows", ID, NUMBER, Row.Action.SET, more))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage(
                        "201 attributes of a row of table rows are set at once; 200 are allowed, since DynamoDB takes"
                                + " an expression of 4 KB. Put the row instead, or keep them in a map attribute.");
        assertThatThrownBy(() -> Row.of("rows", ID, null, Row.Action.SET, most))
                .as("the part is no key here")
                .isInstanceOf(UnacceptableException.class)
                .hasMessageStartingWith("201 attributes");
        assertThat(Row.of("rows", ID, NUMBER, Row.Action.PUT, more).fits()).isTrue();
        assertThat(largest.followedBy(Row.of(
                                "rows",
                                ID,
                                NUMBER,
                                Row.Action.SET,
                                attributes().put("part", 1).put("one more", 1)))
                        .fits())
                .isFalse();
    }

    @Test
    void mergedRowCanBeTooLarge() {
        int room = 400 * 1024 - "ida".length() - "xy".length() - "_generation".length() - 21;
        Row half = put(attributes().put("x", "x".repeat(room / 2)));

        assertThat(half.followedBy(set(attributes().put("y", "y".repeat(room - room / 2))))
                        .fits())
                .isTrue();
        assertThat(half.followedBy(set(attributes().put("y", "y".repeat(room - room / 2 + 1))))
                        .fits())
                .isFalse();
    }

    @Test
    void stubTakesItsMarkersToo() {
        assertThat(delete().size() - put(attributes()).size())
                .isEqualTo("_deleted".length() + 1 + "_ttl".length() + 21);
    }

    @Test
    void namesThatMillraceNeedsAreReserved() {
        assertThat(java.util.List.of("_generation", "_deleted", "_ttl", "_version", "_f.", "_f.0.1"))
                .allMatch(Row::isReserved);
        assertThat(java.util.List.of("generation", "ttl", "_f", "_x", "__ttl", "x_f.", ""))
                .noneMatch(Row::isReserved);
    }

    @Test
    void textOfAnIdentityIsThatRowsAlone() {
        assertThat(new Row.Identity("rows", "a", null).text()).isEqualTo("rows#1#a");
        assertThat(new Row.Identity("rows", "a", "b").text()).isEqualTo("rows#1#a#b");
        assertThat(new Row.Identity("rows", "a#b", "c").text())
                .isNotEqualTo(new Row.Identity("rows", "a", "b#c").text());
        assertThat(new Row.Identity("rows", "a#b", null).text())
                .isNotEqualTo(new Row.Identity("rows", "a", "b").text());
    }
}
