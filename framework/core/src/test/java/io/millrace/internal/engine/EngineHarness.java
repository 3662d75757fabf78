package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.internal.plan.StagePlan;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An engine with the cells that it works on, and short ways to run records and to look at what they left. */
final class EngineHarness {
    static final Lane LANE = new Lane(0, "events", "shardId-000000000000");

    final Ledger ledger;
    final CellStore store = new CellStore();
    final StageEngine engine;
    private int versions;

    EngineHarness() {
        ledger = new Ledger();
        engine = open(ledger);
    }

    private StageEngine open(PipelineDefinition definition) {
        StagePlan plan = PipelineBuilder.plan(definition).stages().get(0);
        return new StageEngine(plan, () -> "v" + ++versions);
    }

    /** Records at the positions 1, 2, 3 ... */
    static List<InputRecord> records(Ledger.Event... events) {
        List<InputRecord> records = new ArrayList<>();
        for (Ledger.Event event : events) {
            records.add(record(records.size() + 1, event));
        }
        return records;
    }

    static InputRecord record(int position, Ledger.Event event) {
        return record(position, Ledger.payload(event));
    }

    static InputRecord record(int position, byte[] payload) {
        return new InputRecord(Position.of(Integer.toString(position)), payload, Instant.EPOCH);
    }

    /** Runs records over the cells as they are stored now, and commits nothing. */
    RunResult run(List<InputRecord> records, Condemned condemned) throws RecordFailure {
        return run(LANE, records, condemned);
    }

    RunResult run(Lane lane, List<InputRecord> records, Condemned condemned) throws RecordFailure {
        List<RoutedRecord> routed = new ArrayList<>();
        Map<String, Cell> cells = new LinkedHashMap<>();
        for (InputRecord record : records) {
            RoutedRecord one = engine.route(record);
            routed.add(one);
            for (String key : one.elements().keySet()) {
                cells.computeIfAbsent(key, absent -> store.load(CellStore.key(key)));
            }
        }
        return engine.run(
                lane, StageTime.withoutWatermark(Instant.EPOCH), routed, cells, condemned, Set.of(), () -> false);
    }

    RunResult run(Ledger.Event... events) throws RecordFailure {
        return run(records(events), new Condemned());
    }

    /** Commits all units of a result, which must all be taken. */
    RunResult commit(RunResult result) {
        assertThat(result.failure()).isNull();
        for (List<Unit> units : result.units().values()) {
            for (Unit unit : units) {
                assertThat(store.commit(unit)).isEqualTo(CellStore.Outcome.COMMITTED);
            }
        }
        return result;
    }

    RunResult runAndCommit(Ledger.Event... events) throws RecordFailure {
        return commit(run(events));
    }

    RunResult runAndCommit(List<InputRecord> records) throws RecordFailure {
        return commit(run(records, new Condemned()));
    }

    /** The units of a key, which must be there. */
    static List<Unit> units(RunResult result, String key) {
        List<Unit> units = result.units().get(key);
        assertThat(units).as("units of " + key).isNotNull();
        return java.util.Objects.requireNonNull(units);
    }

    /** The last record of a unit, which must have one. */
    static Position lastOf(Unit unit) {
        return java.util.Objects.requireNonNull(unit.progress()).last();
    }

    /** The failure that a run over these events ends with. */
    RecordFailure failureOf(Ledger.Event... events) throws RecordFailure {
        RunResult result = run(events);
        assertThat(result.units()).isEmpty();
        assertThat(result.failure()).isNotNull();
        return java.util.Objects.requireNonNull(result.failure());
    }

    Cell cell(String key) {
        return store.load(CellStore.key(key));
    }

    /** A map that must be stored. */
    static Map<String, StoredState.Value> entries(Cell cell, String name) {
        assertThat(cell.states().get(name)).isInstanceOf(StoredState.Entries.class);
        return ((StoredState.Entries)
                        java.util.Objects.requireNonNull(cell.states().get(name)))
                .entries();
    }

    /** A value that must be stored, as text. */
    static String text(Cell cell, String name) {
        assertThat(cell.states().get(name)).isInstanceOf(StoredState.Value.class);
        return ((StoredState.Value)
                        java.util.Objects.requireNonNull(cell.states().get(name)))
                .text();
    }

    /** A stored value as text; null if there is none. */
    @Nullable
    String state(String key, String name) {
        return cell(key).states().get(name) instanceof StoredState.Value value ? value.text() : null;
    }
}
