package io.millrace.internal.engine;

import static io.millrace.internal.engine.EngineHarness.LANE;
import static io.millrace.internal.engine.EngineHarness.record;
import static io.millrace.internal.engine.EngineHarness.records;
import static io.millrace.internal.engine.Ledger.add;
import static io.millrace.internal.engine.Ledger.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.internal.engine.Ledger.Action;
import io.millrace.internal.engine.RecordFailure.Kind;
import io.millrace.internal.item.ItemSize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How the engine keeps units within DynamoDB's limits. */
class StageEngineLimitsTest {
    private final EngineHarness harness = new EngineHarness();

    private static Ledger.Event rows(long count) {
        return new Ledger.Event("a", Action.ROWS, count);
    }

    private static Ledger.Event largeRow(long characters) {
        return new Ledger.Event("a", Action.LARGE_ROW, characters);
    }

    private static Ledger.Event largeText(long characters) {
        return new Ledger.Event("a", Action.LARGE_TEXT, characters);
    }

    /** Bytes that cannot be compressed. */
    private static Ledger.Event largeData(long bytes) {
        return new Ledger.Event("a", Action.LARGE_DATA, bytes);
    }

    private static int dataBytes(Cell cell) {
        return cell.states().get("data") instanceof StoredState.Value value ? value.data().length : 0;
    }

    /** Units of one key build on one another: version, fence and content. */
    private static void assertChained(List<Unit> units) {
        for (int i = 1; i < units.size(); i++) {
            assertThat(units.get(i).before()).isEqualTo(units.get(i - 1).after());
            assertThat(EngineHarness.lastOf(units.get(i))).isGreaterThan(EngineHarness.lastOf(units.get(i - 1)));
        }
    }

    @Test
    void manyRowsOfOneKeyAreDividedIntoPrefixesAndGiveTheSameResult() throws RecordFailure {
        List<InputRecord> records = new ArrayList<>();
        for (int i = 1; i <= 250; i++) {
            records.add(record(i, rows(1)));
        }
        EngineHarness oneByOne = new EngineHarness();
        for (InputRecord record : records) {
            oneByOne.runAndCommit(List.of(record));
        }

        List<Unit> units = EngineHarness.units(harness.runAndCommit(records), "a");

        assertThat(units).extracting(Unit::records).containsExactly(99, 99, 52);
        assertThat(units).extracting(unit -> unit.rows().size()).containsExactly(99, 99, 52);
        assertThat(units)
                .extracting(EngineHarness::lastOf)
                .containsExactly(Position.of("99"), Position.of("198"), Position.of("250"));
        assertChained(units);
        assertThat(harness.state("a", "account")).isEqualTo(oneByOne.state("a", "account"));
        assertThat(harness.store.rows).isEqualTo(oneByOne.store.rows).hasSize(250);
        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("250"));
    }

    @Test
    void unitsOfADividedRunCanBeCommittedInPart() throws RecordFailure {
        List<InputRecord> records = new ArrayList<>();
        for (int i = 1; i <= 150; i++) {
            records.add(record(i, rows(1)));
        }
        List<Unit> units = EngineHarness.units(harness.run(records, new Condemned()), "a");
        assertThat(harness.store.commit(units.get(0))).isEqualTo(CellStore.Outcome.COMMITTED);

        RunResult again = harness.runAndCommit(records);

        assertThat(again.duplicates()).isEqualTo(99);
        assertThat(harness.store.commit(units.get(1))).isEqualTo(CellStore.Outcome.ALREADY_COMMITTED);
        assertThat(harness.state("a", "account")).startsWith("{\"total\":150,");
        assertThat(harness.store.rows).hasSize(150);
    }

    @Test
    void manyKeysWithOneRowEachAreAUnitEach() throws RecordFailure {
        Ledger.Event[] events = new Ledger.Event[150];
        for (int i = 0; i < events.length; i++) {
            events[i] = add("key" + i, 1);
        }

        RunResult result = harness.runAndCommit(events);

        assertThat(result.units()).hasSize(150);
        assertThat(harness.store.rows).hasSize(150);
    }

    @Test
    void recordWith99RowsFitsAndOneWith100IsUnacceptable() throws RecordFailure {
        RecordFailure failure = harness.failureOf(add("a", 1), rows(100), add("a", 2));

        assertThat(failure.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(failure.isPermanent()).isTrue();
        assertThat(failure.position()).isEqualTo(Position.of("2"));
        assertThat(failure.key()).isEqualTo("a");
        assertThat(failure)
                .hasMessageContaining("One record or timer puts out 100 rows of ")
                .hasMessageContaining("a DynamoDB transaction takes 99 rows");
        List<Unit> units = EngineHarness.units(harness.runAndCommit(add("a", 1), rows(99), add("a", 2)), "a");
        assertThat(units).extracting(unit -> unit.rows().size()).containsExactly(1, 99, 1);
        assertChained(units);
    }

    @Test
    void lastRecordWith100RowsIsUnacceptable() throws RecordFailure {
        assertThat(harness.failureOf(add("a", 1), rows(100)).position()).isEqualTo(Position.of("2"));
        assertThat(harness.failureOf(rows(100)).position()).isEqualTo(Position.of("1"));
    }

    @Test
    void rowsOfMoreThanATransactionTakesAreDivided() throws RecordFailure {
        Ledger.Event[] events = new Ledger.Event[25];
        for (int i = 0; i < events.length; i++) {
            events[i] = largeRow(300_000 + i);
        }

        List<Unit> units = EngineHarness.units(harness.runAndCommit(events), "a");

        assertThat(units).extracting(Unit::records).containsExactly(12, 12, 1);
        assertChained(units);
        assertThat(harness.store.rows).hasSize(25);
    }

    @Test
    void rowsThatReplaceOneAnotherCountOnce() throws RecordFailure {
        Ledger.Event[] events = new Ledger.Event[300];
        for (int i = 0; i < events.length; i++) {
            events[i] = add("a", 1);
        }

        List<Unit> units = EngineHarness.units(harness.runAndCommit(events), "a");

        assertThat(units).extracting(Unit::records).containsExactly(300);
        assertThat(units.get(0).rows()).hasSize(1);
    }

    @Test
    void fullestUnitStaysWithinATransaction() throws RecordFailure {
        // 99 rows and a cell that leave next to nothing free; the store checks every unit against the 4 MB.
        List<InputRecord> records = new ArrayList<>();
        records.add(record(1, largeData(404_000)));
        for (int i = 2; i <= 100; i++) {
            records.add(record(i, largeRow(38_190)));
        }

        assertThat(EngineHarness.units(harness.runAndCommit(records), "a")).isNotEmpty();
    }

    @Test
    void rowLargerThanAnItemIsUnacceptable() throws RecordFailure {
        RecordFailure failure = harness.failureOf(add("a", 1), largeRow(400 * 1024));

        assertThat(failure.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(failure.position()).isEqualTo(Position.of("2"));
        assertThat(failure).hasMessageContaining("A row of table ledger-rows has ");
    }

    @Test
    void fieldCase22StateOf401KilobytesNamesTheGuiltyRecordInTheMiddleOfABatch() throws RecordFailure {
        RecordFailure failure = harness.failureOf(add("a", 1), largeText(10), largeData(401 * 1024), add("a", 2));

        assertThat(failure.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(failure.isPermanent()).isTrue();
        assertThat(failure.position()).isEqualTo(Position.of("3"));
        assertThat(failure.key()).isEqualTo("a");
        assertThat(failure).hasMessageContaining("The state of one key of stage 'ledger' would take ");

        Condemned condemned = new Condemned();
        condemned.add(failure, 1);
        harness.commit(harness.run(records(add("a", 1), largeText(10), largeData(401 * 1024), add("a", 2)), condemned));
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":13,\"amounts\":[1,10,2]}");
        assertThat(harness.store.deadLetters).hasSize(1);
    }

    private int largestDataTaken() throws RecordFailure {
        int taken = 0;
        int refused = 400 * 1024;
        while (refused - taken > 1) {
            int middle = (taken + refused) / 2;
            if (harness.run(largeData(middle)).failure() == null) {
                taken = middle;
            } else {
                refused = middle;
            }
        }
        return taken;
    }

    @Test
    void stateIsTakenToTheLastByteThatIsNotReserved() throws RecordFailure {
        RunResult largest = harness.run(largeData(largestDataTaken()));

        assertThat(CellItems.size(EngineHarness.units(largest, "a").get(0).item()))
                .isEqualTo(400 * 1024 - Segment.FENCE_BYTES_RESERVED);
    }

    @Test
    void stateJustBelowTheLimitIsTaken() throws RecordFailure {
        harness.runAndCommit(largeData(395 * 1024));

        assertThat(dataBytes(harness.cell("a"))).isEqualTo(395 * 1024);
    }

    @Test
    void condemnedRecordsAlwaysMoveTheFenceOfAFullCell() throws RecordFailure {
        int size = largestDataTaken();
        harness.runAndCommit(largeData(size));
        Lane other = new Lane(0, "events", "shardId-000000000001");
        assertThat(harness.run(other, records(largeData(size + 1)), new Condemned())
                        .failure())
                .isNotNull();

        Condemned condemned = new Condemned();
        condemned.add(new RecordFailure(Kind.UNACCEPTABLE, Position.of("1"), "a", null), 1);
        for (int shard = 1; shard <= 100; shard++) {
            Lane lane = new Lane(0, "events", "shardId-%012d".formatted(shard));
            harness.commit(harness.run(lane, records(largeData(size + 1)), condemned));
        }

        assertThat(harness.store.deadLetters).hasSize(100);
        assertThat(harness.cell("a").fence().positions()).hasSize(101);
    }

    @Test
    void stateThatIsCompressedMayTakeMoreThanAnItem() throws RecordFailure {
        harness.runAndCommit(largeText(3_000_000));

        Unit unit = EngineHarness.units(harness.runAndCommit(List.of(record(2, add("a", 1)))), "a")
                .get(0);
        assertThat(harness.state("a", "text")).hasSize(3_000_000);
        assertThat(unit.cellBytes()).isEqualTo(ItemSize.of(unit.item())).isLessThan(10_000);
    }

    @Test
    void stateThatIsTooLargeToBeInflatedIsUnacceptableThoughItWouldCompressWell() throws RecordFailure {
        RecordFailure failure = harness.failureOf(add("a", 1), largeText(CompressedStates.INFLATED_BYTES_MAX));

        assertThat(failure.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(failure.position()).isEqualTo(Position.of("2"));
        assertThat(failure)
                .hasMessageContaining("That is after compression, where it helps and the state has no more than 4096000"
                        + " bytes before.");
    }

    /**
     * Another version of Java may compress worse than the one that wrote a cell; a poisonous record of a full cell must
     * have a way out all the same.
     */
    @Test
    void condemnedRecordStoresTheStatesOfItsCellAsTheyWereCompressed() throws Exception {
        harness.runAndCommit(largeText(100_000));
        Cell cell = harness.cell("a");
        byte[] longer = Arrays.copyOf(Objects.requireNonNull(cell.compressed()), 300_000);
        Cell full =
                new Cell(cell.key(), cell.version(), cell.fence(), cell.states(), cell.redrives(), cell.time(), longer);
        Condemned condemned = new Condemned();
        condemned.add(new RecordFailure(Kind.FUNCTION_THREW, Position.of("2"), "a", null), 1);
        RoutedRecord poison = harness.engine.route(record(2, add("a", 1)));

        RunResult given = harness.engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(poison),
                Map.of("a", full),
                condemned,
                java.util.Set.of(),
                () -> false);
        RunResult run = harness.engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(poison),
                Map.of("a", full),
                new Condemned(),
                java.util.Set.of(),
                () -> false);

        Unit moved = EngineHarness.units(given, "a").get(0);
        assertThat(moved.item().path("state").binaryValue()).isSameAs(longer);
        assertThat(moved.after().states()).isEqualTo(cell.states());
        assertThat(moved.after().fence().at(LANE)).isEqualTo(Position.of("2"));
        assertThat(moved.after().version()).isNotEqualTo(cell.version());
        assertThat(EngineHarness.units(run, "a").get(0).item().path("state").binaryValue())
                .as("what a record ran over is compressed anew")
                .hasSizeLessThan(10_000);
    }

    @Test
    void deadLetterBehindACompressedUnitOfTheSameBatchKeepsItsForm() throws RecordFailure {
        List<InputRecord> records = records(largeText(1_000_000), add("a", 1));
        Condemned condemned = new Condemned();
        condemned.add(new RecordFailure(Kind.FUNCTION_THREW, Position.of("2"), "a", null), 1);

        List<RoutedRecord> routed = List.of(harness.engine.route(records.get(0)), harness.engine.route(records.get(1)));
        RunResult result = harness.engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                routed,
                Map.of("a", harness.cell("a")),
                condemned,
                java.util.Set.of("a"),
                () -> false);

        List<Unit> units = EngineHarness.units(harness.commit(result), "a");
        assertThat(units).hasSize(2);
        assertThat(units.get(1).item().path("state"))
                .isEqualTo(units.get(0).item().path("state"));
        assertThat(harness.state("a", "text")).hasSize(1_000_000);
    }

    @Test
    void unitTellsWhatItsCellAndItsFenceTake() throws RecordFailure {
        Unit unit = EngineHarness.units(harness.run(add("a", 1)), "a").get(0);

        assertThat(unit.cellBytes()).isEqualTo(ItemSize.of(unit.item()));
        assertThat(unit.fenceBytes())
                .isEqualTo(CellItems.fenceBytes(unit.item()))
                .isBetween(10, 40);
    }

    @Test
    void deadLettersAreDividedByNumberAndBySize() throws RecordFailure {
        Condemned condemned = new Condemned();
        List<InputRecord> records = new ArrayList<>();
        for (int i = 1; i <= 150; i++) {
            // Spaces behind the document: it is long, and it decodes.
            byte[] payload = java.util.Arrays.copyOf(Ledger.payload(add("a", 1)), 100_000);
            java.util.Arrays.fill(payload, Ledger.payload(add("a", 1)).length, payload.length, (byte) ' ');
            records.add(record(i, payload));
            condemned.add(new RecordFailure(Kind.FUNCTION_THREW, Position.of("" + i), "a", null), 1);
        }

        List<Unit> units = EngineHarness.units(harness.commit(harness.run(records, condemned)), "a");

        assertChained(units);
        assertThat(harness.store.deadLetters).hasSize(150);
        assertThat(harness.ledger.timesProcessed).isZero();
        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("150"));
    }

    @Test
    void rowsAndDeadLettersShareTheActionsOfATransaction() throws RecordFailure {
        Condemned condemned = new Condemned();
        List<InputRecord> records = new ArrayList<>();
        for (int i = 1; i <= 120; i++) {
            records.add(record(i, rows(1)));
            if (i <= 60) {
                condemned.add(new RecordFailure(Kind.FUNCTION_THREW, Position.of("" + i), "a", null), 1);
            }
        }

        List<Unit> units = EngineHarness.units(harness.commit(harness.run(records, condemned)), "a");

        assertThat(units).extracting(Unit::records).containsExactly(99, 21);
    }

    @Test
    void deadLetterTakesItsPayloadItsKeyAndItsError() {
        int small = deadLetter(100, "a", "e").size();

        assertThat(small).isGreaterThan(4 * 1024);
        assertThat(deadLetter(101, "a", "e").size()).isEqualTo(small + 1);
        assertThat(deadLetter(100, "é", "e").size()).isEqualTo(small + 1);
        assertThat(deadLetter(100, null, "e").size()).isEqualTo(small - 1);
        assertThat(deadLetter(100, "a", "é").size()).isEqualTo(small + 1);
        assertThat(deadLetter(6 * 1024 * 1024, "a", "e").size())
                .as("what does not fit into an item is cut")
                .isEqualTo(400 * 1024);
    }

    private static DeadLetter deadLetter(int payloadBytes, @Nullable String key, String error) {
        return new DeadLetter(LANE, record(1, new byte[payloadBytes]), key, Kind.FUNCTION_THREW, error, 1);
    }

    @Test
    void ofSeveralKeysThatCannotBeStoredTheFirstRecordInLaneOrderIsTheFailedOne() throws RecordFailure {
        Ledger.Event badA = event("a", Action.UNWRITABLE);
        Ledger.Event badB = event("b", Action.UNWRITABLE);

        assertThat(harness.failureOf(badA, badB).position()).isEqualTo(Position.of("1"));
        assertThat(harness.failureOf(add("a", 1), badB, badA).position()).isEqualTo(Position.of("2"));
        assertThat(harness.failureOf(event("a,b", Action.UNWRITABLE)).key()).isEqualTo("a");
    }

    @Test
    void nothingOfTheOtherKeysIsInTheUnitsIfOneCannotBeStored() throws RecordFailure {
        RunResult failed = harness.run(add("a", 1), event("b", Action.UNWRITABLE));

        assertThat(failed.failure()).isNotNull();
        assertThat(failed.units()).isEmpty();
    }

    @Test
    void serdeThatThrowsIsTheFaultOfTheRecordThatSetTheValue() throws RecordFailure {
        RecordFailure failure = harness.failureOf(add("a", 1), event("a", Action.UNWRITABLE), add("a", 2));

        assertThat(failure.kind()).isEqualTo(Kind.FUNCTION_THREW);
        assertThat(failure.position()).isEqualTo(Position.of("2"));
        assertThat(failure).hasMessageContaining("this text cannot be written");
        assertThat(harness.failureOf(event("a", Action.UNWRITABLE)).position()).isEqualTo(Position.of("1"));
    }

    @Test
    void valueThatIsUnwritableOnlyForAWhileWithinABatchIsNoFailure() throws RecordFailure {
        harness.runAndCommit(add("a", 1), event("a", Action.UNWRITABLE), largeText(5));

        assertThat(harness.state("a", "text")).isEqualTo("ttttt");
    }

    @Test
    void serdeThatThrowsOnceOnlyIsNoRecordsFault() throws RecordFailure {
        RunResult result = harness.runAndCommit(add("a", 1), event("a", Action.UNWRITABLE_ONCE), add("a", 2));

        List<Unit> units = EngineHarness.units(result, "a");
        assertThat(units).extracting(Unit::records).containsExactly(1, 1, 1);
        assertChained(units);
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":4,\"amounts\":[1,1,2]}");
        assertThat(harness.state("a", "text")).isEqualTo("unwritable once");
    }

    @Test
    void serdeThatThrowsInADividedRunIsAttributedToo() throws RecordFailure {
        RecordFailure failure = harness.failureOf(rows(60), event("a", Action.UNWRITABLE), rows(60), rows(60));

        assertThat(failure.position()).isEqualTo(Position.of("2"));
    }

    @Test
    void statesOfTheWrongShapeAreAnErrorOfTheDeployment() {
        harness.store.put(new Cell(
                CellStore.key("a"),
                "v",
                Fence.EMPTY,
                Map.of("account", new StoredState.Entries(new java.util.TreeMap<>()))));
        harness.store.put(new Cell(
                CellStore.key("b"), "v", Fence.EMPTY, Map.of("counts", new StoredState.Value(new byte[0], true))));

        org.assertj.core.api.Assertions.assertThatThrownBy(() -> harness.run(add("a", 1)))
                .isInstanceOf(io.millrace.MillraceException.class)
                .hasMessage("The state 'account' is stored as a map, but registered as a value. Give the new state"
                        + " another name.");
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> harness.run(add("b", 1)))
                .isInstanceOf(io.millrace.MillraceException.class)
                .hasMessage("The state 'counts' is stored as a value, but registered as a map. Give the new state"
                        + " another name.");
    }

    @Test
    void stateThatCannotBeReadFailsTheBatchAndBlamesNoRecord() {
        harness.store.put(new Cell(
                CellStore.key("a"),
                "v",
                Fence.EMPTY,
                Map.of("account", new StoredState.Value("{".getBytes(java.nio.charset.StandardCharsets.UTF_8), true))));

        org.assertj.core.api.Assertions.assertThatThrownBy(() -> harness.run(add("a", 1)))
                .isInstanceOf(UnreadableStateException.class)
                .hasMessageContaining("The state 'account' cannot be read by json:")
                .hasMessageContaining("Was its type changed?");
    }
}
