package io.millrace.aws;

import io.millrace.DataStream;
import io.millrace.ErrorPolicy;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.RowKey;
import java.util.List;
import java.util.Map;

/** The rows of {@link Changing} without any state: a stage that writes each change into its row. */
public final class Sinking implements PipelineDefinition {
    static final String LOG = "changes-seen";

    /** Called with each change before it becomes one of a row. */
    @FunctionalInterface
    interface Trap {
        void meet(Changing.Change change) throws Exception;
    }

    private final Trap trap;
    private final ErrorPolicy errorPolicy;
    private boolean withOtherTopology;

    Sinking(Trap trap, ErrorPolicy errorPolicy) {
        this.trap = trap;
        this.errorPolicy = errorPolicy;
    }

    static Sinking harmless() {
        return new Sinking(change -> {}, ErrorPolicy.fail());
    }

    /** Lets this code have another topology: another function before the rows, which changes nothing. */
    Sinking withOtherTopology() {
        withOtherTopology = true;
        return this;
    }

    @Override
    public String name() {
        return "sinking";
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        DataStream<Changing.Event> events = pipeline.fromKinesis("changes", Json.of(Changing.Event.class));
        (withOtherTopology ? events.filter(event -> true) : events)
                .<Changing.Change>flatMap((event, out) -> {
                    for (Changing.Change change : event.changes()) {
                        trap.meet(change);
                        out.collect(change);
                    }
                })
                .sinkTo(DynamoDbSink.changes(
                        Changing.TABLE, RowKey.text("id", Changing.Change::row), Changing::changeOf))
                .sinkTo(DynamoDbSink.rows(
                        LOG,
                        RowKey.text("row", Changing.Change::row).thenText("kind", Changing.Change::kind),
                        change ->
                                Map.of("names", List.copyOf(change.attributes().keySet()))))
                .uid("sink")
                .errorPolicy(errorPolicy);
    }
}
