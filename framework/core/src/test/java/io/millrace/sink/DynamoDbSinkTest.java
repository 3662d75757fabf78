package io.millrace.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.MillraceException;
import io.millrace.internal.item.Row;
import io.millrace.internal.item.UnacceptableException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DynamoDbSinkTest {
    private static final DynamoDbSink<Board> BOARD = DynamoDbSink.rows("board", Board.class);
    private static final DynamoDbSink<Priced> PRICED = DynamoDbSink.rows("priced", Priced.class);

    record Board(
            @PartitionKey String airport,
            @SortKey LocalDate day,
            long flights,
            @Nullable String note) {}

    record Priced(@PartitionKey Number price, @Nullable List<String> tags) {}

    record Renamed(@JsonProperty("the_id") @PartitionKey String id) {}

    record NoKey(String id) {}

    record TwoKeys(@PartitionKey String one, @PartitionKey String two) {}

    record BooleanKey(@PartitionKey boolean yes) {}

    record Reserved(
            @PartitionKey String id,
            @JsonProperty("_generation") long generation) {}

    private static Board board(String airport) {
        return new Board(airport, LocalDate.of(2001, 1, 31), 7, null);
    }

    @Test
    void rowHasTheComponentsThatAreNotNull() {
        Row row = BOARD.row(board("ORD"));

        assertThat(row.attributes()).hasToString("{\"airport\":\"ORD\",\"day\":\"2001-01-31\",\"flights\":7}");
        assertThat(row.identity()).isEqualTo(new Row.Identity("board", "ORD", "2001-01-31"));
        assertThat(BOARD.partitionKey()).isEqualTo(new Row.Key("airport", Row.KeyType.STRING));
        assertThat(BOARD.sortKey()).isEqualTo(new Row.Key("day", Row.KeyType.STRING));
    }

    @Test
    void keyTakesTheNameThatJacksonWrites() {
        Row row = DynamoDbSink.rows("renamed", Renamed.class).row(new Renamed("a"));

        assertThat(row.partitionKey().attribute()).isEqualTo("the_id");
        assertThat(row.identity()).isEqualTo(new Row.Identity("renamed", "a", null));
    }

    @Test
    void classesThatAreNoRowsAreRefused() {
        assertThatThrownBy(() -> DynamoDbSink.rows("table", NoKey.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no component marked @PartitionKey");
        assertThatThrownBy(() -> DynamoDbSink.rows("table", TwoKeys.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 2 components marked @PartitionKey; one is allowed.");
        assertThatThrownBy(() -> DynamoDbSink.rows("table", BooleanKey.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is a boolean; a String, a java.time type or a number is needed.");
        assertThatThrownBy(() -> DynamoDbSink.rows("table", Reserved.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes the attribute name _generation, which Millrace needs.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ab", "a b c", "a/b/c"})
    void tableThatDynamoDbCannotHaveIsRefused(String table) {
        assertThatThrownBy(() -> DynamoDbSink.rows(table, Board.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The table name '" + table
                        + "' is not one of DynamoDB: 3 to 255 letters, digits, '_', '.' or '-'.");
    }

    @Test
    void keysAreHeldToDynamoDbsLimits() {
        assertThat(BOARD.row(board("é".repeat(1_024))).identity().partitionKey())
                .hasSize(1_024);
        assertThatThrownBy(() -> BOARD.row(board("é".repeat(1_024) + "a")))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage("The key attribute airport of a row of table board has 2049 bytes; DynamoDB allows 1 to"
                        + " 2048.");
        assertThatThrownBy(() -> BOARD.row(board("")))
                .isInstanceOf(UnacceptableException.class)
                .hasMessageContaining("has 0 bytes");
    }

    @Test
    void rowIsHeldToDynamoDbsItemSize() {
        int fixed = "airport".length() + 3 + "day".length() + 10 + "flights".length() + 3 + "note".length();
        int generation = "_generation".length() + 21;
        int room = 400 * 1024 - fixed - generation;

        Board largest = new Board("ORD", LocalDate.of(2001, 1, 31), 7, "n".repeat(room));
        Board tooLarge = new Board("ORD", LocalDate.of(2001, 1, 31), 7, "n".repeat(room + 1));

        assertThat(BOARD.row(largest).attributes().get("note").textValue()).hasSize(room);
        assertThatThrownBy(() -> BOARD.row(tooLarge))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage(
                        "A row of table board has 409601 bytes; DynamoDB allows 409600 an item. Put less into a row,"
                                + " or several rows.");
    }

    @Test
    void numberKeysThatAreEqualAreOneRow() {
        Row.Identity one = PRICED.row(new Priced(1, null)).identity();

        assertThat(List.<Number>of(1L, 1.0, new BigDecimal("1.00"), new BigDecimal("10E-1")))
                .allSatisfy(
                        equal -> assertThat(PRICED.row(new Priced(equal, null)).identity())
                                .isEqualTo(one));
        assertThat(PRICED.row(new Priced(100, null)).identity())
                .isEqualTo(PRICED.row(new Priced(new BigDecimal("1E2"), null)).identity());
        assertThat(PRICED.row(new Priced(0.0, null)).identity())
                .isEqualTo(PRICED.row(new Priced(-0.0, null)).identity());
        assertThat(PRICED.row(new Priced(2, null)).identity()).isNotEqualTo(one);
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void numberThatIsNoneIsUnacceptable(double number) {
        assertThatThrownBy(() -> PRICED.row(new Priced(number, null))).isInstanceOf(UnacceptableException.class);
    }

    @Test
    void textThatIsNoUnicodeIsUnacceptable() {
        assertThatThrownBy(() -> BOARD.row(board("\ud800"))).isInstanceOf(UnacceptableException.class);
        assertThatThrownBy(() -> PRICED.row(new Priced(1, List.of("a\udc00"))))
                .isInstanceOf(UnacceptableException.class)
                .hasMessageContaining("half a surrogate pair");
        assertThat(BOARD.row(board("\ud83d\ude00")).identity().partitionKey()).isEqualTo("\ud83d\ude00");
    }

    record Posting(String account, long number, @Nullable String note, String kind) {}

    private static final RowKey<Posting> POSTINGS =
            RowKey.text("account", Posting::account).thenNumber("posting", Posting::number);

    private static final DynamoDbSink<Posting> CHANGES =
            DynamoDbSink.changes("postings", POSTINGS, DynamoDbSinkTest::change);

    private static RowChange change(Posting posting) {
        Map<String, Object> attributes = new HashMap<>();
        attributes.put("note", posting.note());
        attributes.put("at", Instant.EPOCH);
        attributes.put("raw", new byte[] {1, 2});
        return switch (posting.kind()) {
            case "put" -> RowChange.put(attributes);
            case "set" -> RowChange.set(attributes);
            default -> RowChange.delete();
        };
    }

    private static Posting posting(String kind) {
        return new Posting("a", 7, null, kind);
    }

    @Test
    void mapperDecidesWhatBecomesOfARow() {
        Row put = CHANGES.row(posting("put"));
        Row set = CHANGES.row(posting("set"));
        Row delete = CHANGES.row(posting("delete"));

        assertThat(put.action()).isEqualTo(Row.Action.PUT);
        assertThat(fields(put)).containsExactlyInAnyOrder("account", "posting", "at", "raw");
        assertThat(put.attributes().get("at").textValue()).isEqualTo("1970-01-01T00:00:00Z");
        assertThat(put.attributes().get("raw").isBinary()).isTrue();
        assertThat(set.action()).isEqualTo(Row.Action.SET);
        assertThat(set.attributes().get("note").isNull()).as("is removed").isTrue();
        assertThat(delete.action()).isEqualTo(Row.Action.DELETE);
        assertThat(delete.attributes()).hasToString("{\"account\":\"a\",\"posting\":7}");
        assertThat(List.of(put, set, delete))
                .extracting(Row::identity)
                .containsOnly(new Row.Identity("postings", "a", "7"));
        assertThat(CHANGES.deletes()).isTrue();
        assertThat(CHANGES.sortKey()).isEqualTo(new Row.Key("posting", Row.KeyType.NUMBER));
    }

    private static List<String> fields(Row row) {
        List<String> names = new ArrayList<>();
        row.attributes().fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void mapperOfAttributesPutsRows() {
        DynamoDbSink<Posting> sink = DynamoDbSink.rows(
                "postings",
                RowKey.number("posting", Posting::number).thenText("account", Posting::account),
                posting -> Map.of("kind", posting.kind()));

        assertThat(sink.row(posting("x")).action()).isEqualTo(Row.Action.PUT);
        assertThat(sink.row(posting("x")).attributes()).hasToString("{\"posting\":7,\"account\":\"a\",\"kind\":\"x\"}");
        assertThat(sink.deletes()).isFalse();
        assertThat(sink.partitionKey()).isEqualTo(new Row.Key("posting", Row.KeyType.NUMBER));
        assertThat(BOARD.deletes()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"account", "posting", "_generation", "_deleted", "_ttl", "_version", "_f.0.1", ""})
    void attributeThatIsNotTheMappersIsRefused(String name) {
        DynamoDbSink<Posting> sink = DynamoDbSink.rows("postings", POSTINGS, posting -> Map.of(name, 1));

        assertThatThrownBy(() -> sink.row(posting("x")))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("An attribute of a row of table postings has the name '" + name + "'")
                .hasMessageEndingWith("Rename it.");
    }

    @Test
    @SuppressWarnings("NullAway") // nulls are what the test is about
    void mapperThatGivesNothingIsRefused() {
        assertThatThrownBy(() -> DynamoDbSink.<Posting>changes("postings", POSTINGS, posting -> null)
                        .row(posting("x")))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("use filter");
        assertThatThrownBy(() -> DynamoDbSink.<Posting>rows("postings", POSTINGS, posting -> null)
                        .row(posting("x")))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("use filter");
        assertThatThrownBy(() -> CHANGES.row(new Posting(null, 7, null, "put")))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage("A row of table postings has no account, which is part of its key.");
    }

    @Test
    void keysThatDynamoDbCannotHaveAreRefused() {
        assertThatThrownBy(() -> RowKey.text("_version", Posting::account))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'_version'");
        assertThatThrownBy(() -> RowKey.text("", Posting::account)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> POSTINGS.thenText("third", Posting::kind))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has a sort key, posting, already");
        assertThatThrownBy(() -> RowKey.text("account", Posting::account).thenText("account", Posting::kind))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the name of the partition key, account");
    }

    @Test
    void classesThatDecideTheRowsAreKnown() {
        assertThat(BOARD.code()).containsExactly(Board.class);
        assertThat(CHANGES.code()).hasSize(3).doesNotHaveDuplicates();
        assertThat(DynamoDbSink.rows("postings", RowKey.text("account", Posting::account), p -> Map.of())
                        .code())
                .hasSize(2);
    }
}
