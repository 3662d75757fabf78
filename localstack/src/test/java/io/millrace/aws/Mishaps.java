package io.millrace.aws;

import io.millrace.Collector;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline of the chaos test: each key keeps the ids that it saw, in order, with a row for each and one for the last.
 * An event says itself what goes wrong with it, until the code is mended.
 */
final class Mishaps implements PipelineDefinition {
    static final String STREAM = "mishaps";
    static final String TABLE = "mishap-lines";
    static final String LATEST = "latest";

    /** What goes wrong with an event. */
    enum Kind {
        NOTHING,
        THROWS,
        THROWS_AT_ITS_LAST_KEY,
        THROWS_AT_ODD_STATE,
        THROWS_BEFORE_ITS_KEY,
        KILLS,
        KILLS_BEFORE_ITS_KEY
    }

    /** An event, for each of its keys. */
    record Event(String id, List<String> keys, Kind kind) {}

    private record Element(String key, Event event) {}

    /** State that is changed in place. */
    static final class Seen {
        public List<String> ids = new ArrayList<>();
    }

    /** The row of an event at a key, and the key's latest. */
    record Line(@PartitionKey String key, @SortKey String id, String last, int count) {}

    private final ErrorPolicy policy;
    private final ErrorPolicy undecodable;
    private final Map<String, Integer> runs = new HashMap<>();
    private boolean mended;

    Mishaps(ErrorPolicy policy, ErrorPolicy undecodable) {
        this.policy = policy;
        this.undecodable = undecodable;
    }

    /** From now on nothing goes wrong. */
    void mend() {
        mended = true;
    }

    /** How often the function was run with an event. */
    int runsOf(String id) {
        return runs.getOrDefault(id, 0);
    }

    @Override
    public String name() {
        return "mishaps";
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis(STREAM, Json.of(Event.class))
                .undecodable(undecodable)
                .<Element>flatMap((event, out) -> {
                    failIf(event.kind() == Kind.THROWS_BEFORE_ITS_KEY);
                    killIf(event.kind() == Kind.KILLS_BEFORE_ITS_KEY);
                    event.keys().forEach(key -> out.collect(new Element(key, event)));
                })
                .keyBy(Element::key)
                .process(new See())
                .uid("see")
                .errorPolicy(policy)
                .sinkTo(DynamoDbSink.rows(TABLE, Line.class));
    }

    private void failIf(boolean condition) {
        if (condition && !mended) {
            throw new IllegalStateException("a mishap");
        }
    }

    private void killIf(boolean condition) {
        if (condition && !mended) {
            throw new OutOfMemoryError("as if");
        }
    }

    private final class See extends KeyedProcessFunction<String, Element, Line> {
        private @Nullable ValueState<Seen> seen;

        @Override
        public void open(OpenContext openContext) {
            seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Seen.class));
        }

        @Override
        public void processElement(Element element, Context ctx, Collector<Line> out) {
            Event event = element.event();
            runs.merge(event.id(), 1, Integer::sum);
            ValueState<Seen> state = Objects.requireNonNull(seen);
            Seen now = state.value();
            if (now == null) {
                now = new Seen();
                state.update(now);
            }
            int before = now.ids.size();
            now.ids.add(event.id());
            out.collect(new Line(element.key(), event.id(), event.id(), now.ids.size()));
            out.collect(new Line(element.key(), LATEST, event.id(), now.ids.size()));
            String lastKey = event.keys().get(event.keys().size() - 1);
            failIf(event.kind() == Kind.THROWS
                    || (event.kind() == Kind.THROWS_AT_ODD_STATE && before % 2 == 1)
                    || (event.kind() == Kind.THROWS_AT_ITS_LAST_KEY
                            && element.key().equals(lastKey)));
            killIf(event.kind() == Kind.KILLS);
        }
    }
}
