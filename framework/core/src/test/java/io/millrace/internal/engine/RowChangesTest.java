package io.millrace.internal.engine;

import static io.millrace.internal.engine.EngineHarness.LANE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.internal.item.Row;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.RowChange;
import io.millrace.sink.RowKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How changes of one row in a unit come to one, and where a unit ends because of them. */
class RowChangesTest {
    private static final int LARGE = 250_000;

    /** What an event asks for of a row. */
    record Change(String row, String kind, Map<String, Integer> lengths) {}

    record Event(List<Change> changes) {}

    /** All events have one key; each attribute is a text of the given length. */
    private static final class Changing implements PipelineDefinition {
        @Override
        public String name() {
            return "changing";
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("events", Json.of(Event.class))
                    .keyBy(event -> "k")
                    .process(new KeyedProcessFunction<String, Event, Change>() {
                        @Override
                        public void processElement(Event event, Context ctx, Collector<Change> out) {
                            event.changes().forEach(out::collect);
                        }
                    })
                    .uid(Ledger.UID)
                    .sinkTo(DynamoDbSink.changes("rows", RowKey.text("id", Change::row), RowChangesTest::changeOf));
        }
    }

    private static RowChange changeOf(Change change) {
        Map<String, String> attributes = new java.util.TreeMap<>();
        change.lengths().forEach((name, length) -> attributes.put(name, "x".repeat(length)));
        return switch (change.kind()) {
            case "put" -> RowChange.put(attributes);
            case "set" -> RowChange.set(attributes);
            default -> RowChange.delete();
        };
    }

    private final StageEngine engine =
            new StageEngine(PipelineBuilder.plan(new Changing()).stage(Ledger.UID), () -> "version");

    private static Event event(Change... changes) {
        return new Event(List.of(changes));
    }

    private static Change set(String row, String attribute, int length) {
        return new Change(row, "set", Map.of(attribute, length));
    }

    private static Change put(String row, String attribute, int length) {
        return new Change(row, "put", Map.of(attribute, length));
    }

    private static Change delete(String row) {
        return new Change(row, "delete", Map.of());
    }

    private static Change setMany(String row, String prefix, int count) {
        Map<String, Integer> lengths = new java.util.HashMap<>();
        for (int i = 0; i < count; i++) {
            lengths.put(prefix + i, 1);
        }
        return new Change(row, "set", lengths);
    }

    private RunResult run(Event... events) throws RecordFailure {
        List<RoutedRecord> routed = new ArrayList<>();
        for (Event event : events) {
            byte[] payload = Json.of(Event.class).serialize(event);
            routed.add(engine.route(EngineHarness.record(routed.size() + 1, payload)));
        }
        Map<String, Cell> cells = Map.of("k", Cell.absent(CellStore.key("k")));
        return engine.run(
                LANE, StageTime.withoutWatermark(Instant.EPOCH), routed, cells, new Condemned(), Set.of(), () -> false);
    }

    private List<Unit> units(Event... events) throws RecordFailure {
        return EngineHarness.units(run(events), "k");
    }

    private static ObjectNode attributes(String row) {
        return JsonNodeFactory.instance.objectNode().put("id", row);
    }

    @Test
    void changesOfOneRowInAUnitComeToOneInTheirOrder() throws RecordFailure {
        List<Unit> units = units(
                event(put("a", "x", 1), delete("b")),
                event(set("a", "y", 2), set("b", "y", 3)),
                event(set("c", "x", 1), set("c", "x", 2), delete("d"), put("e", "x", 1), delete("e")));

        assertThat(units).hasSize(1);
        assertThat(units.get(0).rows())
                .extracting(Row::action, Row::attributes)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                Row.Action.PUT, attributes("a").put("x", "x").put("y", "xx")),
                        org.assertj.core.groups.Tuple.tuple(
                                Row.Action.PUT, attributes("b").put("y", "xxx")),
                        org.assertj.core.groups.Tuple.tuple(
                                Row.Action.SET, attributes("c").put("x", "xx")),
                        org.assertj.core.groups.Tuple.tuple(Row.Action.DELETE, attributes("d")),
                        org.assertj.core.groups.Tuple.tuple(Row.Action.DELETE, attributes("e")));
    }

    @Test
    void rowThatGrowsTooLargeByMergingEndsTheUnitBeforeIt() throws RecordFailure {
        List<Unit> units = units(event(put("a", "x", LARGE)), event(set("a", "y", LARGE)), event(set("b", "y", 1)));

        assertThat(units).extracting(Unit::records).containsExactly(1, 2);
        assertThat(units.get(1).rows()).extracting(Row::action).containsExactly(Row.Action.SET, Row.Action.SET);
    }

    @Test
    void oneRecordThatMakesARowTooLargeIsUnacceptable() throws RecordFailure {
        RecordFailure failure =
                Objects.requireNonNull(run(event(set("b", "x", 1)), event(put("a", "x", LARGE), set("a", "y", LARGE)))
                        .failure());

        assertThat(failure.kind()).isEqualTo(RecordFailure.Kind.UNACCEPTABLE);
        assertThat(failure.position()).isEqualTo(Position.of("2"));
        assertThat(failure).hasMessageContaining("A row of table rows has 500");
    }

    @Test
    void rowThatIsTooLargeOnlyInBetweenIsNoFailure() throws RecordFailure {
        List<Unit> units = units(event(put("a", "x", LARGE), set("a", "y", LARGE), put("a", "x", 3)));

        assertThat(units.get(0).rows())
                .singleElement()
                .satisfies(row ->
                        assertThat(row.attributes()).isEqualTo(attributes("a").put("x", "xxx")));
    }

    @Test
    void setsThatAreTooManyAttributesTogetherAreDivided() throws RecordFailure {
        assertThat(units(event(setMany("a", "x", 150)), event(setMany("a", "y", 50))))
                .extracting(Unit::records)
                .containsExactly(2);
        assertThat(units(event(setMany("a", "x", 150)), event(setMany("a", "y", 51))))
                .extracting(Unit::records)
                .containsExactly(1, 1);
    }

    @Test
    void mergedRowsCountOnceAgainstTheTransaction() throws RecordFailure {
        Event[] events = new Event[40];
        for (int i = 0; i < events.length; i++) {
            events[i] = event(put("a", "x", LARGE), put("b" + i, "y", 1));
        }

        assertThat(units(events)).extracting(Unit::records).containsExactly(40);
    }
}
