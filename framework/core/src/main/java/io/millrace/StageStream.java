package io.millrace;

import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.Step;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.Sink;
import java.util.ArrayList;
import java.util.List;

/** The results of a stage. Functions on it run inside the stage, before its rows are committed with its state. */
public final class StageStream<O> {
    private final StageBuilder stage;
    private final List<Step> steps;

    StageStream(StageBuilder stage, List<Step> steps) {
        this.stage = stage;
        this.steps = List.copyOf(steps);
    }

    /**
     * The stage's identity, by which its state is found again: required, unique in the pipeline, never changed. 1 to 64
     * letters, digits, {@code _ . -}.
     */
    public StageStream<O> uid(String uid) {
        stage.uid(uid);
        return this;
    }

    /** The stage's name for people. Default: its uid. */
    public StageStream<O> name(String name) {
        stage.name(name);
        return this;
    }

    /** What becomes of a record that the stage's functions throw at. Default: {@link ErrorPolicy#fail()}. */
    public StageStream<O> errorPolicy(ErrorPolicy policy) {
        stage.errorPolicy(policy);
        return this;
    }

    /** Turns each result into another. */
    @SuppressWarnings("unchecked")
    public <R> StageStream<R> map(MapFunction<? super O, ? extends R> function) {
        return with(new Step.Map((MapFunction<Object, Object>) (MapFunction<?, ?>) function));
    }

    /** Keeps the results that the function says yes to. */
    @SuppressWarnings("unchecked")
    public StageStream<O> filter(FilterFunction<? super O> function) {
        return with(new Step.Filter((FilterFunction<Object>) (FilterFunction<?>) function));
    }

    /** Turns each result into any number of others. */
    @SuppressWarnings("unchecked")
    public <R> StageStream<R> flatMap(FlatMapFunction<? super O, R> function) {
        return with(new Step.FlatMap((FlatMapFunction<Object, Object>) (FlatMapFunction<?, ?>) function));
    }

    /** Writes the results, in one transaction with the state that they came from. */
    @SuppressWarnings("unchecked")
    public StageStream<O> sinkTo(Sink<? super O> sink) {
        stage.output(new OutputPlan(steps, (DynamoDbSink<Object>) sink));
        return this;
    }

    private <R> StageStream<R> with(Step step) {
        List<Step> extended = new ArrayList<>(steps);
        extended.add(step);
        return new StageStream<>(stage, extended);
    }
}
