package io.millrace.internal.engine;

import static io.millrace.internal.engine.EngineHarness.LANE;
import static io.millrace.internal.engine.EngineHarness.record;
import static io.millrace.internal.engine.EngineHarness.records;
import static io.millrace.internal.engine.Ledger.add;
import static io.millrace.internal.engine.Ledger.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.internal.engine.Ledger.Action;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the engine makes of good records. */
class StageEngineTest {
    private final EngineHarness harness = new EngineHarness();

    @Test
    void absorbsInLaneOrder() throws RecordFailure {
        RunResult result = harness.runAndCommit(add("a", 3), add("b", 7), add("a", 4));

        assertThat(result.duplicates()).isZero();
        assertThat(result.stoppedAt()).isNull();
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":7,\"amounts\":[3,4]}");
        assertThat(harness.state("b", "account")).isEqualTo("{\"total\":7,\"amounts\":[7]}");
        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("3"));
        assertThat(harness.cell("b").fence().at(LANE)).isEqualTo(Position.of("2"));
        assertThat(harness.store.attribute("a", 0, "total")).isEqualTo("7");
        assertThat(harness.ledger.timesProcessed).isEqualTo(3);
    }

    @Test
    void unitTellsWhatItHolds() throws RecordFailure {
        RunResult result = harness.run(add("a", 3), add("a", 4));

        assertThat(result.units().keySet()).containsExactly("a");
        Unit unit = EngineHarness.units(result, "a").get(0);
        assertThat(unit.before()).isEqualTo(Cell.absent(CellStore.key("a")));
        assertThat(unit.after().version()).isEqualTo("v1");
        assertThat(unit.progress()).isEqualTo(new Unit.Progress(LANE, Position.of("2")));
        assertThat(unit.records()).isEqualTo(2);
        assertThat(unit.deadLetters()).isEmpty();
        assertThat(unit.item()).isEqualTo(CellItems.toItem(unit.after()));
    }

    @Test
    void redeliveredBatchIsSkippedAndCounted() throws RecordFailure {
        harness.runAndCommit(add("a", 3), add("a", 4), add("b", 1));

        RunResult again = harness.run(add("a", 3), add("a", 4), add("b", 1));

        assertThat(again.duplicates()).isEqualTo(3);
        assertThat(again.units().values()).allSatisfy(units -> assertThat(units).isEmpty());
        assertThat(harness.ledger.timesProcessed).isEqualTo(3);
    }

    @Test
    void redeliveryInAnotherCompositionAbsorbsOnlyWhatIsNew() throws RecordFailure {
        harness.runAndCommit(add("a", 1), add("a", 2));

        RunResult more = harness.runAndCommit(add("a", 1), add("a", 2), add("a", 4), add("a", 8));

        assertThat(more.duplicates()).isEqualTo(2);
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":15,\"amounts\":[1,2,4,8]}");
    }

    @Test
    void recordTwiceInOneBatchIsAbsorbedOnce() throws RecordFailure {
        InputRecord first = record(1, add("a", 5));

        RunResult result = harness.runAndCommit(List.of(first, first));

        assertThat(result.duplicates()).isEqualTo(1);
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":5,\"amounts\":[5]}");
    }

    @Test
    void lanesHaveFencesOfTheirOwn() throws RecordFailure {
        Lane other = new Lane(0, "events", "shardId-000000000001");
        harness.runAndCommit(add("a", 1), add("a", 2));

        RunResult result = harness.commit(harness.run(other, records(add("a", 4)), new Condemned()));

        assertThat(result.duplicates()).isZero();
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":7,\"amounts\":[1,2,4]}");
        assertThat(harness.cell("a").fence().positions())
                .isEqualTo(Map.of("0.0", Position.of("2"), "0.1", Position.of("1")));
    }

    @Test
    void fieldCase2SubSequencesAreRecordsOfTheirOwn() throws RecordFailure {
        List<InputRecord> aggregate = List.of(
                new InputRecord(Position.parse("7"), Ledger.payload(add("a", 1)), java.time.Instant.EPOCH),
                new InputRecord(Position.parse("7:1"), Ledger.payload(add("a", 1)), java.time.Instant.EPOCH),
                new InputRecord(Position.parse("7:2"), Ledger.payload(add("a", 1)), java.time.Instant.EPOCH));
        harness.runAndCommit(aggregate.subList(0, 1));

        assertThat(harness.runAndCommit(aggregate).duplicates()).isEqualTo(1);

        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":3,\"amounts\":[1,1,1]}");
    }

    @Test
    void fieldCase10TwoRowsOfOneKeyBecomeOneWithTheLastValue() throws RecordFailure {
        RunResult result = harness.runAndCommit(add("a", 3), add("a", 4));

        assertThat(EngineHarness.units(result, "a")).hasSize(1);
        assertThat(EngineHarness.units(result, "a").get(0).rows()).hasSize(1);
        assertThat(harness.store.attribute("a", 0, "total")).isEqualTo("7");
    }

    @Test
    void recordForSeveralKeysGoesToEachOnce() throws RecordFailure {
        RunResult result = harness.runAndCommit(add("a,b,a", 5), add("b", 1));

        assertThat(result.units().keySet()).containsExactly("a", "b");
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":10,\"amounts\":[5,5]}");
        assertThat(harness.state("b", "account")).isEqualTo("{\"total\":6,\"amounts\":[5,1]}");
        assertThat(EngineHarness.units(result, "a").get(0).records()).isEqualTo(1);
    }

    @Test
    void recordForSeveralKeysOfWhichOneIsCommittedRunsForTheOther() throws RecordFailure {
        RunResult first = harness.run(add("a,b", 5));
        harness.store.commit(EngineHarness.units(first, "a").get(0));

        RunResult again = harness.runAndCommit(add("a,b", 5));

        assertThat(again.duplicates()).isEqualTo(1);
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":5,\"amounts\":[5]}");
        assertThat(harness.state("b", "account")).isEqualTo("{\"total\":5,\"amounts\":[5]}");
    }

    @Test
    void recordsOfAKeyThatRunsRecordByRecordAreAUnitEach() throws RecordFailure {
        RunResult result = harness.engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                route(add("a", 1), add("b", 1), add("a", 2), add("b", 2)),
                Map.of("a", harness.cell("a"), "b", harness.cell("b")),
                new Condemned(),
                Set.of("a"),
                () -> false);

        assertThat(EngineHarness.units(result, "a"))
                .extracting(EngineHarness::lastOf)
                .containsExactly(Position.of("1"), Position.of("3"));
        assertThat(EngineHarness.units(result, "b"))
                .extracting(EngineHarness::lastOf)
                .containsExactly(Position.of("4"));
        harness.commit(result);
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":3,\"amounts\":[1,2]}");
    }

    @Test
    void keysWithoutACellAreLeftOut() throws RecordFailure {
        RoutedRecord routed = harness.engine.route(record(1, add("a,b", 5)));

        RunResult result = harness.engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(routed),
                Map.of("b", harness.cell("b")),
                new Condemned(),
                Set.of(),
                () -> false);

        assertThat(result.units().keySet()).containsExactly("b");
        assertThat(harness.ledger.timesProcessed).isEqualTo(1);
    }

    @Test
    void recordThatTheFilterDropsTouchesNoCell() throws RecordFailure {
        assertThat(harness.engine.route(record(1, event("a", Action.SKIP))).elements())
                .isEmpty();

        RunResult result = harness.runAndCommit(event("a", Action.SKIP));

        assertThat(result.units()).isEmpty();
        assertThat(harness.ledger.timesProcessed).isZero();
    }

    @Test
    void outputThatAFilterDropsIsNoRow() throws RecordFailure {
        RunResult result = harness.runAndCommit(new Ledger.Event("a", Action.ROW_OF_PART, -1));

        assertThat(EngineHarness.units(result, "a").get(0).rows()).isEmpty();
    }

    @Test
    void clearedCellStaysAsATombstoneWithItsFence() throws RecordFailure {
        harness.runAndCommit(add("a", 3));
        harness.commit(harness.run(List.of(record(2, event("a", Action.CLEAR))), new Condemned()));

        Cell tombstone = harness.cell("a");
        assertThat(tombstone.isTombstone()).isTrue();
        assertThat(tombstone.fence().at(LANE)).isEqualTo(Position.of("2"));
        assertThat(tombstone.version()).isEqualTo("v2");
        assertThat(harness.run(add("a", 3)).duplicates()).isEqualTo(1);
    }

    @Test
    void stopsBetweenRecordsWhenTheTimeIsShort() throws RecordFailure {
        Deque<Boolean> answers = new ArrayDeque<>(List.of(false, true));
        List<RoutedRecord> routed = route(add("a", 1), add("a", 2), add("a", 4), add("a", 8));

        RunResult result = harness.engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                routed,
                Map.of("a", harness.cell("a")),
                new Condemned(),
                Set.of(),
                answers::remove);

        assertThat(result.stoppedAt()).isEqualTo(Position.of("3"));
        assertThat(answers).isEmpty();
        harness.commit(result);
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":3,\"amounts\":[1,2]}");
    }

    @Test
    void runsTheFirstRecordHoweverShortTheTime() throws RecordFailure {
        List<RoutedRecord> routed = route(add("a", 1), add("a", 2));

        RunResult result = harness.engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                routed,
                Map.of("a", harness.cell("a")),
                new Condemned(),
                Set.of(),
                () -> true);

        assertThat(result.stoppedAt()).isEqualTo(Position.of("2"));
        harness.commit(result);
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":1,\"amounts\":[1]}");
    }

    @Test
    void statesOfAnotherVersionOfTheCodeArePreserved() throws RecordFailure {
        StoredState unknown = new StoredState.Value(new byte[] {1, 2, 3}, false);
        harness.store.put(new Cell(CellStore.key("a"), "old", Fence.EMPTY, Map.of("later", unknown)));

        harness.runAndCommit(add("a", 3));

        assertThat(harness.cell("a").states().get("later"))
                .usingRecursiveComparison()
                .isEqualTo(unknown);
        assertThat(harness.cell("a").states()).containsOnlyKeys("later", "account", "counts");
    }

    @Test
    void outputsOfOneRecordKeepTheValueThatTheyWerePutOutWith() throws RecordFailure {
        StageEngine engine = TextPipeline.engine(new TextPipeline.Growing());
        RoutedRecord routed = engine.route(record(1, TextPipeline.payload("a")));

        RunResult result = engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(routed),
                Map.of("a", Cell.absent(CellStore.key("a"))),
                new Condemned(),
                Set.of(),
                () -> false);

        assertThat(EngineHarness.units(result, "a").get(0).rows())
                .extracting(row -> row.attributes().get("count").asInt())
                .containsExactly(1, 2, 3);
    }

    @Test
    void fieldCase8EightCountersARecordAreAllOneAfterARedelivery() throws RecordFailure {
        StageEngine engine = TextPipeline.engine(new TextPipeline.EightCounters());
        InputRecord record = record(1, TextPipeline.payload("a"));
        Cell absent = Cell.absent(CellStore.key("a"));

        // The first run is lost in a crash: nothing of it is committed.
        engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(engine.route(record)),
                Map.of("a", absent),
                new Condemned(),
                Set.of(),
                () -> false);
        RunResult second = engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(engine.route(record)),
                Map.of("a", absent),
                new Condemned(),
                Set.of(),
                () -> false);
        Cell committed = EngineHarness.units(second, "a").get(0).after();
        RunResult third = engine.run(
                LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(engine.route(record)),
                Map.of("a", committed),
                new Condemned(),
                Set.of(),
                () -> false);

        assertThat(third.duplicates()).isEqualTo(1);
        assertThat(EngineHarness.units(third, "a")).isEmpty();
        assertThat(committed.states()).hasSize(8);
        assertThat(committed.states().values())
                .allSatisfy(
                        state -> assertThat(((StoredState.Value) state).text()).isEqualTo("1"));
    }

    private List<RoutedRecord> route(Ledger.Event... events) throws RecordFailure {
        List<RoutedRecord> routed = new java.util.ArrayList<>();
        for (InputRecord record : records(events)) {
            routed.add(harness.engine.route(record));
        }
        return routed;
    }
}
