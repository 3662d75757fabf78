package io.millrace.internal.engine;

import static io.millrace.internal.engine.EngineHarness.LANE;
import static io.millrace.internal.engine.EngineHarness.record;
import static io.millrace.internal.engine.EngineHarness.records;
import static io.millrace.internal.engine.Ledger.add;
import static io.millrace.internal.engine.Ledger.event;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.ErrorPolicy;
import io.millrace.MillraceException;
import io.millrace.internal.engine.Ledger.Action;
import io.millrace.internal.engine.RecordFailure.Kind;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.SourcePlan;
import io.millrace.serde.Serde;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the engine makes of records that fail, and of condemned ones. */
class StageEngineFailureTest {
    private final EngineHarness harness = new EngineHarness();

    /** A serde that breaks its promise never to give null. */
    private static final class NullSerde implements Serde<Object> {
        @Override
        public byte[] serialize(Object value) {
            return new byte[0];
        }

        @Override
        @SuppressWarnings("NullAway")
        public Object deserialize(byte[] data) {
            return null;
        }
    }

    /** A serde that takes more memory than there is. */
    private static final class GreedySerde implements Serde<Object> {
        @Override
        public byte[] serialize(Object value) {
            return new byte[0];
        }

        @Override
        public Object deserialize(byte[] data) {
            throw new OutOfMemoryError("while a record was decoded");
        }
    }

    private RecordFailure routeFailure(byte[] payload) {
        return catchThrowableOfType(RecordFailure.class, () -> harness.engine.route(record(7, payload)));
    }

    private StageEngine engineWith(Serde<Object> serde) {
        KeyedStagePlan plan = harness.engine.plan();
        KeyedStagePlan other = new KeyedStagePlan(
                plan.uid(),
                plan.name(),
                new SourcePlan("events", serde, ErrorPolicy.fail()),
                plan.steps(),
                plan.eventTime(),
                plan.keySelector(),
                plan.keyCodec(),
                plan.deduplication(),
                plan.function(),
                plan.errorPolicy(),
                plan.outputs(),
                plan.topology());
        return new StageEngine(other, () -> "version");
    }

    private static Condemned condemned(RecordFailure... failures) {
        Condemned condemned = new Condemned();
        for (RecordFailure failure : failures) {
            condemned.add(failure, 3);
        }
        return condemned;
    }

    @Test
    void fieldCase1NothingAtOrBehindTheFailureIsInTheUnits() throws RecordFailure {
        List<InputRecord> records = records(add("a", 3), event("a", Action.CHANGE_THEN_THROW), add("a", 4));
        RunResult failed = harness.run(records, new Condemned());
        assertThat(failed.units()).isEmpty();
        assertThat(failed.failure()).isNotNull();
        assertThat(failed.failure().position()).isEqualTo(Position.of("2"));
        assertThat(failed.failure().kind()).isEqualTo(Kind.FUNCTION_THREW);
        assertThat(failed.failure().key()).isEqualTo("a");
        assertThat(failed.failure().isPermanent()).isFalse();
        assertThat(failed.failure())
                .hasMessage("FUNCTION_THREW at 2: java.lang.IllegalStateException: told to throw")
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(harness.ledger.timesProcessed).as("s3 never runs").isEqualTo(2);

        harness.runAndCommit(records.subList(0, 1));

        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":3,\"amounts\":[3]}");
        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("1"));
        assertThat(harness.store.attribute("a", 0, "total")).isEqualTo("3");
    }

    @Test
    void effectsOfTheThrowingRecordAreDiscarded() throws RecordFailure {
        harness.runAndCommit(add("a", 3));
        RecordFailure failure = harness.failureOf(add("a", 3), event("a", Action.CHANGE_THEN_THROW));

        harness.commit(harness.run(
                records(add("a", 3), event("a", Action.CHANGE_THEN_THROW), add("a", 4)), condemned(failure)));

        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":7,\"amounts\":[3,4]}");
        assertThat(harness.store.attribute("a", 0, "text")).isEmpty();
        assertThat(EngineHarness.entries(harness.cell("a"), "counts")).containsOnlyKeys("ADD");
    }

    @Test
    void condemnedRecordBecomesADeadLetterAndMovesTheFenceWithoutUserCode() throws RecordFailure {
        List<InputRecord> records = records(add("a", 3), event("a", Action.CHANGE_THEN_THROW));
        RecordFailure failure = harness.failureOf(add("a", 3), event("a", Action.CHANGE_THEN_THROW));
        harness.runAndCommit(records.subList(0, 1));
        int processed = harness.ledger.timesProcessed;

        RunResult result = harness.commit(harness.run(records.subList(1, 2), condemned(failure)));

        assertThat(harness.ledger.timesProcessed).isEqualTo(processed);
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":3,\"amounts\":[3]}");
        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("2"));
        assertThat(EngineHarness.units(result, "a").get(0).rows()).isEmpty();
        assertThat(harness.store.deadLetters)
                .containsExactly(new DeadLetter(
                        LANE,
                        records.get(1),
                        "a",
                        Kind.FUNCTION_THREW,
                        "java.lang.IllegalStateException: told to throw",
                        3));
        assertThat(harness.run(records, new Condemned()).duplicates()).isEqualTo(2);
    }

    @Test
    void recordCondemnedForOneKeyRunsForTheOthers() throws RecordFailure {
        RecordFailure failure =
                new RecordFailure(Kind.FUNCTION_THREW, Position.of("1"), "a", new IllegalStateException("for a"));

        harness.commit(harness.run(records(add("a,b", 5)), condemned(failure)));

        assertThat(harness.state("b", "account")).isEqualTo("{\"total\":5,\"amounts\":[5]}");
        assertThat(harness.cell("a").isTombstone()).isTrue();
        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("1"));
        assertThat(harness.store.deadLetters).extracting(DeadLetter::key).containsExactly("a");
    }

    @Test
    void recordCondemnedAsAWholeBecomesADeadLetterForEachKey() throws RecordFailure {
        RecordFailure failure = new RecordFailure(Kind.PROCESS_KILLED, Position.of("1"), null, null);

        harness.commit(harness.run(records(add("a,b", 5), add("a", 1)), condemned(failure)));

        assertThat(harness.store.deadLetters).extracting(DeadLetter::key).containsExactly("a", "b");
        assertThat(harness.store.deadLetters)
                .allSatisfy(letter -> assertThat(letter.error()).isEqualTo("PROCESS_KILLED"));
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":1,\"amounts\":[1]}");
    }

    @Test
    void condemnedRecordIsNotRoutedAgainWhenItsUnitIsDivided() throws RecordFailure {
        RecordFailure failure = new RecordFailure(Kind.PROCESS_KILLED, Position.of("1"), "a", null);
        List<InputRecord> records =
                records(add("a", 1), new Ledger.Event("a", Action.ROWS, 60), new Ledger.Event("a", Action.ROWS, 60));

        harness.commit(harness.run(records, condemned(failure)));

        // Each is routed once for the run; the second and the third once more, since they do not fit together.
        assertThat(harness.ledger.timesRouted).isEqualTo(5);
        assertThat(harness.store.deadLetters).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Action.class,
            names = {"CHANGE_THEN_THROW", "RECURSE", "PUT_OUT_NULL", "SWALLOW_OUTPUT_FAILURE", "THROW_WITHOUT_MESSAGE"})
    void whatTheFunctionThrowsIsTheRecordsFault(Action action) throws RecordFailure {
        RecordFailure failure = harness.failureOf(add("a", 1), event("a", action), add("a", 2));

        assertThat(failure.kind()).isEqualTo(Kind.FUNCTION_THREW);
        assertThat(failure.position()).isEqualTo(Position.of("2"));
        assertThat(failure.key()).isEqualTo("a");
        assertThat(DeadLetter.of(LANE, record(2, new byte[0]), "a", failure, 1).error())
                .isNotEmpty();
    }

    @Test
    void firstOfSeveralFailuresBehindTheFunctionIsTheOneNamed() throws RecordFailure {
        assertThat(harness.failureOf(event("a", Action.SWALLOW_OUTPUT_FAILURE)))
                .hasMessageContaining("part 999 is not allowed");
    }

    @Test
    void nullOutputIsNamed() throws RecordFailure {
        assertThat(harness.failureOf(event("a", Action.PUT_OUT_NULL)))
                .hasMessageContaining("the function put out a null");
    }

    @Test
    void stackOverflowIsTheRecordsFaultButOutOfMemoryIsNot() throws RecordFailure {
        assertThat(harness.failureOf(event("a", Action.RECURSE))).hasCauseInstanceOf(StackOverflowError.class);
        assertThatThrownBy(() -> harness.run(add("a", 1), event("a", Action.RUN_OUT_OF_MEMORY)))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("told to");
    }

    @Test
    void memoryThatRunsOutInASerdeIsNotTheRecordsFault() {
        assertThatThrownBy(() -> harness.run(add("a", 1), event("a", Action.OUT_OF_MEMORY_WHEN_WRITTEN)))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("while the text was written");
        assertThatThrownBy(() -> engineWith(new GreedySerde()).route(record(1, new byte[0])))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("while a record was decoded");
    }

    @ParameterizedTest
    @EnumSource(
            value = Action.class,
            names = {"BE_INTERRUPTED", "KEY_INTERRUPTED"})
    void interruptionIsNotTheRecordsFault(Action action) {
        assertThatThrownBy(() -> harness.run(event("a", action)))
                .isInstanceOf(MillraceException.class)
                .hasMessage("The invocation was interrupted while the stage's code ran.")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).as("the interruption is passed on").isTrue();
    }

    @Test
    void undecodableRecordHasNoKey() {
        for (byte[] payload : List.of("{".getBytes(UTF_8), new byte[0], "null".getBytes(UTF_8), new byte[] {-1, -2})) {
            RecordFailure failure = routeFailure(payload);

            assertThat(failure.kind()).isEqualTo(Kind.UNDECODABLE);
            assertThat(failure.position()).isEqualTo(Position.of("7"));
            assertThat(failure.key()).isNull();
        }
        assertThat(harness.ledger.timesRouted).isZero();
    }

    @Test
    void recordThatASerdeTurnsIntoNullIsUndecodable() {
        StageEngine engine = engineWith(new NullSerde());

        assertThatThrownBy(() -> engine.route(record(1, new byte[0])))
                .isInstanceOfSatisfying(
                        RecordFailure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.UNDECODABLE));
    }

    @ParameterizedTest
    @EnumSource(
            value = Action.class,
            names = {"KEY_THROWS", "KEY_NULL", "KEY_HALF_A_PAIR"})
    void recordWhoseKeyCannotBeComputedHasNoCell(Action action) {
        RecordFailure failure = routeFailure(Ledger.payload(event("a", action)));

        assertThat(failure.kind()).isEqualTo(Kind.KEY_UNKNOWN);
        assertThat(failure.key()).isNull();
        assertThat(failure.position()).isEqualTo(Position.of("7"));
    }

    @Test
    void keyThatIsNullIsNamed() {
        assertThat(routeFailure(Ledger.payload(event("a", Action.KEY_NULL)))).hasMessageContaining("the key is null");
    }

    @Test
    void keyIsAsLongAsACellCanHold() throws RecordFailure {
        harness.runAndCommit(new Ledger.Event("k".repeat(64 * 1024), Action.ROW_OF_PART, -1));

        assertThat(routeFailure(Ledger.payload(add("k".repeat(64 * 1024 + 1), 1))))
                .hasMessageContaining("has 65537 bytes");
        assertThat(routeFailure(Ledger.payload(add("é".repeat(210_000), 1))).kind())
                .isEqualTo(Kind.KEY_UNKNOWN);
    }

    @Test
    void recordThatGivesAnotherKeyWhenItIsReplayedIsFound() throws RecordFailure {
        // The record of the changing key is run alone, so it replays only if its unit is divided: it cannot be alone.
        RoutedRecord unstable = harness.engine.route(record(1, event("a", Action.KEY_UNSTABLE)));
        String key = unstable.elements().keySet().iterator().next();
        RoutedRecord rows = harness.engine.route(record(2, new Ledger.Event(key, Action.ROWS, 99)));

        RunResult result = harness.engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(unstable, rows),
                java.util.Map.of(key, harness.cell(key)),
                new Condemned(),
                Set.of(),
                () -> false);

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().kind()).isEqualTo(Kind.KEY_UNKNOWN);
        assertThat(result.failure().position()).isEqualTo(Position.of("1"));
        assertThat(result.failure().key()).isEqualTo(key);
        assertThat(result.failure()).hasMessageContaining("They must give the same each time.");
    }

    @Test
    void collectorIsOfNoUseAfterItsCall() throws RecordFailure {
        harness.runAndCommit(event("a", Action.KEEP_COLLECTOR));

        RecordFailure failure = harness.failureOf(add("c", 1), event("b", Action.KEEP_COLLECTOR));

        assertThat(failure.position()).isEqualTo(Position.of("2"));
        assertThat(failure).hasMessageContaining("collector");
    }

    @Test
    void collectorIsOfNoUseAfterACallThatThrew() throws RecordFailure {
        harness.failureOf(event("a", Action.KEEP_COLLECTOR_THEN_THROW));

        assertThat(harness.failureOf(event("a", Action.KEEP_COLLECTOR)))
                .hasMessageContaining("The collector is used after the call that it was passed to");
    }

    @Test
    void errorOfADeadLetterIsCutAndStaysUnicode() {
        String tooLong = "x".repeat(3_999 - "java.lang.RuntimeException: ".length()) + "\ud83d\ude00 and more";
        for (String message : new String[] {tooLong, "half a pair: \ud800", "y".repeat(9_000)}) {
            RecordFailure failure =
                    new RecordFailure(Kind.FUNCTION_THREW, Position.of("1"), "a", new RuntimeException(message));

            String error =
                    DeadLetter.of(LANE, record(1, new byte[0]), "a", failure, 1).error();

            assertThat(error).hasSizeLessThanOrEqualTo(4_000).startsWith("java.lang.RuntimeException: ");
            assertThat(new String(error.getBytes(UTF_8), UTF_8)).isEqualTo(error);
        }
    }
}
