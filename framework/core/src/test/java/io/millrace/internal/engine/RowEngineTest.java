package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.internal.engine.RecordFailure.Kind;
import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.Row;
import io.millrace.internal.plan.RowStagePlan;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.RowChange;
import io.millrace.sink.RowKey;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The engine of stages without state: records and what rows remember in, writes of rows out. */
class RowEngineTest {
    private static final Lane LANE = new Lane(0, "events", "shardId-000000000000");
    private static final Lane OTHER_LANE = new Lane(0, "events", "shardId-000000000001");
    private static final String A = "rows#1#a";
    private static final String B = "rows#1#b";
    private static final int LARGE = 250_000;

    /** What an event asks for of a row: a text of a length in an attribute. */
    record Change(String row, String kind, String attribute, int length) {}

    record Event(List<Change> changes) {}

    private record Rows() implements PipelineDefinition {
        @Override
        public String name() {
            return "rows";
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("events", Json.of(Event.class))
                    .<Change>flatMap((event, out) -> event.changes().forEach(out::collect))
                    .filter(change -> !change.kind().equals("skip"))
                    .sinkTo(DynamoDbSink.changes("rows", RowKey.text("id", Change::row), RowEngineTest::changeOf))
                    .sinkTo(DynamoDbSink.rows("kinds", RowKey.text("kind", Change::kind), change -> Map.of()))
                    .uid("rows");
        }
    }

    private static RowChange changeOf(Change change) {
        Map<String, String> attributes = Map.of(change.attribute(), "x".repeat(change.length()));
        return switch (change.kind()) {
            case "put" -> RowChange.put(attributes);
            case "set" -> RowChange.set(attributes);
            case "delete" -> RowChange.delete();
            case "overflow" -> throw new StackOverflowError("told to");
            case "out of memory" -> throw new OutOfMemoryError("told to");
            default -> throw new IllegalStateException("told to throw");
        };
    }

    private int versions;
    private final RowStagePlan plan =
            (RowStagePlan) PipelineBuilder.plan(new Rows()).stage("rows");
    private final RowEngine engine = new RowEngine(plan, () -> "v" + ++versions, EngineRules.PROTOCOL);

    private static Change put(String row, String attribute, int length) {
        return new Change(row, "put", attribute, length);
    }

    private static Change set(String row, String attribute, int length) {
        return new Change(row, "set", attribute, length);
    }

    private static Change delete(String row) {
        return new Change(row, "delete", "x", 0);
    }

    private RowRecord record(int position, Change... changes) throws RecordFailure {
        return engine.route(
                EngineHarness.record(position, Json.of(Event.class).serialize(new Event(List.of(changes)))));
    }

    private static StoredRow remembering(Map<Lane, Integer> fence) {
        Map<String, Position> positions = new TreeMap<>();
        fence.forEach((lane, position) -> positions.put(lane.fenceName(), Position.of("" + position)));
        return new StoredRow("read", Fence.of(positions), Set.of());
    }

    private RowRunResult run(StoredRow a, RowRecord... records) {
        return engine.run(LANE, List.of(records), Map.of(A, a), Set.of());
    }

    private static List<RowUnit> unitsOf(RowRunResult result, String row) {
        assertThat(result.failure()).isNull();
        return Objects.requireNonNull(result.units().get(row));
    }

    private static ObjectNode attributes(String row) {
        return JsonNodeFactory.instance.objectNode().put("id", row);
    }

    @Test
    void recordsOfOneRowAreOneWriteOfTheLastPosition() throws RecordFailure {
        List<RowUnit> units = unitsOf(
                run(
                        remembering(Map.of(LANE, 3, OTHER_LANE, 9)),
                        record(4, put("a", "x", 1)),
                        record(5, set("b", "x", 1)),
                        record(6, set("a", "y", 2))),
                A);

        assertThat(units).singleElement().satisfies(unit -> {
            assertThat(unit.row().action()).isEqualTo(Row.Action.PUT);
            assertThat(unit.row().attributes())
                    .isEqualTo(attributes("a").put("x", "x").put("y", "xx"));
            assertThat(unit.last()).isEqualTo(Position.of("6"));
            assertThat(unit.records()).isEqualTo(2);
            assertThat(unit.lane()).isEqualTo(LANE);
            assertThat(unit.before().version()).isEqualTo("read");
            assertThat(unit.after()).isEqualTo(new StoredRow("v1", unit.after().fence(), Set.of()));
            assertThat(unit.after().fence().positions())
                    .isEqualTo(Map.of("0.0", Position.of("6"), "0.1", Position.of("9")));
        });
    }

    @Test
    void whatARowHasAbsorbedIsADuplicate() throws RecordFailure {
        RowRecord four = record(4, put("a", "x", 1));
        RowRecord five = record(5, set("a", "x", 2));

        RowRunResult result = run(remembering(Map.of(LANE, 4)), four, five, five);

        assertThat(result.duplicates()).isEqualTo(2);
        assertThat(unitsOf(result, A)).singleElement().satisfies(unit -> {
            assertThat(unit.row().action()).isEqualTo(Row.Action.SET);
            assertThat(unit.records()).isEqualTo(1);
        });
        assertThat(unitsOf(run(remembering(Map.of(LANE, 5)), four, five), A)).isEmpty();
        assertThat(unitsOf(run(remembering(Map.of(OTHER_LANE, 5)), four, five), A))
                .as("the other lane's entry does not count")
                .extracting(RowUnit::records)
                .containsExactly(2);
    }

    @Test
    void rowsOfOneRecordAreWritesOfTheirOwn() throws RecordFailure {
        RowRecord record = record(1, put("a", "x", 1), delete("b"), set("b", "y", 2), put("c", "x", 1));

        assertThat(record.rows().keySet())
                .containsExactly(A, "kinds#3#put", B, "kinds#6#delete", "kinds#3#set", "rows#1#c");
        RowRunResult result =
                engine.run(LANE, List.of(record), Map.of(A, StoredRow.ABSENT, B, StoredRow.ABSENT), Set.of());
        assertThat(result.units().keySet()).as("only those that may run").containsExactly(A, B);
        assertThat(unitsOf(result, B).get(0).row().attributes())
                .isEqualTo(attributes("b").put("y", "xx"));
        assertThat(unitsOf(result, A).get(0).before()).isSameAs(StoredRow.ABSENT);
    }

    @Test
    void stepsCanDropARecord() throws RecordFailure {
        assertThat(record(1, new Change("a", "skip", "x", 0)).rows()).isEmpty();
    }

    @Test
    void whatGrowsTooLargeByMergingIsDividedAndChained() throws RecordFailure {
        List<RowUnit> units = unitsOf(
                run(
                        remembering(Map.of()),
                        record(1, put("a", "x", LARGE)),
                        record(2, set("a", "y", LARGE)),
                        record(3, set("a", "z", 1))),
                A);

        assertThat(units).extracting(RowUnit::records).containsExactly(1, 2);
        assertThat(units.get(1).before()).isEqualTo(units.get(0).after());
        assertThat(units.get(1).row().action()).isEqualTo(Row.Action.SET);
        assertThat(units).extracting(RowUnit::last).containsExactly(Position.of("1"), Position.of("3"));
        assertThat(units.get(0).after().version())
                .isNotEqualTo(units.get(1).after().version());
    }

    private static Change[] sets(String attributePrefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> set("a", attributePrefix + i, 1))
                .toArray(Change[]::new);
    }

    @Test
    void setsThatAreTooManyAttributesTogetherAreDivided() throws RecordFailure {
        StoredRow remembering = remembering(Map.of());

        assertThat(unitsOf(run(remembering, record(1, sets("x", 150)), record(2, sets("y", 50))), A))
                .extracting(RowUnit::records)
                .containsExactly(2);
        assertThat(unitsOf(run(remembering, record(1, sets("x", 150)), record(2, sets("y", 51))), A))
                .extracting(RowUnit::records)
                .containsExactly(1, 1);
    }

    @Test
    void recordsAreUnitsOfTheirOwnWhereItIsAskedFor() throws RecordFailure {
        List<RowRecord> records = List.of(
                record(1, put("a", "x", 1), put("b", "x", 1)),
                record(2, set("a", "y", 1)),
                record(3, set("b", "y", 1)));

        RowRunResult result = engine.run(LANE, records, Map.of(A, StoredRow.ABSENT, B, StoredRow.ABSENT), Set.of(A));

        assertThat(unitsOf(result, A)).extracting(RowUnit::records).containsExactly(1, 1);
        assertThat(unitsOf(result, B)).extracting(RowUnit::records).containsExactly(2);
    }

    @Test
    void rowHasRoomForWhatItRemembers() throws RecordFailure {
        StoredRow remembering = remembering(Map.of(OTHER_LANE, 1_000, LANE, 1));
        int row = "id".length() + "a".length() + "x".length() + Row.GENERATION.length() + ItemSize.NUMBER_BYTES_MAX;
        int memory = Row.VERSION.length() + 22 + 2 * "_f.0.0".length() + 2 + 3;
        int room = ItemSize.ITEM_BYTES_MAX - row - memory;

        assertThat(unitsOf(run(remembering, record(7, put("a", "x", room))), A)).hasSize(1);
        RecordFailure failure =
                Objects.requireNonNull(run(remembering, record(6, set("a", "y", 1)), record(7, put("a", "x", room + 1)))
                        .failure());

        assertThat(failure.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(failure.position()).isEqualTo(Position.of("7"));
        assertThat(failure.key()).isNull();
        assertThat(failure)
                .hasMessageContaining(
                        "A row of table rows would have 409601 bytes with the positions that it remembers");
        assertThat(run(remembering, record(7, put("a", "x", room + 1))).units()).isEmpty();
        assertThat(unitsOf(
                        run(
                                remembering,
                                record(7, put("a", "x", room / 2)),
                                record(8, set("a", "y", room - room / 2 - 1))),
                        A))
                .as("to the last byte")
                .hasSize(1);
        assertThat(unitsOf(
                        run(remembering, record(7, put("a", "x", room / 2)), record(8, set("a", "y", room - room / 2))),
                        A))
                .as("one byte more, merged")
                .hasSize(2);
    }

    @Test
    void memoryOfARowIsItsVersionAndAnEntryForEachLane() throws RecordFailure {
        RowUnit unit = unitsOf(run(remembering(Map.of(OTHER_LANE, 9)), record(4, set("a", "x", 1))), A)
                .get(0);

        ObjectNode item = unit.memory();

        assertThat(item.properties())
                .extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrder("_version", "_f.0.0", "_f.0.1");
        StoredRow again = engine.stored(item.put("_generation", 3).put("x", 1), 3);
        assertThat(again.version()).isEqualTo("v1");
        assertThat(again.fence().positions()).isEqualTo(unit.after().fence().positions());
        assertThat(again.outdated()).isEmpty();
        assertThat(unit.forgotten()).isEmpty();
    }

    @Test
    void fenceOfAnotherGenerationDoesNotCountAndIsForgotten() throws RecordFailure {
        ObjectNode item = unitsOf(run(remembering(Map.of(OTHER_LANE, 9)), record(4, set("a", "x", 1))), A)
                .get(0)
                .memory()
                .put("_generation", 3);

        StoredRow stored = engine.stored(item, 4);

        assertThat(stored.version()).isEqualTo("v1");
        assertThat(stored.fence().positions()).isEmpty();
        assertThat(stored.outdated()).containsExactly("_f.0.0", "_f.0.1");
        RowUnit rewritten = unitsOf(run(stored, record(2, set("a", "x", 1))), A).get(0);
        assertThat(rewritten.after().fence().positions()).isEqualTo(Map.of("0.0", Position.of("2")));
        assertThat(rewritten.forgotten()).as("my own entry is set anew").containsExactly("_f.0.1");
    }

    @Test
    void rowOfAnotherProgramRemembersNothing() {
        StoredRow stored = engine.stored(attributes("a").put("x", 1), 1);

        assertThat(stored).isEqualTo(new StoredRow(null, stored.fence(), Set.of()));
        assertThat(stored.fence().positions()).isEmpty();
    }

    @Test
    void fenceEntryThatIsNoneIsNamed() {
        assertThatThrownBy(() ->
                        engine.stored(attributes("a").put("_generation", 1).put("_f.0.0", "text"), 1))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("A stored position cannot be read");
    }

    /** A text can be the base64 of a position, and is none all the same. */
    @Test
    void fenceEntryOfAnotherTypeIsNamedWhateverItsTextMeans() {
        byte[] position = Position.of("5").encode();
        ObjectNode row = attributes("a").put("_generation", 1);
        assertThat(engine.stored(row.deepCopy().put("_f.0.0", position), 1)
                        .fence()
                        .positions())
                .isEqualTo(Map.of("0.0", Position.of("5")));

        for (ObjectNode strange : List.of(
                row.deepCopy().put("_f.0.0", Base64.getEncoder().encodeToString(position)),
                row.deepCopy().put("_f.0.0", 5))) {
            assertThatThrownBy(() -> engine.stored(strange, 1))
                    .as(strange.toString())
                    .isInstanceOf(MillraceException.class)
                    .hasMessageContaining("A stored position cannot be read");
        }
    }

    @Test
    void fenceEntryThatAWriteDropsIsForgotten() throws RecordFailure {
        RowUnit unit = unitsOf(run(remembering(Map.of(LANE, 1, OTHER_LANE, 9)), record(4, set("a", "x", 1))), A)
                .get(0);
        StoredRow dropping = new StoredRow("v", Fence.of(Map.of("0.0", Position.of("4"))), Set.of());

        assertThat(unit.forgotten()).as("it drops none").isEmpty();
        assertThat(new RowUnit(LANE, unit.row(), unit.before(), dropping, unit.last(), 1).forgotten())
                .containsExactly("_f.0.1");
    }

    private RecordFailure failureOf(Change... changes) {
        return catchThrowableOfType(RecordFailure.class, () -> record(7, changes));
    }

    @Test
    void recordThatFailsIsNamedWithoutAKey() {
        RecordFailure threw = failureOf(put("a", "x", 1), new Change("a", "throw", "x", 1));
        RecordFailure tooLarge = failureOf(put("a", "x", LARGE), set("a", "y", LARGE));
        RecordFailure undecodable =
                catchThrowableOfType(RecordFailure.class, () -> engine.route(EngineHarness.record(7, new byte[] {1})));

        assertThat(threw.kind()).isEqualTo(Kind.FUNCTION_THREW);
        assertThat(threw).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(tooLarge.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(undecodable.kind()).isEqualTo(Kind.UNDECODABLE);
        assertThat(failureOf(new Change("a", "overflow", "x", 1)).kind()).isEqualTo(Kind.FUNCTION_THREW);
        List<RecordFailure> failures = new ArrayList<>(List.of(threw, tooLarge, undecodable));
        assertThat(failures).allSatisfy(failure -> {
            assertThat(failure.key()).isNull();
            assertThat(failure.position()).isEqualTo(Position.of("7"));
        });
        assertThatThrownBy(() -> record(7, new Change("a", "out of memory", "x", 1)))
                .as("not the record's fault")
                .isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void eachEngineRunsItsOwnKindOfStage() {
        assertThat(engine.plan()).isSameAs(plan);
        assertThatThrownBy(() -> new StageEngine(plan, () -> "v"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The stage 'rows' has no state; a RowEngine runs it.");
    }
}
