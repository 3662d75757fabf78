package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

class ResultTablesTest {
    private static final ResultTable SCORES = new ResultTable(
            "scores",
            "team",
            "round",
            List.of(
                    row("b", "2"),
                    row("b", "10"),
                    Map.of(
                            "team", AttributeValue.fromS("a"),
                            "round", AttributeValue.fromN("1"),
                            "tags",
                                    AttributeValue.fromL(
                                            List.of(AttributeValue.fromS("x"), AttributeValue.fromBool(true))),
                            "raw", AttributeValue.fromB(SdkBytes.fromByteArray(new byte[] {1, 2})),
                            "note", AttributeValue.fromS("two\nlines, \"quoted\""),
                            "_generation", AttributeValue.fromN("1"))));

    @Test
    void rowsAreSortedByKeyNumbersAsNumbersWithTheKeyFirst() {
        assertThat(SCORES.csv())
                .isEqualTo("team,round,note,raw,tags\n"
                        + "a,1,\"two\nlines, \"\"quoted\"\"\",AQI=,\"[\"\"x\"\",true]\"\n"
                        + "b,2,,,\nb,10,,,\n");
        assertThat(ResultTables.json(List.of(SCORES))).isEqualTo("""
                        {
                        "scores": [
                          {"team":"a","round":1,"note":"two\\nlines, \\"quoted\\"","raw":"AQI=","tags":["x",true]},
                          {"team":"b","round":2},
                          {"team":"b","round":10}
                        ]
                        }
                        """);
    }

    @Test
    void aPreviewIsInColumnsAndFitsATerminal() {
        ResultTable table = new ResultTable(
                "notes",
                "id",
                null,
                List.of(
                        Map.of("id", AttributeValue.fromN("1"), "text", AttributeValue.fromS("x".repeat(40))),
                        Map.of("id", AttributeValue.fromN("22"), "text", AttributeValue.fromS("a\tb"))));
        assertThat(table.preview(10)).containsExactly("id  text", "1   " + "x".repeat(29) + "...", "22  a?b");
        assertThat(table.preview(1)).hasSize(2);
    }

    @Test
    void everyDifferenceIsNamed() {
        ResultTables one =
                new ResultTables(List.of(new ResultTable("scores", "team", "round", List.of(row("a", "1")))));
        ResultTables other =
                new ResultTables(List.of(new ResultTable("scores", "team", "round", List.of(row("a", "2")))));
        assertThat(one.differences(one)).isEmpty();
        assertThat(one.differences(other))
                .containsExactly(
                        "scores \"a\" 2: no row, expected {\"team\":\"a\",\"round\":2}",
                        "scores \"a\" 1: {\"team\":\"a\",\"round\":1}, expected no row");
        ResultTables counted = new ResultTables(List.of(new ResultTable(
                "scores",
                "team",
                null,
                List.of(Map.of("team", AttributeValue.fromS("a"), "count", AttributeValue.fromN("2"))))));
        ResultTables counting = new ResultTables(List.of(new ResultTable(
                "scores",
                "team",
                null,
                List.of(Map.of("team", AttributeValue.fromS("a"), "count", AttributeValue.fromN("1"))))));
        assertThat(counted.differences(counting))
                .containsExactly("scores \"a\": {\"team\":\"a\",\"count\":2}, expected {\"team\":\"a\",\"count\":1}");
    }

    private static Map<String, AttributeValue> row(String team, String round) {
        return Map.of("team", AttributeValue.fromS(team), "round", AttributeValue.fromN(round));
    }
}
