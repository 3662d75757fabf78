package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static io.millrace.aws.ShellFixture.errorOf;
import static io.millrace.aws.ShellFixture.failedAt;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Invocations beside the retry of their own batch, and what attempts that died leave behind. */
class TwinInvocationTest {
    private static final int POISON = 13;
    private static final int REQUESTS_MAX = 500;
    private static final int TO_THE_END = 10_000;

    private static void runUntil(Fiber<StreamsEventResponse> fiber, BooleanSupplier reached) {
        for (int request = 0; !reached.getAsBoolean(); request++) {
            assertThat(request).isLessThan(REQUESTS_MAX);
            assertThat(fiber.run(1)).as("ended before it came so far").isFalse();
        }
    }

    private static int laneNumber(ShellFixture fixture, String attribute) {
        return fixture.scan("counting-control").stream()
                .filter(item -> item.has(attribute))
                .mapToInt(item -> item.path(attribute).asInt())
                .findFirst()
                .orElse(0);
    }

    private static boolean laneFlag(ShellFixture fixture, String attribute) {
        return fixture.scan("counting-control").stream()
                .anyMatch(item -> item.path(attribute).asBoolean());
    }

    private static void dieBegun(ShellFixture fixture, int begun, int records) {
        Fiber<StreamsEventResponse> dying = fixture.fiber(0, 0, records);
        runUntil(dying, () -> laneNumber(fixture, "batch_begun") == begun);
        dying.kill();
    }

    private static Fiber<StreamsEventResponse> pausedAlone(ShellFixture fixture, int attempts, int records) {
        Fiber<StreamsEventResponse> paused = fixture.fiber(0, 0, records);
        runUntil(paused, () -> laneNumber(fixture, "alone_attempts") == attempts);
        return paused;
    }

    private static int sumOf(ShellFixture fixture, String key) {
        ObjectNode row = fixture.scanBy("key", Counting.TABLE).get(key);
        return row == null ? 0 : row.path("sum").asInt();
    }

    private static Counting throwingWhen(AtomicBoolean bad, ErrorPolicy policy) {
        return new Counting(
                value -> {
                    if (value == POISON && bad.get()) {
                        throw new IllegalStateException("unlucky");
                    }
                },
                policy);
    }

    @Test
    void aCleanFailureKeepsTheMarkOfAnAttemptThatDiedBefore() {
        AtomicBoolean bad = new AtomicBoolean();
        Counting pipeline = throwingWhen(bad, ErrorPolicy.fail());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("c", 1), event("b", POISON), event("c", 3));
            Fiber<StreamsEventResponse> dying = fixture.fiber(0, 0, 3);
            runUntil(dying, () -> sumOf(fixture, "c") == 4);
            dying.kill();
            assertThat(sumOf(fixture, "b")).isZero();
            bad.set(true);
            assertThat(failedAt(fixture.invoke(0, 0, 3))).isEqualTo(fixture.sequenceNumber(0, 1));
            assertThat(failedAt(fixture.invoke(0, 1, 3))).as("alone").isEqualTo(fixture.sequenceNumber(0, 1));

            MillraceFunction other = fixture.function(Counting.harmless().withOtherTopology(), builder -> builder);
            assertThat(errorOf(fixture.invoke(other, 0, 1, 3)))
                    .as("the last record is counted under a key of the old code")
                    .contains("begun by other code")
                    .contains("MILLRACE_ACCEPT_TOPOLOGY=");
        }
    }

    @Test
    void otherCodeMayGoOnBehindACleanFailure() {
        AtomicBoolean bad = new AtomicBoolean(true);
        try (ShellFixture fixture = new ShellFixture(throwingWhen(bad, ErrorPolicy.fail()), 1)) {
            fixture.put(0, event("c", 1), event("b", POISON), event("c", 3));
            failedAt(fixture.invoke(0, 0, 3));
            failedAt(fixture.invoke(0, 1, 3));

            MillraceFunction other = fixture.function(Counting.harmless().withOtherTopology(), builder -> builder);
            assertThat(failedAt(fixture.invoke(other, 0, 1, 3))).isNull();
            assertThat(sumOf(fixture, "b") + sumOf(fixture, "c")).isEqualTo(4 + POISON);
        }
    }

    @Test
    void otherCodeIsRefusedBehindACrashUntilTheOperatorAcceptsIt() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            dieBegun(fixture, 1, 2);
            Counting other = Counting.harmless().withOtherTopology();

            String error = errorOf(fixture.invoke(fixture.function(other, builder -> builder), 0, 0, 2));

            assertThat(error).contains("begun by other code");
            fixture.acceptTopology(error.replaceAll("(?s).*MILLRACE_ACCEPT_TOPOLOGY=(\\S+) .*", "$1"));
            assertThat(failedAt(fixture.invoke(fixture.function(other, builder -> builder), 0, 0, 2)))
                    .isNull();
            assertThat(sumOf(fixture, "k")).isEqualTo(3);
        }
    }

    @Test
    void twinsOfDifferentCodeCannotBothBeginABatch() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 0), event("k", 1), event("k", 2));
            fixture.process(0, 0, 1);
            Fiber<StreamsEventResponse> older = fixture.fiber(0, 1, 3);
            // The control item, the lane's record, an iterator, a read: now it is about to begin the batch.
            older.run(4);
            Fiber<StreamsEventResponse> newer =
                    fixture.fiber(Counting.harmless().withOtherTopology(), ChaosContext.endless(), 0, 1, 3);
            runUntil(newer, () -> laneNumber(fixture, "batch_begun") == 1);

            older.run(TO_THE_END);

            assertThat(older.thrown()).hasMessageContaining("begun by other code");
            newer.run(TO_THE_END);
            assertThat(newer.thrown()).isNull();
            assertThat(sumOf(fixture, "k")).isEqualTo(3);
        }
    }

    @Test
    void aRecordThatAnEarlierAttemptCommittedIsNoDeadLetterThoughTheProcessDiedBeforeItsKeysWereKnownAgain() {
        try (ShellFixture fixture = new ShellFixture(new Counting(value -> {}, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", 1));
            Fiber<StreamsEventResponse> dying = fixture.fiber(0, 0, 1);
            runUntil(dying, () -> sumOf(fixture, "k") == 1);
            dying.kill();
            dieBegun(fixture, 2, 1);
            pausedAlone(fixture, 1, 1).kill();

            fixture.process(0, 0, 1);

            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(sumOf(fixture, "k")).isEqualTo(1);
        }
    }

    @Test
    void keysThatWereKnownOnceStayKnown() {
        try (ShellFixture fixture =
                new ShellFixture(new Counting(value -> {}, ErrorPolicy.retryThenDeadLetter(4)), 1)) {
            fixture.put(0, event("k", 1));
            dieBegun(fixture, 1, 1);
            dieBegun(fixture, 2, 1);
            Fiber<StreamsEventResponse> dying = fixture.fiber(0, 0, 1);
            runUntil(dying, () -> sumOf(fixture, "k") == 1);
            dying.kill();
            for (int attempt = 2; attempt <= 4; attempt++) {
                pausedAlone(fixture, attempt, 1).kill();
            }

            fixture.process(0, 0, 1);

            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(sumOf(fixture, "k")).isEqualTo(1);
        }
    }

    @Test
    void aZombieCannotCommitARecordThatBecameADeadLetterWithoutAKey() {
        try (ShellFixture fixture = new ShellFixture(new Counting(value -> {}, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", 1));
            dieBegun(fixture, 1, 1);
            dieBegun(fixture, 2, 1);
            Fiber<StreamsEventResponse> zombie = pausedAlone(fixture, 1, 1);
            pausedAlone(fixture, 2, 1).kill();
            Fiber<StreamsEventResponse> otherZombie = pausedAlone(fixture, 3, 1);
            Fiber<StreamsEventResponse> givingUp = fixture.fiber(0, 0, 1);
            runUntil(
                    givingUp,
                    () -> fixture.scan("counting-control").stream()
                            .anyMatch(item -> item.path("alone_keyless").asBoolean()));

            otherZombie.run(TO_THE_END);
            givingUp.run(TO_THE_END);
            zombie.run(TO_THE_END);

            assertThat(fixture.deadLetters())
                    .singleElement()
                    .satisfies(
                            letter -> assertThat(letter.path("kind").asText()).isEqualTo("PROCESS_KILLED"));
            assertThat(fixture.scan(Counting.TABLE)).isEmpty();
            assertThat(fixture.scan("counting-state")).isEmpty();
        }
    }

    @Test
    void aTwinThatKnowsTheKeysInTimeWinsOverADeadLetterWithoutAKey() {
        try (ShellFixture fixture = new ShellFixture(new Counting(value -> {}, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", 1));
            dieBegun(fixture, 1, 1);
            dieBegun(fixture, 2, 1);
            Fiber<StreamsEventResponse> zombie = pausedAlone(fixture, 1, 1);
            pausedAlone(fixture, 2, 1).kill();
            pausedAlone(fixture, 3, 1).kill();
            Fiber<StreamsEventResponse> givingUp = fixture.fiber(0, 0, 1);
            // The control item, the lane's record, an iterator, a read: now it is about to decide.
            givingUp.run(4);

            zombie.run(TO_THE_END);
            givingUp.run(TO_THE_END);

            assertThat(sumOf(fixture, "k")).isEqualTo(1);
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void aZombiesEndDoesNotTakeTheCursorBack() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            IntStream.range(0, 5).forEach(i -> fixture.put(0, event("k", 1)));
            Fiber<StreamsEventResponse> zombie = fixture.fiber(0, 0, 3);
            runUntil(zombie, () -> sumOf(fixture, "k") == 3);
            fixture.process(0, 0, 5);
            zombie.run(TO_THE_END);

            assertThat(zombie.thrown()).isNull();
            assertThat(fixture.lane(0).path("cursor").asText()).isEqualTo(fixture.sequenceNumber(0, 4));
            assertThat(sumOf(fixture, "k")).isEqualTo(5);
        }
    }

    @Test
    void whatATwinLeavesOfABatchIsMarkedBeforeItRuns() {
        Counting pipeline = throwingWhen(new AtomicBoolean(true), ErrorPolicy.deadLetter());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", POISON));
            IntStream.range(0, 40).forEach(i -> fixture.put(0, event("k", 1)));
            Fiber<StreamsEventResponse> passed = fixture.fiber(0, 0, 41);
            runUntil(passed, () -> !fixture.deadLetters().isEmpty());
            // The cursor passes the dead letter: now it is about to begin the next records.
            passed.run(1);
            fixture.process(0, 0, 31);
            runUntil(passed, () -> sumOf(fixture, "k") > 30);

            assertThat(laneNumber(fixture, "batch_begun")).isEqualTo(1);
            passed.run(TO_THE_END);
            assertThat(sumOf(fixture, "k")).isEqualTo(40);
        }
    }

    @Test
    void aRecordThatATwinAbsorbsInTimeIsNoDeadLetterToo() {
        AtomicBoolean bad = new AtomicBoolean();
        try (ShellFixture fixture = new ShellFixture(throwingWhen(bad, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", 1), event("k", POISON));
            fixture.process(0, 0, 1);
            Fiber<StreamsEventResponse> zombie = fixture.fiber(0, 1, 2);
            // Control, lane, iterator, read, begin, load: now it is about to commit.
            zombie.run(6);
            bad.set(true);
            Fiber<StreamsEventResponse> givingUp = fixture.fiber(0, 1, 2);
            runUntil(givingUp, () -> laneNumber(fixture, "alone_attempts") == 1);
            // It loads the cell: now it is about to commit the dead letter.
            givingUp.run(1);

            zombie.run(TO_THE_END);
            givingUp.run(TO_THE_END);

            assertThat(givingUp.thrown()).isNull();
            assertThat(sumOf(fixture, "k")).isEqualTo(1 + POISON);
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void nothingIsAcknowledgedBeforeItsUnitsAreCommitted() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("j", 2), event("k", 4));
            Fiber<StreamsEventResponse> watched = fixture.fiber(0, 0, 3);
            for (boolean ended = false; !ended; ended = watched.run(1)) {
                boolean advanced = fixture.scan("counting-control").stream().anyMatch(item -> item.has("cursor"));
                if (advanced) {
                    assertThat(sumOf(fixture, "k") + sumOf(fixture, "j")).isEqualTo(7);
                }
            }
            assertThat(fixture.lane(0).path("cursor").asText()).isEqualTo(fixture.sequenceNumber(0, 2));
        }
    }

    @Test
    void whatAThrottledInvocationCouldNotCommitIsNamedNotAcknowledged() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.TransactWriteItems", 1, 100_000, Fault.TRANSACTION_CONFLICT)
                    .build());
            AtomicInteger remainingMillis = new AtomicInteger(60_000);
            Fiber<StreamsEventResponse> throttled = fixture.fiber(
                    Counting.harmless(), new ChaosContext(() -> remainingMillis.getAndAdd(-2_000)), 0, 0, 2);
            throttled.run(TO_THE_END);

            assertThat(java.util.Objects.requireNonNull(throttled.result()).getBatchItemFailures())
                    .singleElement()
                    .satisfies(
                            failure -> assertThat(failure.getItemIdentifier()).isEqualTo(fixture.sequenceNumber(0, 0)));
            assertThat(sumOf(fixture, "k")).isZero();
            fixture.setFaults(null);
            fixture.process(0, 0, 2);
            assertThat(sumOf(fixture, "k")).isEqualTo(3);
        }
    }

    @Test
    void aStateDependentThrowOnTheRecomputedStateCommitsThePrefixAndNothingBehind() {
        AtomicBoolean bad = new AtomicBoolean();
        try (ShellFixture fixture = new ShellFixture(throwingWhen(bad, ErrorPolicy.fail()), 2)) {
            fixture.put(0, event("a", 1), event("b", 2), event("b", POISON), event("a", 4), event("b", 8));
            fixture.put(1, event("b", 100));
            Fiber<StreamsEventResponse> first = fixture.fiber(0, 0, 5);
            runUntil(first, () -> sumOf(fixture, "a") == 5);
            fixture.process(1, 0, 1);
            bad.set(true);
            first.run(TO_THE_END);

            assertThat(java.util.Objects.requireNonNull(first.result()).getBatchItemFailures())
                    .singleElement()
                    .satisfies(
                            failure -> assertThat(failure.getItemIdentifier()).isEqualTo(fixture.sequenceNumber(0, 2)));
            assertThat(sumOf(fixture, "b")).isEqualTo(102);
            assertThat(sumOf(fixture, "a"))
                    .as("committed before b was computed again")
                    .isEqualTo(5);
            MillraceFunction other = fixture.function(Counting.harmless().withOtherTopology(), builder -> builder);
            assertThat(errorOf(fixture.invoke(other, 0, 2, 5))).contains("begun by other code");
            bad.set(false);
            fixture.process(0, 2, 5);
            assertThat(sumOf(fixture, "b")).isEqualTo(102 + POISON + 8);
            assertThat(sumOf(fixture, "a")).isEqualTo(5);
        }
    }

    @Test
    void aConflictAtTheEndOfTheTimeIsNoAttempt() {
        try (ShellFixture fixture = new ShellFixture(new Counting(value -> {}, ErrorPolicy.deadLetter()), 2)) {
            fixture.put(0, event("k", 1));
            fixture.put(1, event("k", 10), event("k", 20), event("k", 30));
            for (int delivery = 0; delivery < 3; delivery++) {
                if (delivery < 2) {
                    dieBegun(fixture, delivery + 1, 1);
                }
            }
            for (int other = 0; other < 3; other++) {
                AtomicInteger remainingMillis = new AtomicInteger(60_000);
                Fiber<StreamsEventResponse> slow = fixture.fiber(
                        new Counting(value -> {}, ErrorPolicy.deadLetter()),
                        new ChaosContext(remainingMillis::get),
                        0,
                        0,
                        1);
                // Control, lane, iterator, read, begin alone, keys known, load: now it is about to commit.
                slow.run(7);
                fixture.process(1, other, other + 1);
                remainingMillis.set(0);
                assertThat(slow.run(TO_THE_END)).isTrue();
                assertThat(slow.thrown()).isNull();
            }

            fixture.process(0, 0, 1);

            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(sumOf(fixture, "k")).isEqualTo(61);
        }
    }

    @Test
    void anInvocationThatFailsByItselfIsNoAttempt() {
        try (ShellFixture fixture = new ShellFixture(new Counting(value -> {}, ErrorPolicy.deadLetter()), 1)) {
            fixture.put(0, event("k", 1));
            dieBegun(fixture, 1, 1);
            dieBegun(fixture, 2, 1);
            for (int i = 0; i < 3; i++) {
                fixture.setFaults(FaultInjector.scripted()
                        .inject("DynamoDB.BatchGetItem", 1, 100_000, Fault.THROTTLE)
                        .build());
                assertThat(errorOf(fixture.invoke(0, 0, 1))).contains("Loading cells from table counting-state");
            }
            fixture.setFaults(null);
            fixture.process(0, 0, 1);

            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(sumOf(fixture, "k")).isEqualTo(1);
        }
    }

    @Test
    void lostResponsesOfATransactionWithADeadLetterAreTakenAsCommitted() {
        Counting pipeline = throwingWhen(new AtomicBoolean(true), ErrorPolicy.deadLetter());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", POISON));
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.TransactWriteItems", 1, 6, Fault.LOST_RESPONSE)
                    .build());
            fixture.process(0, 0, 1);

            assertThat(fixture.deadLetters()).hasSize(1);
        }
    }

    @Test
    void hundredsOfPoisonRecordsInABatchAreNoQuadraticWork() {
        int records = 400;
        Counting pipeline = throwingWhen(new AtomicBoolean(true), ErrorPolicy.deadLetter());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            IntStream.range(0, records).forEach(i -> fixture.put(0, event("k" + i % 5, i % 2 == 0 ? POISON : 1)));

            fixture.process(0, 0, records);

            assertThat(fixture.deadLetters()).hasSize(records / 2);
            assertThat(IntStream.range(0, 5).map(k -> sumOf(fixture, "k" + k)).sum())
                    .isEqualTo(records / 2);
            assertThat(pipeline.timesRouted()).isLessThan(30 * records);
        }
    }

    @Test
    void aBatchOfUndecodableRecordsOnlyIsDoneInOneDelivery() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            IntStream.range(0, 200).forEach(i -> fixture.put(0, "no event " + i));

            fixture.process(0, 0, 200);
            fixture.process(0, 0, 200);

            assertThat(fixture.deadLetters()).hasSize(200);
            assertThat(fixture.lane(0).path("cursor").asText()).isEqualTo(fixture.sequenceNumber(0, 199));
            assertThat(List.copyOf(fixture.scan("counting-state"))).isEmpty();
        }
    }

    /** Found by the simulation: code that could not compute the keys gave the record up beside code that could. */
    @Test
    void aRecordWhoseKeysATwinKnowsMeanwhileIsNoDeadLetterWithoutThem() {
        AtomicBoolean bad = new AtomicBoolean(true);
        Counting pipeline =
                new Counting(value -> {}, ErrorPolicy.retryThenDeadLetter(2)).decodedBy(new KeylessWhile(bad));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", 1));
            assertThat(failedAt(fixture.invoke(0, 0, 1))).isEqualTo(fixture.sequenceNumber(0, 0));
            Fiber<StreamsEventResponse> givingUp = fixture.fiber(0, 0, 1);
            runUntil(givingUp, () -> laneNumber(fixture, "alone_attempts") == 2 && !laneFlag(fixture, "alone_open"));
            bad.set(false);
            Fiber<StreamsEventResponse> twin = fixture.fiber(0, 0, 1);
            runUntil(twin, () -> laneFlag(fixture, "alone_keyed"));

            givingUp.run(TO_THE_END);
            twin.run(TO_THE_END);

            assertThat(givingUp.thrown()).isNull();
            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(sumOf(fixture, "k")).isEqualTo(1);
        }
    }

    @Test
    void aRecordWhoseKeysWereKnownOnceIsGivenUpAtLastThoughNobodyComputesThemAgain() {
        AtomicBoolean bad = new AtomicBoolean();
        Counting pipeline =
                new Counting(value -> {}, ErrorPolicy.retryThenDeadLetter(2)).decodedBy(new KeylessWhile(bad));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", 1));
            dieBegun(fixture, 1, 1);
            dieBegun(fixture, 2, 1);
            Fiber<StreamsEventResponse> dying = pausedAlone(fixture, 1, 1);
            runUntil(dying, () -> laneFlag(fixture, "alone_keyed"));
            dying.kill();
            bad.set(true);
            for (int givingUp = 1; givingUp <= 3; givingUp++) {
                assertThat(failedAt(fixture.invoke(0, 0, 1))).isEqualTo(fixture.sequenceNumber(0, 0));
                assertThat(fixture.deadLetters()).isEmpty();
            }

            assertThat(failedAt(fixture.invoke(0, 0, 1))).isNull();

            assertThat(fixture.deadLetters())
                    .singleElement()
                    .satisfies(
                            letter -> assertThat(letter.path("kind").asText()).isEqualTo("KEY_UNKNOWN"));
        }
    }

    /** Keys that cannot be computed, which is nobody's fault for good. */
    private static final class UnknownKeys extends AbstractList<String> {
        @Override
        public String get(int index) {
            throw new IllegalStateException("the key is not known");
        }

        @Override
        public int size() {
            return 1;
        }
    }

    /** Events as they are, or without a key as long as something is wrong. */
    private record KeylessWhile(AtomicBoolean bad) implements Serde<Counting.Event> {
        private static final Serde<Counting.Event> EVENTS = Json.of(Counting.Event.class);

        @Override
        public byte[] serialize(Counting.Event event) {
            return EVENTS.serialize(event);
        }

        @Override
        public Counting.Event deserialize(byte[] bytes) throws Exception {
            Counting.Event event = EVENTS.deserialize(bytes);
            return bad.get() ? new Counting.Event(new UnknownKeys(), event.value()) : event;
        }
    }

    /** Found by the simulation: giving it up decoded it once more, and nobody looked at what came of that. */
    @Test
    void anUndecodableRecordThatDeathsGiveUpIsADeadLetterToo() {
        try (ShellFixture fixture =
                new ShellFixture(throwingWhen(new AtomicBoolean(), ErrorPolicy.retryThenDeadLetter(1)), 1)) {
            fixture.put(0, "no event");
            dieBegun(fixture, 1, 1);
            dieBegun(fixture, 2, 1);
            Fiber<StreamsEventResponse> dying = pausedAlone(fixture, 1, 1);
            runUntil(dying, () -> laneFlag(fixture, "alone_keyed"));
            dying.kill();

            assertThat(failedAt(fixture.invoke(0, 0, 1))).isNull();

            assertThat(fixture.deadLetters())
                    .singleElement()
                    .satisfies(
                            letter -> assertThat(letter.path("kind").asText()).isEqualTo("UNDECODABLE"));
        }
    }
}
