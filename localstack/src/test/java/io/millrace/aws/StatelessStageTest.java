package io.millrace.aws;

import static io.millrace.aws.Changing.delete;
import static io.millrace.aws.Changing.event;
import static io.millrace.aws.Changing.put;
import static io.millrace.aws.Changing.rowsOf;
import static io.millrace.aws.Changing.set;
import static io.millrace.aws.Changing.setLong;
import static io.millrace.aws.ShellFixture.errorOf;
import static io.millrace.aws.ShellFixture.failedAt;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.aws.internal.Items;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import io.millrace.local.InvocationOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Stages without state: whole invocations whose rows carry their own fences. */
class StatelessStageTest {
    private static final int TO_THE_END = 10_000;
    private static final int REQUESTS_MAX = 80;
    private static final int LARGE = 250_000;
    /** Control, lane, iterator, read, begin, load: then an invocation with one row is about to write it. */
    private static final int UP_TO_THE_WRITE = 6;

    private static ObjectNode item(ShellFixture fixture, String id) {
        return Objects.requireNonNull(fixture.scanBy("id", Changing.TABLE).get(id));
    }

    private static void nextGeneration(ShellFixture fixture) {
        fixture.dynamoDb()
                .updateItem(request -> request.tableName("sinking-control")
                        .key(Map.of(
                                "pk", AttributeValue.fromS("pipeline#sinking"), "sk", AttributeValue.fromS("control")))
                        .updateExpression("SET #g = #g + :one")
                        .expressionAttributeNames(Map.of("#g", "generation"))
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1"))));
    }

    /** A pipeline with one row a change, so that each request has a known place. */
    private static final class OneRow implements io.millrace.PipelineDefinition {
        @Override
        public String name() {
            return "sinking";
        }

        @Override
        public void define(io.millrace.PipelineBuilder pipeline) {
            pipeline.fromKinesis("changes", io.millrace.serde.Json.of(Changing.Event.class))
                    .map(event -> event.changes().get(0))
                    .sinkTo(io.millrace.sink.DynamoDbSink.changes(
                            Changing.TABLE,
                            io.millrace.sink.RowKey.text("id", Changing.Change::row),
                            Changing::changeOf))
                    .uid("sink");
        }
    }

    private static Fiber<StreamsEventResponse> aboutToWrite(ShellFixture fixture, int shard, int from, int to) {
        return paused(fixture, shard, from, to, UP_TO_THE_WRITE);
    }

    /** The very first invocation makes the control item, and reads it once more. */
    private static Fiber<StreamsEventResponse> paused(ShellFixture fixture, int shard, int from, int to, int requests) {
        boolean first = fixture.scan("sinking-control").isEmpty();
        Fiber<StreamsEventResponse> fiber = fixture.fiber(shard, from, to);
        fiber.run(first ? requests + 2 : requests);
        return fiber;
    }

    @Test
    void rowsArePutSetAndDeletedWithTheirFences() {
        try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 2)) {
            fixture.put(0, event("k", put("a", "x", "1", "y", "1"), put("b", "x", "1")));
            fixture.put(1, event("k", set("a", "y", "2", "x", "null"), set("c", "x", "2")));
            fixture.put(0, event("k", delete("b")));
            fixture.process(0, 0, 1);
            fixture.process(1, 0, 1);
            Instant before = Instant.now();
            fixture.process(0, 1, 2);

            assertThat(rowsOf(fixture)).containsExactly("a {y=2}", "c {x=2}");
            assertThat(item(fixture, "a").properties().stream().map(Map.Entry::getKey))
                    .containsExactlyInAnyOrder("id", "y", "_generation", "_version", "_f.0.0", "_f.0.1");
            ObjectNode stub = item(fixture, "b");
            assertThat(stub.properties().stream().map(Map.Entry::getKey))
                    .containsExactlyInAnyOrder("id", "_generation", "_version", "_f.0.0", "_deleted", "_ttl");
            assertThat(Instant.ofEpochSecond(stub.path("_ttl").asLong()))
                    .isAfterOrEqualTo(before.plus(Duration.ofDays(2)).minusSeconds(1));
            assertThat(fixture.lastReport().get(BatchReport.Count.ROW_WRITES)).isEqualTo(2);
            assertThat(fixture.scan("sinking-state")).as("no cells").isEmpty();
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
            try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 1)) {
                fixture.put(0, events);
                for (int from = 0; from < events.length; from += batch) {
                    fixture.process(0, from, Math.min(events.length, from + batch));
                }
                results.add(rowsOf(fixture));
            }
        }

        assertThat(results).containsOnly(List.of("a {z=4}", "b {z=3}", "c {y=2}", "d {x=4}"));
    }

    @Test
    void aZombieOfTheSameLaneChangesNothing() {
        for (String kind : List.of("put", "set", "delete")) {
            try (ShellFixture fixture = new ShellFixture(new OneRow(), 1)) {
                fixture.put(0, event("k", new Changing.Change("a", kind, Map.of())), event("k", put("a", "x", "2")));
                Fiber<StreamsEventResponse> zombie = aboutToWrite(fixture, 0, 0, 1);
                fixture.process(0, 0, 2);
                ObjectNode before = item(fixture, "a");

                zombie.run(TO_THE_END);

                assertThat(zombie.thrown()).isNull();
                assertThat(item(fixture, "a")).isEqualTo(before);
            }
        }
    }

    /** One pair of lane and position a row would let it pass: the other lane's write has replaced the pair. */
    @Test
    void aZombieOfAnotherLaneChangesNothing() {
        for (String kind : List.of("put", "set", "delete")) {
            try (ShellFixture fixture = new ShellFixture(new OneRow(), 2)) {
                fixture.put(0, event("k", new Changing.Change("a", kind, Map.of("x", "0"))));
                fixture.put(1, event("k", put("a", "x", "1")));
                Fiber<StreamsEventResponse> zombie = aboutToWrite(fixture, 0, 0, 1);
                // Control, lane, iterator, read, begin: now it is about to read the row.
                Fiber<StreamsEventResponse> lateZombie = paused(fixture, 0, 0, 1, UP_TO_THE_WRITE - 1);
                fixture.process(0, 0, 1);
                fixture.process(1, 0, 1);
                ObjectNode before = item(fixture, "a");

                zombie.run(TO_THE_END);
                lateZombie.run(TO_THE_END);

                assertThat(zombie.thrown()).isNull();
                assertThat(item(fixture, "a")).isEqualTo(before);
                assertThat(rowsOf(fixture)).containsExactly("a {x=1}");
            }
        }
    }

    @Test
    void twoLanesThatReadOneRowAtTheSameMomentBothWriteIt() {
        for (String kind : List.of("put", "set")) {
            try (ShellFixture fixture = new ShellFixture(new OneRow(), 2)) {
                fixture.put(0, event("k", put("a", "w", "9")));
                fixture.process(0, 0, 1);
                fixture.put(0, event("k", new Changing.Change("a", kind, Map.of("x", "0"))));
                fixture.put(1, event("k", set("a", "y", "1")), event("k", set("a", "z", "2")));
                Fiber<StreamsEventResponse> first = aboutToWrite(fixture, 0, 1, 2);
                Fiber<StreamsEventResponse> second = aboutToWrite(fixture, 1, 0, 1);
                second.run(TO_THE_END);
                first.run(TO_THE_END);
                assertThat(fixture.lastReport().get(BatchReport.Count.CONFLICTS))
                        .isEqualTo(1);
                fixture.process(1, 0, 2);

                assertThat(rowsOf(fixture))
                        .containsExactly(kind.equals("put") ? "a {x=0, z=2}" : "a {w=9, x=0, y=1, z=2}");
                assertThat(item(fixture, "a").has("_f.0.0")).isTrue();
                assertThat(item(fixture, "a").has("_f.0.1")).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void whateverTheInterleavingARowNeverGoesBackAndEndsWithTheLastOfEachLane(long seed) {
        Random random = new Random(seed);
        int records = 6;
        try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 2)) {
            for (int i = 0; i < records; i++) {
                for (int shard = 0; shard < 2; shard++) {
                    String value = Integer.toString(i);
                    fixture.put(shard, event("k", set("a", "lane" + shard, value), put("own" + shard, "n", value)));
                }
            }
            List<Fiber<StreamsEventResponse>> running = new ArrayList<>();
            int[] highest = {-1, -1};
            for (int step = 0; step < 150; step++) {
                if (running.size() < 4) {
                    running.add(fixture.fiber(random.nextInt(2), 0, 1 + random.nextInt(records)));
                }
                Fiber<StreamsEventResponse> chosen = running.get(random.nextInt(running.size()));
                if (random.nextInt(20) == 0) {
                    chosen.kill();
                    running.remove(chosen);
                } else if (chosen.run(1 + random.nextInt(4))) {
                    assertThat(chosen.thrown()).isNull();
                    running.remove(chosen);
                }
                assertNothingWentBack(fixture, highest, seed);
            }
            running.forEach(fiber -> fiber.run(TO_THE_END));
            assertNothingWentBack(fixture, highest, seed);
            fixture.process(0, 0, records);
            fixture.process(1, 0, records);

            assertThat(rowsOf(fixture)).containsExactly("a {lane0=5, lane1=5}", "own0 {n=5}", "own1 {n=5}");
        }
    }

    private static void assertNothingWentBack(ShellFixture fixture, int[] highest, long seed) {
        ObjectNode row = fixture.scanBy("id", Changing.TABLE).get("a");
        for (int shard = 0; shard < 2 && row != null; shard++) {
            int value = row.path("lane" + shard).asInt(-1);
            assertThat(value).as("seed " + seed + ", lane " + shard).isGreaterThanOrEqualTo(highest[shard]);
            highest[shard] = value;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "set", "delete"})
    void aLostResponseIsTakenAsCommitted(String kind) {
        try (ShellFixture fixture = new ShellFixture(new OneRow(), 2)) {
            fixture.put(1, event("k", put("a", "y", "0")));
            fixture.process(1, 0, 1);
            fixture.put(0, event("k", new Changing.Change("a", kind, Map.of("x", "1"))));
            String operation = kind.equals("set") ? "DynamoDB.UpdateItem" : "DynamoDB.PutItem";
            // The first put is the mark of the begun batch; five tries are more than the SDK's own.
            int first = kind.equals("set") ? 1 : 2;
            fixture.setFaults(FaultInjector.scripted()
                    .inject(operation, first, first + 4, Fault.LOST_RESPONSE)
                    .build());
            fixture.process(0, 0, 1);

            assertThat(fixture.lastReport().get(BatchReport.Count.CONFLICTS)).isZero();
            assertThat(rowsOf(fixture))
                    .isEqualTo(
                            switch (kind) {
                                case "put" -> List.of("a {x=1}");
                                case "set" -> List.of("a {x=1, y=0}");
                                default -> List.of();
                            });
        }
    }

    @Test
    void whereverTheProcessDiesTheRowsAreThoseOfOneRun() {
        boolean died = true;
        for (int request = 1; died; request++) {
            assertThat(request).isLessThan(REQUESTS_MAX);
            try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 1)) {
                fixture.put(0, event("k", put("a", "x", "1")), event("j", set("b", "x", "1"), put("c", "x", "1")));
                fixture.put(0, event("k", set("a", "y", "2")), event("j", delete("b"), delete("c")));
                fixture.put(0, event("k", set("a", "x", "3")), event("j", set("b", "z", "3")));
                died = !(fixture.invokeDyingAt(request, 0, 0, 4) instanceof InvocationOutcome.Returned);

                fixture.process(0, 0, 6);

                assertThat(rowsOf(fixture)).as("died at request " + request).containsExactly("a {x=3, y=2}", "b {z=3}");
            }
        }
    }

    @Test
    void redeliveriesFromTheBeginningChangeNothing() {
        try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 1)) {
            fixture.put(0, event("k", put("a", "x", "1")), event("k", delete("a")), event("k", set("b", "x", "1")));
            fixture.process(0, 0, 3);
            List<ObjectNode> before = fixture.scan(Changing.TABLE);
            String lane = fixture.lane(0).path("sk").asText();
            fixture.dynamoDb()
                    .deleteItem(request -> request.tableName("sinking-control")
                            .key(Map.of("pk", AttributeValue.fromS("sink#1"), "sk", AttributeValue.fromS(lane))));

            fixture.process(0, 0, 1);
            fixture.process(0, 0, 3);

            assertThat(fixture.scan(Changing.TABLE)).isEqualTo(before);
            assertThat(fixture.lastReport().get(BatchReport.Count.ROW_WRITES)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "set", "delete"})
    void aZombieOfAnOldGenerationStops(String kind) {
        try (ShellFixture fixture = new ShellFixture(new OneRow(), 1)) {
            fixture.put(
                    0, event("k", put("a", "y", "0")), event("k", new Changing.Change("a", kind, Map.of("x", "1"))));
            fixture.put(0, event("k", put("a", "z", "2")));
            fixture.process(0, 0, 1);
            Fiber<StreamsEventResponse> zombie = aboutToWrite(fixture, 0, 1, 2);
            nextGeneration(fixture);
            fixture.process(0, 0, 3);
            zombie.run(TO_THE_END);

            assertThat(zombie.thrown()).hasMessageContaining("newer generation");
            assertThat(rowsOf(fixture)).containsExactly("a {z=2}");
            assertThat(item(fixture, "a").path("_generation").asInt()).isEqualTo(2);
        }
    }

    /** The version is looked at too, but it is the same nonce only as long as nobody has written. */
    @Test
    void theGenerationIsAConditionOfItsOwn() {
        try (ShellFixture fixture = new ShellFixture(new OneRow(), 1)) {
            fixture.put(0, event("k", put("a", "y", "0")), event("k", put("a", "x", "1")));
            fixture.process(0, 0, 1);
            Fiber<StreamsEventResponse> zombie = aboutToWrite(fixture, 0, 1, 2);
            fixture.dynamoDb()
                    .updateItem(request -> request.tableName(Changing.TABLE)
                            .key(Map.of("id", AttributeValue.fromS("a")))
                            .updateExpression("SET #g = :two")
                            .expressionAttributeNames(Map.of("#g", "_generation"))
                            .expressionAttributeValues(Map.of(":two", AttributeValue.fromN("2"))));
            zombie.run(TO_THE_END);

            assertThat(zombie.thrown()).hasMessageContaining("newer generation");
            assertThat(rowsOf(fixture)).containsExactly("a {y=0}");
        }
    }

    @Test
    void aNewGenerationWritesAgainWhatAnOldOneAbsorbed() {
        try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 2)) {
            fixture.put(0, event("k", set("a", "x", "1"), put("b", "x", "1")));
            fixture.put(1, event("k", set("a", "y", "1"), set("b", "y", "1")));
            fixture.process(0, 0, 1);
            fixture.process(1, 0, 1);
            fixture.dynamoDb()
                    .updateItem(request -> request.tableName(Changing.TABLE)
                            .key(Map.of("id", AttributeValue.fromS("a")))
                            .updateExpression("SET x = :wrong, y = :wrong")
                            .expressionAttributeValues(Map.of(":wrong", AttributeValue.fromS("wrong"))));
            nextGeneration(fixture);

            fixture.process(0, 0, 1);
            assertThat(item(fixture, "a").has("_f.0.1"))
                    .as("of the old generation")
                    .isFalse();
            assertThat(item(fixture, "b").has("_f.0.1"))
                    .as("of the old generation")
                    .isFalse();
            fixture.process(1, 0, 1);

            assertThat(rowsOf(fixture)).containsExactly("a {x=1, y=1}", "b {x=1, y=1}");
            assertThat(item(fixture, "a").has("_f.0.1")).isTrue();
        }
    }

    @Test
    void aSetBehindACommittedDeleteMakesANewRowThatDoesNotExpire() {
        try (ShellFixture fixture = new ShellFixture(new OneRow(), 1)) {
            fixture.put(0, event("k", put("a", "x", "1")), event("k", delete("a")), event("k", set("a", "y", "2")));
            for (int i = 0; i < 3; i++) {
                fixture.process(0, i, i + 1);
            }

            assertThat(item(fixture, "a").properties().stream().map(Map.Entry::getKey))
                    .containsExactlyInAnyOrder("id", "_generation", "_version", "_f.0.0", "y");
        }
    }

    private static Sinking throwingAt(String row, ErrorPolicy policy) {
        return new Sinking(
                change -> {
                    if (change.row().equals(row)) {
                        throw new IllegalStateException("unlucky");
                    }
                },
                policy);
    }

    private static void putGoodBadGood(ShellFixture fixture) {
        fixture.put(0, event("k", set("a", "x", "1")), event("k", set("a", "y", "2"), set("bad", "x", "2")));
        fixture.put(0, event("k", set("a", "z", "3"), set("c", "x", "3")));
    }

    @Test
    void nothingAtOrBehindARecordThatFailsIsWritten() {
        try (ShellFixture fixture = new ShellFixture(throwingAt("bad", ErrorPolicy.fail()), 1)) {
            putGoodBadGood(fixture);

            assertThat(failedAt(fixture.invoke(0, 0, 3))).isEqualTo(fixture.sequenceNumber(0, 1));
            assertThat(failedAt(fixture.invoke(0, 0, 3))).isEqualTo(fixture.sequenceNumber(0, 1));

            assertThat(rowsOf(fixture)).containsExactly("a {x=1}");
            assertThat(fixture.lane(0).path("cursor").asText()).isEqualTo(fixture.sequenceNumber(0, 0));
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void aRecordThatIsGivenUpBecomesOneDeadLetterAndItsNeighboursAreWritten() {
        Sinking pipeline = throwingAt("bad", ErrorPolicy.retryThenDeadLetter(2));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putGoodBadGood(fixture);

            assertThat(failedAt(fixture.invoke(0, 0, 3))).isEqualTo(fixture.sequenceNumber(0, 1));
            fixture.process(0, 1, 3);
            fixture.process(0, 0, 3);

            assertThat(rowsOf(fixture)).containsExactly("a {x=1, z=3}", "c {x=3}");
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("FUNCTION_THREW");
                assertThat(letter.path("attempts").asInt()).isEqualTo(2);
                assertThat(letter.path("sequence_number").asText()).isEqualTo(fixture.sequenceNumber(0, 1));
                assertThat(letter.has("key")).isFalse();
            });
        }
    }

    @Test
    void theCursorNeverPassesARecordThatIsNeitherInItsRowsNorADeadLetter() {
        try (ShellFixture fixture = new ShellFixture(throwingAt("bad", ErrorPolicy.deadLetter()), 1)) {
            putGoodBadGood(fixture);
            fixture.putBytes(0, new byte[] {(byte) 0xff});
            Fiber<StreamsEventResponse> watched = fixture.fiber(0, 0, 4);
            for (boolean ended = false; !ended; ended = watched.run(1)) {
                String cursor = fixture.scan("sinking-control").stream()
                        .filter(item -> item.has("cursor"))
                        .map(item -> item.path("cursor").asText())
                        .findFirst()
                        .orElse("");
                int passed = IntStream.range(0, 4)
                        .filter(i -> fixture.sequenceNumber(0, i).equals(cursor))
                        .findFirst()
                        .orElse(-1);
                assertThat(fixture.deadLetters()).hasSizeGreaterThanOrEqualTo(passed < 1 ? 0 : passed < 3 ? 1 : 2);
                if (passed >= 0) {
                    assertThat(rowsOf(fixture).get(0)).contains("x=1");
                }
                if (passed >= 2) {
                    assertThat(rowsOf(fixture)).containsExactly("a {x=1, z=3}", "c {x=3}");
                }
            }
            assertThat(watched.thrown()).isNull();
            assertThat(fixture.lane(0).path("cursor").asText()).isEqualTo(fixture.sequenceNumber(0, 3));
            assertThat(fixture.deadLetters())
                    .extracting(letter -> letter.path("kind").asText())
                    .containsExactlyInAnyOrder("FUNCTION_THREW", "UNDECODABLE");
        }
    }

    @Test
    void aRowThatIsTooLargeIsItsRecordsFault() {
        try (ShellFixture fixture = new ShellFixture(new Sinking(change -> {}, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", setLong("a", "x", LARGE)), event("k", set("b", "x", "1")));
            fixture.put(0, event("k", setLong("a", "y", LARGE)), event("k", set("a", "z", "1"), set("b", "y", "2")));

            fixture.process(0, 0, 4);

            assertThat(rowsOf(fixture)).hasSize(2).contains("b {x=1, y=2}");
            assertThat(item(fixture, "a").has("y")).isFalse();
            assertThat(item(fixture, "a").path("z").asText()).isEqualTo("1");
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("UNACCEPTABLE");
                assertThat(letter.path("sequence_number").asText()).isEqualTo(fixture.sequenceNumber(0, 2));
            });
        }
    }

    private static boolean laneFlag(ShellFixture fixture, String attribute) {
        return fixture.scan("sinking-control").stream()
                .anyMatch(item -> item.path(attribute).asBoolean());
    }

    private static int laneNumber(ShellFixture fixture, String attribute) {
        return fixture.scan("sinking-control").stream()
                .mapToInt(item -> item.path(attribute).asInt())
                .max()
                .orElse(0);
    }

    private static Fiber<StreamsEventResponse> runUntil(
            Fiber<StreamsEventResponse> fiber, java.util.function.BooleanSupplier reached) {
        for (int request = 0; !reached.getAsBoolean(); request++) {
            assertThat(request).isLessThan(REQUESTS_MAX);
            assertThat(fiber.run(1)).as("ended before it came so far").isFalse();
        }
        return fiber;
    }

    private static void dieBegunTwice(ShellFixture fixture) {
        for (int begun = 1; begun <= 2; begun++) {
            int times = begun;
            runUntil(fixture.fiber(0, 0, 1), () -> laneNumber(fixture, "batch_begun") == times)
                    .kill();
        }
    }

    private static Fiber<StreamsEventResponse> alone(ShellFixture fixture, int attempts) {
        return runUntil(fixture.fiber(0, 0, 1), () -> laneNumber(fixture, "alone_attempts") == attempts);
    }

    @Test
    void deathsBehindTheWritesOfARecordDoNotMakeItADeadLetterAtOnce() {
        try (ShellFixture fixture = new ShellFixture(new Sinking(change -> {}, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", set("a", "x", "1")));
            dieBegunTwice(fixture);
            for (int attempt = 1; attempt <= 2; attempt++) {
                Fiber<StreamsEventResponse> dying = alone(fixture, attempt);
                runUntil(
                        dying,
                        () -> laneFlag(fixture, "alone_keyed")
                                && !rowsOf(fixture).isEmpty());
                dying.kill();
            }

            fixture.process(0, 0, 1);

            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(rowsOf(fixture)).containsExactly("a {x=1}");
        }
    }

    @Test
    void aRecordThatKillsTheProcessIsOneDeadLetterAndAZombieCannotWriteIt() {
        try (ShellFixture fixture = new ShellFixture(new Sinking(change -> {}, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", set("a", "x", "1")));
            dieBegunTwice(fixture);
            alone(fixture, 1).kill();
            alone(fixture, 2).kill();
            Fiber<StreamsEventResponse> zombie = alone(fixture, 3);
            fixture.process(0, 0, 1);
            zombie.run(TO_THE_END);

            assertThat(fixture.deadLetters())
                    .singleElement()
                    .satisfies(
                            letter -> assertThat(letter.path("kind").asText()).isEqualTo("PROCESS_KILLED"));
            assertThat(rowsOf(fixture)).isEmpty();
            assertThat(fixture.lane(0).path("cursor").asText()).isEqualTo(fixture.sequenceNumber(0, 0));
        }
    }

    @Test
    void aRecordWhoseRowsWereComputedIsGivenUpAfterThreeDeathsToo() {
        try (ShellFixture fixture = new ShellFixture(new Sinking(change -> {}, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", set("a", "x", "1")));
            dieBegunTwice(fixture);
            for (int attempt = 1; attempt <= 3; attempt++) {
                runUntil(alone(fixture, attempt), () -> laneFlag(fixture, "alone_keyed"))
                        .kill();
            }

            fixture.process(0, 0, 1);

            assertThat(fixture.deadLetters()).hasSize(1);
            assertThat(laneFlag(fixture, "alone_keyless")).as("over").isFalse();
        }
    }

    @Test
    void aBatchThatOtherCodeBeganIsRefused() {
        try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 1)) {
            fixture.put(0, event("k", set("a", "x", "1")));
            runUntil(fixture.fiber(0, 0, 1), () -> laneNumber(fixture, "batch_begun") == 1)
                    .kill();

            MillraceFunction other = fixture.function(Sinking.harmless().withOtherTopology(), builder -> builder);
            assertThat(errorOf(fixture.invoke(other, 0, 0, 1))).contains("begun by other code");
        }
    }

    @Test
    void manyRowsOfOneRecordNeedNoTransaction() {
        Changing.Change[] changes = IntStream.range(0, 250)
                .mapToObj(i -> put("row" + i, "n", Integer.toString(i)))
                .toArray(Changing.Change[]::new);
        try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 1)) {
            fixture.put(0, event("k", changes));
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.BatchGetItem", 1, 2, Fault.UNPROCESSED_KEYS)
                    .inject("DynamoDB.PutItem", 5, 9, Fault.THROTTLE)
                    .build());
            fixture.process(0, 0, 1);

            assertThat(rowsOf(fixture)).hasSize(250);
        }
    }

    @Test
    void whereverItsTimeEndsAnInvocationMakesProgressAndLosesNothing() {
        for (int question : new int[] {1, 2, 3, 4, 6, 8, 12, 16, 24}) {
            boolean done = false;
            try (ShellFixture fixture = new ShellFixture(Sinking.harmless(), 1)) {
                int records = 6;
                IntStream.range(0, records)
                        .forEach(i ->
                                fixture.put(0, event("k", set("a", "x" + i, "1"), set("b" + i % 2, "n", "" + i))));
                int from = 0;
                for (int delivery = 1; !done; delivery++) {
                    assertThat(delivery).as("deliveries").isLessThanOrEqualTo(10);
                    StreamsEventResponse response = fixture.function()
                            .handleRequest(fixture.event(0, from, records), ChaosContext.endingAtQuestion(question));
                    done = response.getBatchItemFailures().isEmpty();
                    for (int i = from; !done && i < records; i++) {
                        if (fixture.sequenceNumber(0, i)
                                .equals(response.getBatchItemFailures().get(0).getItemIdentifier())) {
                            from = i;
                        }
                    }
                }

                assertThat(rowsOf(fixture))
                        .containsExactly("a {x0=1, x1=1, x2=1, x3=1, x4=1, x5=1}", "b0 {n=4}", "b1 {n=5}");
            }
        }
    }

    @Test
    void aRowOfAnotherProgramIsTakenOver() {
        try (ShellFixture fixture = new ShellFixture(new OneRow(), 1)) {
            fixture.dynamoDb()
                    .putItem(request -> request.tableName(Changing.TABLE)
                            .item(Map.of(
                                    "id", AttributeValue.fromS("a"),
                                    "tags", AttributeValue.fromSs(List.of("s", "t")))));
            fixture.put(0, event("k", set("a", "x", "1")));
            fixture.process(0, 0, 1);

            assertThat(fixture.dynamoDb()
                            .getItem(request ->
                                    request.tableName(Changing.TABLE).key(Map.of("id", AttributeValue.fromS("a"))))
                            .item()
                            .get("tags"))
                    .as("what a set does not name stays as it is")
                    .isEqualTo(AttributeValue.fromSs(List.of("s", "t")));
            assertThat(Items.toAttributes(item(fixture, "a"))).containsKey("_version");
        }
    }
}
