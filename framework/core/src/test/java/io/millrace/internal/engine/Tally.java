package io.millrace.internal.engine;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.ArrayList;
import java.util.List;

/**
 * The pipeline of the exactly-once test: each key keeps the ids of what it absorbed, in order, and a checksum that
 * depends on that order.
 */
final class Tally implements PipelineDefinition {
    static final String UID = "tally";

    /** An event: what each key gets of it, and by how many rows each key's part is told. */
    record Event(String id, List<Part> parts, int rows) {}

    record Part(String key, int amount, boolean poison) {}

    /** A part with the id of its event. */
    record Element(String id, Part part, int rows) {}

    /** State that is changed in place. */
    static final class Log {
        public List<String> ids = new ArrayList<>();
        public int checksum;
    }

    /** The row of one part of an event, or, with the id "latest", of a key's latest state. */
    record Line(@PartitionKey String key, @SortKey String id, int checksum) {}

    static int next(int checksum, int amount) {
        return checksum * 31 + amount;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("events", Json.of(Event.class))
                .<Element>flatMap((event, out) ->
                        event.parts().forEach(part -> out.collect(new Element(event.id(), part, event.rows()))))
                .keyBy(element -> element.part().key())
                .process(new Function())
                .uid(UID)
                .sinkTo(DynamoDbSink.rows("lines", Line.class));
    }

    private static final class Function extends KeyedProcessFunction<String, Element, Line> {
        @SuppressWarnings("NullAway.Init")
        private ValueState<Log> log;

        @SuppressWarnings("NullAway.Init")
        private MapState<String, Integer> amounts;

        @Override
        public void open(OpenContext openContext) {
            log = getRuntimeContext().getState(new ValueStateDescriptor<>("log", Log.class));
            amounts = getRuntimeContext().getMapState(new MapStateDescriptor<>("amounts", String.class, Integer.class));
        }

        @Override
        public void processElement(Element element, Context ctx, Collector<Line> out) {
            Log current = log.value();
            if (current == null) {
                current = new Log();
                log.update(current);
            }
            current.ids.add(element.id());
            current.checksum = next(current.checksum, element.part().amount());
            Integer before = amounts.get(element.id());
            amounts.put(
                    element.id(), (before == null ? 0 : before) + element.part().amount());
            for (int i = 0; i < element.rows(); i++) {
                out.collect(new Line(ctx.getCurrentKey(), element.id() + "/" + i, current.checksum));
            }
            out.collect(new Line(ctx.getCurrentKey(), "latest", current.checksum));
            if (element.part().poison()) {
                throw new IllegalStateException("poison");
            }
        }
    }
}
