package io.millrace.aws;

import static io.millrace.aws.Changing.delete;
import static io.millrace.aws.Changing.event;
import static io.millrace.aws.Changing.put;
import static io.millrace.aws.Changing.rowsOf;
import static io.millrace.aws.Changing.set;
import static io.millrace.aws.Changing.setLong;
import static io.millrace.aws.ShellFixture.failedAt;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Rows of stages with state that are put, set and deleted. */
class RowChangesTest {
    private static final int TO_THE_END = 10_000;
    private static final int REQUESTS_MAX = 60;
    private static final int LARGE = 250_000;

    private static ObjectNode item(ShellFixture fixture, String id) {
        return Objects.requireNonNull(fixture.scanBy("id", Changing.TABLE).get(id));
    }

    private static void nextGeneration(ShellFixture fixture) {
        fixture.dynamoDb()
                .updateItem(request -> request.tableName("changing-control")
                        .key(Map.of(
                                "pk", AttributeValue.fromS("pipeline#changing"),
                                "sk", AttributeValue.fromS("control")))
                        .updateExpression("SET #g = #g + :one")
                        .expressionAttributeNames(Map.of("#g", "generation"))
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1"))));
    }

    @Test
    void oneSinkPutsSetsAndDeletes() {
        try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
            fixture.put(0, event("k", put("a", "x", "1", "y", "1", "z", "1"), put("b", "x", "1")));
            fixture.put(0, event("k", set("a", "y", "2", "z", "null"), delete("b"), set("c", "x", "3")));
            fixture.process(0, 0, 1);
            fixture.process(0, 1, 2);

            assertThat(rowsOf(fixture)).containsExactly("a {x=1, y=2}", "c {x=3}");
            assertThat(item(fixture, "a").path("_generation").asInt()).isEqualTo(1);
            assertThat(fixture.scan(Changing.COUNTS)).hasSize(2);
        }
    }

    @Test
    void aBatchGivesTheRowsThatOneRecordAfterTheOtherWouldGive() {
        String[] events = {
            event("k", put("a", "x", "1"), delete("b"), set("c", "x", "1")),
            event("k", set("a", "y", "2"), set("b", "y", "2"), set("c", "y", "2", "x", "null")),
            event("k", delete("a"), put("b", "z", "3"), delete("d")),
            event("k", set("a", "z", "4"), set("d", "x", "4", "w", "4"), set("d", "w", "null"))
        };
        List<List<String>> results = new ArrayList<>();
        for (int batch : new int[] {1, 2, 3, 4}) {
            try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
                fixture.put(0, events);
                for (int from = 0; from < events.length; from += batch) {
                    fixture.process(0, from, Math.min(events.length, from + batch));
                }
                results.add(rowsOf(fixture));
                if (batch == events.length) {
                    assertThat(fixture.lastReport().get(BatchReport.Count.ROW_WRITES))
                            .as("one action a row and unit")
                            .isEqualTo(4 + 4);
                }
            }
        }

        assertThat(results).containsOnly(List.of("a {z=4}", "b {z=3}", "c {y=2}", "d {x=4}"));
    }

    @Test
    void namesThatAreReservedOrHaveDotsAreAttributesLikeOthers() {
        try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
            fixture.put(0, event("k", put("a", "size", "1", "a.b", "1", "#n", "1", ":v", "1", "x[0]", "1")));
            fixture.put(0, event("k", set("a", "size", "2", "a.b", "2", "#n", "null", "table", "2", "x[0]", "2")));
            fixture.process(0, 0, 1);
            fixture.process(0, 1, 2);

            assertThat(rowsOf(fixture)).containsExactly("a {:v=1, a.b=2, size=2, table=2, x[0]=2}");
        }
    }

    @Test
    void aDeletedRowLeavesAStubThatExpiresWhenNothingCanDeliverItsRecords() {
        try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
            fixture.put(0, event("k", put("a", "x", "1")), event("k", delete("a")));
            fixture.process(0, 0, 1);
            Instant before = Instant.now();
            fixture.process(0, 1, 2);

            ObjectNode stub = item(fixture, "a");
            assertThat(stub.properties().stream().map(Map.Entry::getKey))
                    .containsExactlyInAnyOrder("id", "_generation", "_deleted", "_ttl");
            assertThat(stub.path("_deleted").asBoolean()).isTrue();
            assertThat(Instant.ofEpochSecond(stub.path("_ttl").asLong()))
                    .isBetween(
                            before.plus(Duration.ofDays(2)).minusSeconds(1),
                            Instant.now().plus(Duration.ofDays(2)));
            assertThat(fixture.dynamoDb()
                            .describeTimeToLive(request -> request.tableName(Changing.TABLE))
                            .timeToLiveDescription()
                            .attributeName())
                    .isEqualTo("_ttl");
        }
    }

    @Test
    void aSetBehindACommittedDeleteMakesANewRowThatDoesNotExpire() {
        try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
            fixture.put(0, event("k", put("a", "x", "1")), event("k", delete("a")), event("k", set("a", "y", "2")));
            for (int i = 0; i < 3; i++) {
                fixture.process(0, i, i + 1);
            }

            assertThat(item(fixture, "a").properties().stream().map(Map.Entry::getKey))
                    .containsExactlyInAnyOrder("id", "_generation", "y");
        }
    }

    @Test
    void aZombieOfAnOldGenerationNeitherBringsADeletedRowBackNorSetsNorDeletesOne() {
        for (String kind : List.of("put", "set", "delete")) {
            try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
                Changing.Change late = new Changing.Change("a", kind, Map.of());
                fixture.put(0, event("k", put("a", "x", "1")), event("k", late), event("k", set("a", "x", "3")));
                fixture.put(0, event("k", delete("a")), event("k", set("a", "x", "5")));
                fixture.process(0, 0, 1);
                Fiber<StreamsEventResponse> zombie = fixture.fiber(0, 1, 2);
                // Control, lane, iterator, read, begin, load: now it is about to commit.
                zombie.run(6);
                Fiber<StreamsEventResponse> otherZombie = fixture.fiber(0, 1, 2);
                otherZombie.run(6);
                nextGeneration(fixture);
                fixture.process(0, 0, 4);
                zombie.run(TO_THE_END);

                assertThat(zombie.thrown()).hasMessageContaining("newer generation");
                assertThat(rowsOf(fixture)).isEmpty();
                fixture.process(0, 4, 5);
                otherZombie.run(TO_THE_END);
                assertThat(otherZombie.thrown()).hasMessageContaining("newer generation");
                assertThat(rowsOf(fixture)).containsExactly("a {x=5}");
            }
        }
    }

    @Test
    void aSetThatMakesARowTooLargeIsItsRecordsFault() {
        try (ShellFixture fixture = new ShellFixture(new Changing(ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", setLong("a", "x", LARGE)), event("k", set("b", "x", "1")));
            fixture.put(0, event("k", setLong("a", "y", LARGE)), event("k", set("b", "y", "2")));
            fixture.process(0, 0, 1);

            fixture.process(0, 1, 4);

            assertThat(rowsOf(fixture).get(1)).isEqualTo("b {x=1, y=2}");
            assertThat(item(fixture, "a").has("y")).isFalse();
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("UNACCEPTABLE");
                assertThat(letter.path("sequence_number").asText()).isEqualTo(fixture.sequenceNumber(0, 2));
                assertThat(letter.path("error").asText()).contains("ValidationError");
            });
            assertThat(fixture.scan("changing-state")
                            .get(0)
                            .path("state")
                            .path("count")
                            .asText())
                    .isEqualTo("3");
        }
    }

    @Test
    void aSetThatMakesARowTooLargeStopsTheBatchThereIfThatIsThePolicy() {
        try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
            fixture.put(0, event("k", setLong("a", "x", LARGE)), event("k", set("b", "x", "1")));
            fixture.put(0, event("k", setLong("a", "y", LARGE)), event("k", set("b", "y", "2")));

            assertThat(failedAt(fixture.invoke(0, 0, 4))).isEqualTo(fixture.sequenceNumber(0, 2));

            assertThat(rowsOf(fixture)).hasSize(2).contains("b {x=1}");
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void aMapperThatThrowsIsItsRecordsFault() {
        try (ShellFixture fixture = new ShellFixture(new Changing(ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", set("a", "x", "1")));
            fixture.put(0, event("k", set("b", "x", "1"), new Changing.Change("b", "explode", Map.of())));
            fixture.put(0, event("k", set("c", "x", "1")));

            fixture.process(0, 0, 3);

            assertThat(rowsOf(fixture)).containsExactly("a {x=1}", "c {x=1}");
            assertThat(fixture.deadLetters())
                    .singleElement()
                    .satisfies(
                            letter -> assertThat(letter.path("kind").asText()).isEqualTo("FUNCTION_THREW"));
        }
    }

    @Test
    void twoHundredAttributesAreSetAndRemovedInOneWrite() {
        Map<String, Object> many = new java.util.HashMap<>();
        Map<String, Object> fewer = new java.util.HashMap<>();
        for (int i = 0; i < 200; i++) {
            many.put("attribute" + i, "1");
            fewer.put("attribute" + i, i < 100 ? "2" : "null");
        }
        try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
            fixture.put(0, event("k", new Changing.Change("a", "set", many)));
            fixture.put(0, event("k", new Changing.Change("a", "set", fewer)));
            fixture.process(0, 0, 1);
            fixture.process(0, 1, 2);

            assertThat(item(fixture, "a").size()).isEqualTo(100 + 2);
        }
    }

    @Test
    void cellsThatWriteOneRowInOneBatchBothCommitAndOneOfThemIsLast() {
        try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
            fixture.put(0, event("k", put("a", "x", "k")), event("j", put("a", "x", "j")));

            fixture.process(0, 0, 2);

            assertThat(rowsOf(fixture)).containsAnyOf("a {x=k}", "a {x=j}").hasSize(1);
            assertThat(fixture.scan(Changing.COUNTS)).hasSize(2);
        }
    }

    @Test
    void whereverTheProcessDiesTheRowsAreThoseOfOneRun() {
        boolean died = true;
        for (int request = 1; died; request++) {
            assertThat(request).isLessThan(REQUESTS_MAX);
            try (ShellFixture fixture = new ShellFixture(Changing.failing(), 1)) {
                fixture.put(0, event("k", put("a", "x", "1")), event("j", set("b", "x", "1")));
                fixture.put(0, event("k", set("a", "y", "2")), event("j", delete("b")));
                fixture.put(0, event("k", set("a", "x", "3")), event("j", set("b", "z", "3")));
                died = !(fixture.invokeDyingAt(request, 0, 0, 4)
                        instanceof io.millrace.local.InvocationOutcome.Returned);

                fixture.process(0, 0, 6);

                assertThat(rowsOf(fixture)).as("died at request " + request).containsExactly("a {x=3, y=2}", "b {z=3}");
                assertThat(fixture.scan(Changing.COUNTS)).hasSize(6);
            }
        }
    }
}
