package io.millrace.aws;

import io.millrace.Collector;
import io.millrace.DataStream;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline that counts and sums events a key, in a row a key, and keeps the order in which it saw them. What it does
 * at certain values is up to the test.
 */
public final class Counting implements PipelineDefinition {
    static final String STREAM = "events";
    static final String TABLE = "totals";

    /** An event; several keys make several elements. */
    public record Event(List<String> keys, int value) {}

    /** An element. */
    public record Element(String key, int value) {}

    /** What is kept a key. */
    public record Totals(int count, long sum, List<Integer> seen) {}

    /** The row of a key. */
    public record TotalsRow(@PartitionKey String key, int count, long sum) {}

    /** Called before each element is counted, with its value. */
    @FunctionalInterface
    public interface Trap {
        void meet(int value) throws Exception;
    }

    private final Trap trap;
    private final ErrorPolicy errorPolicy;
    private final ErrorPolicy undecodable;
    private final boolean withRows;
    private final List<Integer> run = new CopyOnWriteArrayList<>();
    private final AtomicInteger routed = new AtomicInteger();
    private boolean withOtherTopology;
    private Serde<Event> serde = Json.of(Event.class);

    Counting(Trap trap, ErrorPolicy errorPolicy) {
        this(trap, errorPolicy, ErrorPolicy.deadLetter(), true);
    }

    Counting(Trap trap, ErrorPolicy errorPolicy, ErrorPolicy undecodable, boolean withRows) {
        this.trap = trap;
        this.errorPolicy = errorPolicy;
        this.undecodable = undecodable;
        this.withRows = withRows;
    }

    static Counting harmless() {
        return new Counting(value -> {}, ErrorPolicy.fail());
    }

    static String event(String key, int value) {
        return "{\"keys\":[\"" + key + "\"],\"value\":" + value + "}";
    }

    /** Lets this code have another topology: another function before the key, which changes nothing. */
    Counting withOtherTopology() {
        withOtherTopology = true;
        return this;
    }

    /** Lets this code decode records in another way. */
    Counting decodedBy(Serde<Event> other) {
        serde = other;
        return this;
    }

    /** How often events were divided by key, repetitions included. */
    int timesRouted() {
        return routed.get();
    }

    /** The values that the function was run with, repeated runs included. */
    List<Integer> valuesRun() {
        return run;
    }

    @Override
    public String name() {
        return "counting";
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        DataStream<Event> events = pipeline.fromKinesis(STREAM, serde).undecodable(undecodable);
        (withOtherTopology ? events.filter(event -> true) : events)
                .<Element>flatMap((event, out) -> {
                    routed.incrementAndGet();
                    for (String key : event.keys()) {
                        out.collect(new Element(key, event.value()));
                    }
                })
                .keyBy(Element::key)
                .process(new CountElements())
                .uid("count")
                .errorPolicy(errorPolicy)
                .filter(row -> withRows)
                .sinkTo(DynamoDbSink.rows(TABLE, TotalsRow.class));
    }

    private final class CountElements extends KeyedProcessFunction<String, Element, TotalsRow> {
        private @Nullable ValueState<Totals> totals;

        @Override
        public void open(OpenContext openContext) {
            totals = getRuntimeContext().getState(new ValueStateDescriptor<>("totals", Totals.class));
        }

        @Override
        public void processElement(Element element, Context ctx, Collector<TotalsRow> out) throws Exception {
            ValueState<Totals> state = Objects.requireNonNull(totals);
            Totals before = state.value() == null ? new Totals(0, 0, List.of()) : state.value();
            List<Integer> seen = new ArrayList<>(before.seen());
            seen.add(element.value());
            Totals after = new Totals(before.count() + 1, before.sum() + element.value(), seen);
            state.update(after);
            run.add(element.value());
            trap.meet(element.value());
            out.collect(new TotalsRow(ctx.getCurrentKey(), after.count(), after.sum()));
        }
    }
}
