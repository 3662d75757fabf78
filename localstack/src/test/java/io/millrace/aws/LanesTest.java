package io.millrace.aws;

import static io.millrace.aws.Gauging.event;
import static io.millrace.aws.ShellFixture.errorOf;
import static io.millrace.time.WatermarkStrategy.NO_WATERMARK;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import io.millrace.local.InvocationOutcome;
import io.millrace.local.ManualClock;
import io.millrace.local.internal.CallersThread;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.kinesis.model.Shard;

/** Lanes that come and go, and the watermark that they make; the numbers in brackets are those of the field cases. */
class LanesTest {
    private static final int TO_THE_END = 10_000;
    private static final Duration LONGER_THAN_FRESH = Duration.ofMillis(1_001);
    private static final Duration LONGER_THAN_RETENTION = Duration.ofHours(25);

    private final ManualClock clock = new ManualClock(Instant.parse("2026-03-01T12:00:00Z"));

    private ShellFixture fixture(int shards) {
        return new ShellFixture(new Gauging(), shards, clock);
    }

    /** Puts events and processes them as one batch, when the stage's watermark is no longer fresh. */
    private void process(ShellFixture fixture, int shard, String... events) {
        int before = fixture.records(shard).size();
        fixture.put(shard, events);
        clock.advance(LONGER_THAN_FRESH);
        fixture.process(shard, before, before + events.length);
    }

    private static void split(ShellFixture fixture, int shard) {
        Shard parent = fixture.shards().get(shard);
        BigInteger start = new BigInteger(parent.hashKeyRange().startingHashKey());
        BigInteger end = new BigInteger(parent.hashKeyRange().endingHashKey());
        fixture.kinesis()
                .splitShard(request -> request.streamName(Gauging.STREAM)
                        .shardToSplit(parent.shardId())
                        .newStartingHashKey(start.add(end).shiftRight(1).toString()));
    }

    private static void merge(ShellFixture fixture, int shard, int adjacent) {
        List<Shard> shards = fixture.shards();
        fixture.kinesis()
                .mergeShards(request -> request.streamName(Gauging.STREAM)
                        .shardToMerge(shards.get(shard).shardId())
                        .adjacentShardToMerge(shards.get(adjacent).shardId()));
    }

    /** The watermark at which an event was processed. */
    private static long watermarkAt(ShellFixture fixture, long time) {
        return fixture.scan(Gauging.TABLE).stream()
                .filter(row -> row.path("time").asLong() == time)
                .findFirst()
                .orElseThrow()
                .path("watermark")
                .asLong();
    }

    private static long watermarkOf(JsonNode item) {
        return item.has("watermark") ? item.path("watermark").asLong() : NO_WATERMARK;
    }

    private static long laneWatermark(ShellFixture fixture, int shard) {
        return watermarkOf(fixture.lane(shard));
    }

    private static Map<String, ObjectNode> control(ShellFixture fixture) {
        return fixture.scanBy("sk", Gauging.NAME + "-control");
    }

    private static long storedWatermark(ShellFixture fixture) {
        ObjectNode item = control(fixture).get("watermark");
        return item == null ? NO_WATERMARK : watermarkOf(item);
    }

    private static Set<String> textsOf(JsonNode set) {
        return StreamSupport.stream(set.spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> shardIds(ShellFixture fixture) {
        return fixture.shards().stream().map(Shard::shardId).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Map<String, ObjectNode> lanes(ShellFixture fixture) {
        return control(fixture).entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(Gauging.STREAM + "/"))
                .collect(Collectors.toMap(
                        entry -> entry.getKey().substring(Gauging.STREAM.length() + 1), Map.Entry::getValue));
    }

    private static Set<String> named(ShellFixture fixture) {
        ObjectNode item = control(fixture).get("lanes");
        return item == null ? Set.of() : textsOf(item.path("shards"));
    }

    private static void delete(ShellFixture fixture, String partitionKey, String sortKey) {
        fixture.dynamoDb()
                .deleteItem(request -> request.tableName(Gauging.NAME + "-control")
                        .key(Map.of("pk", AttributeValue.fromS(partitionKey), "sk", AttributeValue.fromS(sortKey))));
    }

    private static void forgetLane(ShellFixture fixture, int shard) {
        delete(
                fixture,
                Gauging.STAGE + "#1",
                Gauging.STREAM + "/" + fixture.shards().get(shard).shardId());
    }

    private static void forgetCompleteness(ShellFixture fixture) {
        delete(fixture, Gauging.STAGE + "#1#stage", "lanes");
    }

    /** Whoever sees a lane finished sees its children, with nothing below its watermark; and all lanes that are named are there. */
    private static void assertConsistent(ShellFixture fixture, String when) {
        Map<String, ObjectNode> lanes = lanes(fixture);
        assertThat(lanes.keySet()).as(when).containsAll(named(fixture));
        lanes.values().stream().filter(lane -> lane.has("finished")).forEach(parent -> {
            assertThat(textsOf(parent.path("children"))).as(when).isNotEmpty();
            textsOf(parent.path("children")).forEach(child -> {
                assertThat(lanes).as(when).containsKey(child);
                assertThat(watermarkOf(Objects.requireNonNull(lanes.get(child))))
                        .as(when + ": the watermark of " + child)
                        .isGreaterThanOrEqualTo(watermarkOf(parent));
            });
        });
    }

    @Test
    void theFirstInvocationMakesARecordForEachShardAndNamesThemLast() {
        try (ShellFixture fixture = fixture(3)) {
            process(fixture, 1, event("k", 100));

            assertThat(lanes(fixture).keySet()).isEqualTo(shardIds(fixture)).isEqualTo(named(fixture));
            lanes(fixture)
                    .values()
                    .forEach(lane -> assertThat(lane.path("discovered").asText())
                            .isEqualTo(clock.instant().toString()));
        }
    }

    @Test
    void aDiscoveryThatDiesIsMadeUpForBeforeTheWatermarkIsUsed() {
        boolean ended = false;
        for (int requests = 1; !ended; requests++) {
            try (ShellFixture fixture = fixture(3)) {
                fixture.put(1, event("k", 100), event("k", 200), event("k", 300));
                Fiber<StreamsEventResponse> dying = fixture.fiber(1, 0, 1);
                ended = dying.run(requests);
                dying.kill();
                String when = "died after " + requests + " requests";
                assertConsistent(fixture, when);

                fixture.process(1, 0, 2);
                clock.advance(LONGER_THAN_FRESH);
                fixture.process(1, 2, 3);

                assertThat(named(fixture)).as(when).isEqualTo(shardIds(fixture));
                assertThat(lanes(fixture).keySet()).as(when).isEqualTo(shardIds(fixture));
                assertThat(storedWatermark(fixture)).as(when).isEqualTo(NO_WATERMARK);
                assertThat(watermarkAt(fixture, 300)).as(when).isEqualTo(NO_WATERMARK);
            }
        }
    }

    @Test
    void whileTheItemThatNamesTheLanesIsMissingOrNamesOthersDiscoveryIsRepeatedBeforeTheWatermarkIsUsed() {
        List<Consumer<ShellFixture>> holes = List.of(fixture -> forgetLane(fixture, 0), fixture -> {
            forgetLane(fixture, 0);
            forgetCompleteness(fixture);
        });
        for (Consumer<ShellFixture> hole : holes) {
            try (ShellFixture fixture = fixture(2)) {
                process(fixture, 1, event("k", 100));
                hole.accept(fixture);

                process(fixture, 1, event("k", 200));

                assertThat(watermarkAt(fixture, 200)).isEqualTo(NO_WATERMARK);
                assertThat(named(fixture)).isEqualTo(shardIds(fixture));
                assertThat(lanes(fixture).keySet()).isEqualTo(shardIds(fixture));
            }
        }
    }

    @Test
    void aLaneThatHasBeenSilentSinceTheStartHoldsTheWatermark() { // [24]
        try (ShellFixture fixture = fixture(2)) {
            process(fixture, 1, event("k", 1_000), event("k", 2_000));
            process(fixture, 1, event("k", 3_000));
            assertThat(watermarkAt(fixture, 3_000)).isEqualTo(NO_WATERMARK);

            process(fixture, 0, event("k", 500));
            assertThat(watermarkAt(fixture, 500)).isEqualTo(NO_WATERMARK);
            process(fixture, 1, event("k", 4_000));
            assertThat(watermarkAt(fixture, 4_000)).isEqualTo(499);
        }
    }

    @Test
    void theWatermarkIsTheLowestOfTheLanesAndOneForAWholeInvocation() {
        try (ShellFixture fixture = fixture(2)) {
            process(fixture, 0, event("a", 100));
            process(fixture, 1, event("b", 5_000));

            process(fixture, 0, event("a", 200), event("c", 300));

            assertThat(watermarkAt(fixture, 200)).isEqualTo(99);
            assertThat(watermarkAt(fixture, 300)).isEqualTo(99);
            assertThat(laneWatermark(fixture, 0)).isEqualTo(299);
            assertThat(laneWatermark(fixture, 1)).isEqualTo(4_999);
        }
    }

    @Test
    void aFreshWatermarkIsReadAndNotMadeAgain() {
        try (ShellFixture fixture = fixture(1)) {
            process(fixture, 0, event("k", 100));
            process(fixture, 0, event("k", 200));
            fixture.put(0, event("k", 300), event("k", 400));
            clock.advance(Duration.ofSeconds(1));
            fixture.process(0, 2, 3);
            assertThat(watermarkAt(fixture, 300)).isEqualTo(99);

            clock.advance(Duration.ofMillis(1));
            fixture.process(0, 3, 4);
            assertThat(watermarkAt(fixture, 400)).isEqualTo(299);
        }
    }

    @Test
    void theWatermarkIsStoredWithTheCursorAndNotBeforeTheCommits() {
        boolean ended = false;
        for (int requests = 1; !ended; requests++) {
            try (ShellFixture fixture = fixture(1)) {
                process(fixture, 0, event("k", 100));
                fixture.put(0, event("k", 700));
                Fiber<StreamsEventResponse> dying = fixture.fiber(0, 1, 2);
                ended = dying.run(requests);
                dying.kill();

                boolean advanced = fixture.lane(0).path("cursor").asText().equals(fixture.sequenceNumber(0, 1));
                assertThat(laneWatermark(fixture, 0))
                        .as("died after " + requests + " requests")
                        .isEqualTo(advanced ? 699 : 99);
            }
        }
    }

    @Test
    void theWatermarkNeverGoesBack() {
        boolean ended = false;
        for (int requests = 1; !ended; requests++) {
            try (ShellFixture fixture = fixture(2)) {
                process(fixture, 0, event("a", 100));
                process(fixture, 1, event("b", 100));
                fixture.put(0, event("a", 200));
                clock.advance(LONGER_THAN_FRESH);
                Fiber<StreamsEventResponse> slow = fixture.fiber(0, 1, 2);
                ended = slow.run(requests);
                process(fixture, 1, event("b", 5_000));
                fixture.process(0, 1, 2);
                process(fixture, 0, event("a", 5_000));
                process(fixture, 1, event("b", 6_000));
                long before = storedWatermark(fixture);
                assertThat(before).isEqualTo(4_999);

                slow.run(TO_THE_END);

                assertThat(slow.thrown()).isNull();
                assertThat(storedWatermark(fixture))
                        .as("slow after " + requests + " requests")
                        .isEqualTo(before);
            }
        }
    }

    @Test
    void anOlderElementDoesNotMoveTheWatermarkBack() {
        try (ShellFixture fixture = fixture(1)) {
            process(fixture, 0, event("k", 1_000));
            process(fixture, 0, event("k", 10));
            assertThat(watermarkAt(fixture, 10)).isEqualTo(999);
            assertThat(laneWatermark(fixture, 0)).isEqualTo(999);
        }
    }

    @Test
    void anElementFromTheFarFutureIsCountedAndMovesNoWatermark() { // [29]
        long now = clock.instant().toEpochMilli();
        long future = Instant.parse("2286-11-20T00:00:00Z").toEpochMilli();
        try (ShellFixture fixture = fixture(1)) {
            process(fixture, 0, event("k", now - 1_000), event("k", future), event("k", now));

            assertThat(laneWatermark(fixture, 0)).isEqualTo(now - 1);
            assertThat(fixture.lastReport().get(Count.FUTURE)).isEqualTo(1);
            process(fixture, 0, event("k", now + 1));
            assertThat(watermarkAt(fixture, now + 1)).isEqualTo(now - 1);
            assertThat(fixture.lastReport().get(Count.FUTURE)).isZero();
        }
    }

    @Test
    void aStageWithoutEventTimeDiscoversItsLanesAndHasNoWatermark() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 2, clock)) {
            fixture.put(0, Counting.event("k", 1));
            fixture.process(0, 0, 1);

            Map<String, ObjectNode> control = fixture.scanBy("sk", "counting-control");
            assertThat(control)
                    .containsKeys("lanes", "events/shardId-000000000001")
                    .doesNotContainKey("watermark");
        }
    }

    @Test
    void theChildrenOfASplitInheritTheWatermarkAndTheParentIsFinished() {
        try (ShellFixture fixture = fixture(1)) {
            process(fixture, 0, event("k", 100));
            split(fixture, 0);

            process(fixture, 1, event("k", 1_000));
            assertThat(watermarkAt(fixture, 1_000)).isEqualTo(99);
            assertThat(fixture.lane(0).path("finished").asBoolean()).isTrue();
            assertThat(textsOf(fixture.lane(0).path("children")))
                    .containsExactly(
                            fixture.shards().get(1).shardId(),
                            fixture.shards().get(2).shardId());
            assertThat(laneWatermark(fixture, 2)).isEqualTo(99);
            assertThat(fixture.lane(1).has("open_parents")).isFalse();
            assertThat(named(fixture)).isEqualTo(shardIds(fixture));

            // The other child is silent, and holds the watermark.
            process(fixture, 1, event("k", 2_000));
            assertThat(watermarkAt(fixture, 2_000)).isEqualTo(99);
            process(fixture, 2, event("m", 1_500));
            process(fixture, 1, event("k", 3_000));
            assertThat(watermarkAt(fixture, 3_000)).isEqualTo(1_499);
        }
    }

    @Test
    void theChildOfAMergeInheritsTheLowerWatermark() {
        try (ShellFixture fixture = fixture(2)) {
            process(fixture, 0, event("a", 100));
            process(fixture, 1, event("b", 2_000));
            merge(fixture, 0, 1);

            process(fixture, 2, event("a", 3_000));

            assertThat(watermarkAt(fixture, 3_000)).isEqualTo(99);
            assertThat(fixture.lane(0).path("finished").asBoolean()).isTrue();
            assertThat(fixture.lane(1).path("finished").asBoolean()).isTrue();
            process(fixture, 2, event("a", 4_000));
            assertThat(watermarkAt(fixture, 4_000)).isEqualTo(2_999);
        }
    }

    @Test
    void aChildBeforeItsParentsLastRecordsIsRefusedAndBothAreCountedOnce() { // [7]
        try (ShellFixture fixture = fixture(1)) {
            fixture.put(0, event("k", 1), event("k", 2), event("k", 3), event("k", 4), event("k", 5));
            fixture.process(0, 0, 4);
            split(fixture, 0);
            fixture.put(1, event("k", 6));

            assertThat(errorOf(fixture.invoke(1, 0, 1)))
                    .contains("lane readings/shardId-000000000000")
                    .contains("committed up to " + fixture.sequenceNumber(0, 3))
                    .contains("next record behind it is " + fixture.sequenceNumber(0, 4));
            assertThat(fixture.lastReport().get(Count.UNFINISHED_PARENTS)).isEqualTo(1);
            assertThat(fixture.scan(Gauging.TABLE)).hasSize(4);
            assertThat(fixture.lane(0).has("finished")).isFalse();

            fixture.process(0, 4, 5);
            fixture.process(1, 0, 1);
            assertThat(fixture.scan(Gauging.TABLE))
                    .hasSize(6)
                    .allSatisfy(row -> assertThat(row.path("number").asLong())
                            .isEqualTo(row.path("time").asLong()));
        }
    }

    @Test
    void aParentOfWhichNothingIsCommittedIsNotFinishedEither() {
        try (ShellFixture fixture = fixture(1)) {
            fixture.put(0, event("k", 1));
            split(fixture, 0);
            fixture.put(1, event("k", 2));

            assertThat(errorOf(fixture.invoke(1, 0, 1))).contains("not even its beginning");
            fixture.process(0, 0, 1);
            fixture.process(1, 0, 1);
            assertThat(fixture.scan(Gauging.TABLE)).hasSize(2);
        }
    }

    @Test
    void aGrandparentMustBeFinishedThroughAParentWithoutRecords() {
        try (ShellFixture fixture = fixture(1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.process(0, 0, 1);
            split(fixture, 0);
            split(fixture, 1);
            fixture.put(3, event("k", 3));

            assertThat(errorOf(fixture.invoke(3, 0, 1))).contains("lane readings/shardId-000000000000, is finished");
            fixture.process(0, 1, 2);
            fixture.process(3, 0, 1);

            assertThat(laneWatermark(fixture, 2)).isEqualTo(1);
            assertThat(laneWatermark(fixture, 4)).isEqualTo(1);
            assertThat(fixture.lane(1).path("finished").asBoolean()).isTrue();
            assertThat(named(fixture)).isEqualTo(shardIds(fixture));
        }
    }

    @Test
    void anOperatorCanGoOnWithoutAParentsLastRecords() {
        try (ShellFixture fixture = fixture(1)) {
            fixture.put(0, event("k", 1), event("k", 2), event("k", 3));
            fixture.process(0, 0, 1);
            split(fixture, 0);
            fixture.put(1, event("k", 4));
            String error = errorOf(fixture.invoke(1, 0, 1));
            String decision = error.replaceAll("(?s).*MILLRACE_ACCEPT_GAP=([^,]+),.*", "$1");
            assertThat(decision).isEqualTo("readings/shardId-000000000000@" + fixture.sequenceNumber(0, 0) + "..END");

            fixture.acceptGap(decision);
            fixture.process(1, 0, 1);

            assertThat(fixture.lastReport().get(Count.GAPS_ACCEPTED)).isEqualTo(1);
            assertThat(fixture.lastReport().get(Count.DEAD_LETTERS)).isEqualTo(1);
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("GAP");
                assertThat(letter.path("lane").asText()).isEqualTo("readings/shardId-000000000000");
                assertThat(letter.path("after").asText()).isEqualTo(fixture.sequenceNumber(0, 0));
                assertThat(letter.path("before").asText()).isEqualTo("END");
            });
            // What comes after all is a dead letter already, and is not absorbed too.
            fixture.process(0, 1, 3);
            assertThat(fixture.lastReport().get(Count.DUPLICATES)).isEqualTo(2);
            assertThat(fixture.scan(Gauging.TABLE)).hasSize(2);
        }
    }

    @Test
    void anotherDecisionDoesNotLetAParentGo() {
        try (ShellFixture fixture = fixture(1)) {
            fixture.put(0, event("k", 1), event("k", 2), event("k", 3));
            fixture.process(0, 0, 2);
            split(fixture, 0);
            fixture.put(1, event("k", 4));
            fixture.acceptGap("readings/shardId-000000000000@" + fixture.sequenceNumber(0, 0) + "..END");

            assertThat(errorOf(fixture.invoke(1, 0, 1))).contains("is finished");
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void aParentThatTheStreamDoesNotListAnyMoreIsFinished() {
        try (ShellFixture fixture = fixture(1)) {
            process(fixture, 0, event("k", 100));
            fixture.put(0, event("k", 200));
            split(fixture, 0);
            clock.advance(LONGER_THAN_RETENTION);
            assertThat(shardIds(fixture)).hasSize(2);

            process(fixture, 0, event("k", 300));

            assertThat(watermarkAt(fixture, 300)).isEqualTo(99);
            ObjectNode parent = Objects.requireNonNull(lanes(fixture).get("shardId-000000000000"));
            assertThat(parent.path("finished").asBoolean()).isTrue();
            assertThat(textsOf(parent.path("children"))).isEqualTo(shardIds(fixture));
        }
    }

    @Test
    void aParentThatNeitherTheStreamNorTheStageKnowsHoldsNothingUp() {
        try (ShellFixture fixture = fixture(1)) {
            split(fixture, 0);
            clock.advance(LONGER_THAN_RETENTION);

            process(fixture, 0, event("k", 300));

            assertThat(watermarkAt(fixture, 300)).isEqualTo(NO_WATERMARK);
            assertThat(fixture.lane(0).has("open_parents")).isFalse();
            assertThat(lanes(fixture).keySet()).isEqualTo(shardIds(fixture));
        }
    }

    @Test
    void whoeverDiesWhileAParentIsFinishedLeavesNoChildWithoutItsWatermark() {
        boolean ended = false;
        for (int requests = 1; !ended; requests++) {
            try (ShellFixture fixture = fixture(2)) {
                process(fixture, 0, event("a", 100));
                fixture.put(0, event("a", 150));
                split(fixture, 0);
                // A discovery makes the children's records, with the watermark of now; then the parent goes on.
                forgetCompleteness(fixture);
                process(fixture, 1, event("b", 9_000));
                assertThat(laneWatermark(fixture, 2)).isEqualTo(99);
                fixture.process(0, 1, 2);
                fixture.put(2, event("a", 2_000));
                Fiber<StreamsEventResponse> dying = fixture.fiber(2, 0, 1);
                ended = dying.run(requests);
                dying.kill();
                String when = "died after " + requests + " requests";
                assertConsistent(fixture, when);

                fixture.process(2, 0, 1);

                assertConsistent(fixture, when);
                assertThat(laneWatermark(fixture, 3)).as(when).isEqualTo(149);
                assertThat(fixture.lane(0).path("finished").asBoolean())
                        .as(when)
                        .isTrue();
            }
        }
    }

    @Test
    void anInvocationBesidesOneThatFinishesTheParentDoesTheSame() {
        boolean ended = false;
        for (int requests = 1; !ended; requests++) {
            try (ShellFixture fixture = fixture(1)) {
                process(fixture, 0, event("k", 100));
                split(fixture, 0);
                fixture.put(1, event("a", 2_000));
                fixture.put(2, event("b", 3_000));
                Fiber<StreamsEventResponse> slow = fixture.fiber(1, 0, 1);
                ended = slow.run(requests);
                InvocationOutcome other = fixture.invoke(2, 0, 1);
                slow.run(TO_THE_END);

                assertThat(ShellFixture.failedAt(other)).isNull();
                assertThat(slow.thrown()).isNull();
                assertConsistent(fixture, "slow after " + requests + " requests");
                assertThat(laneWatermark(fixture, 1)).isEqualTo(1_999);
                assertThat(laneWatermark(fixture, 2)).isEqualTo(2_999);
            }
        }
    }

    /** Found by the simulation: a shard that is not in a list can be newer than the list, and not gone. */
    @Test
    void aTickWhoseListIsOlderThanAShardDoesNotTakeThatForOver() {
        boolean ended = false;
        for (int requests = 1; !ended; requests++) {
            try (ShellFixture fixture = fixture(1)) {
                process(fixture, 0, event("k", 100));
                TickHandler handler = tick(fixture);
                Fiber<TickReport> slow = new Fiber<>(() -> handler.handleRequest(Map.of(), ChaosContext.endless()));
                ended = slow.run(requests);
                split(fixture, 0);
                tick(fixture).handleRequest(Map.of(), ChaosContext.endless());
                slow.run(TO_THE_END);

                String when = "slow after " + requests + " requests";
                assertThat(slow.thrown()).as(when).isNull();
                assertThat(lanes(fixture)).as(when).hasSize(3);
                assertThat(fixture.lane(1).has("finished")).as(when).isFalse();
                assertThat(fixture.lane(2).has("finished")).as(when).isFalse();
            }
        }
    }

    private TickHandler tick(ShellFixture fixture) {
        return TickHandler.builder()
                .pipeline(new Gauging())
                .dynamoDb(fixture.operatorDynamoDb(null))
                .kinesis(fixture.operatorKinesis(null))
                .ioExecutor(new IoExecutor(new CallersThread()))
                .surroundings(new Surroundings(clock, new Random(1), millis -> {}))
                .build();
    }
}
