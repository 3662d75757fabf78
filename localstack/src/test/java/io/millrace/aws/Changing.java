package io.millrace.aws;

import io.millrace.Collector;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.RowChange;
import io.millrace.sink.RowKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline whose events say which rows are put, set or deleted, with state that counts a key's events and a second sink
 * that has the count.
 */
public final class Changing implements PipelineDefinition {
    static final String TABLE = "changed";
    static final String COUNTS = "changed-counts";

    /** What becomes of a row; a value that is a number makes a text of this length. */
    public record Change(String row, String kind, Map<String, Object> attributes) {}

    /** An event of a key. */
    public record Event(String key, List<Change> changes) {}

    /** A result: a change, and the event's place in the order of its key. */
    public record Numbered(String key, Change change, int count) {}

    private final ErrorPolicy errorPolicy;

    Changing(ErrorPolicy errorPolicy) {
        this.errorPolicy = errorPolicy;
    }

    static Changing failing() {
        return new Changing(ErrorPolicy.fail());
    }

    static String event(String key, Change... changes) {
        return new String(Json.of(Event.class).serialize(new Event(key, List.of(changes))), StandardCharsets.UTF_8);
    }

    static Change put(String row, String... attributes) {
        return new Change(row, "put", map(attributes));
    }

    static Change set(String row, String... attributes) {
        return new Change(row, "set", map(attributes));
    }

    static Change delete(String row) {
        return new Change(row, "delete", Map.of());
    }

    /** Sets an attribute to a text of a given length. */
    static Change setLong(String row, String attribute, int length) {
        return new Change(row, "set", Map.of(attribute, length));
    }

    /** Names and values in turn; a value that is "null" is null. */
    private static Map<String, Object> map(String... namesAndValues) {
        Map<String, Object> map = new TreeMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }

    static RowChange changeOf(Change change) {
        Map<String, @Nullable Object> attributes = new TreeMap<>();
        change.attributes().forEach((name, value) -> attributes.put(name, valueOf(value)));
        return switch (change.kind()) {
            case "put" -> RowChange.put(attributes);
            case "set" -> RowChange.set(attributes);
            case "delete" -> RowChange.delete();
            default -> throw new IllegalStateException("told to " + change.kind());
        };
    }

    private static @Nullable Object valueOf(Object value) {
        if (value instanceof Number length) {
            return "x".repeat(length.intValue());
        }
        return value.equals("null") ? null : value;
    }

    @Override
    public String name() {
        return "changing";
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("changes", Json.of(Event.class))
                .keyBy(Event::key)
                .process(new Count())
                .uid("change")
                .errorPolicy(errorPolicy)
                .sinkTo(DynamoDbSink.changes(
                        TABLE,
                        RowKey.text("id", numbered -> numbered.change().row()),
                        numbered -> changeOf(numbered.change())))
                .sinkTo(DynamoDbSink.rows(
                        COUNTS,
                        RowKey.text("key", Numbered::key).thenNumber("number", Numbered::count),
                        numbered -> Map.of("rows", List.of(numbered.change().row()))));
    }

    /** The texts of a table's rows, stubs left out: "id attribute=value ...", sorted. */
    static List<String> rowsOf(ShellFixture fixture) {
        List<String> rows = new ArrayList<>();
        fixture.scan(TABLE).forEach(item -> {
            if (item.has("_deleted")) {
                return;
            }
            TreeMap<String, String> attributes = new TreeMap<>();
            item.properties().forEach(attribute -> {
                if (!attribute.getKey().startsWith("_") && !attribute.getKey().equals("id")) {
                    attributes.put(attribute.getKey(), attribute.getValue().asText());
                }
            });
            rows.add(item.path("id").asText() + " " + attributes);
        });
        String[] sorted = rows.toArray(String[]::new);
        Arrays.sort(sorted);
        return List.of(sorted);
    }

    private static final class Count extends KeyedProcessFunction<String, Event, Numbered> {
        private @Nullable ValueState<Integer> count;

        @Override
        public void open(OpenContext openContext) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Integer.class));
        }

        @Override
        public void processElement(Event event, Context ctx, Collector<Numbered> out) throws Exception {
            ValueState<Integer> state = Objects.requireNonNull(count);
            int before = state.value() == null ? 0 : state.value();
            state.update(before + 1);
            event.changes().forEach(change -> out.collect(new Numbered(ctx.getCurrentKey(), change, before + 1)));
        }
    }
}
