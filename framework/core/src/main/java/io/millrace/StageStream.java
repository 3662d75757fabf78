package io.millrace;

import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.Step;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.Sink;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The results of a stage, or those of one of its side outputs. Functions on it run inside the stage, before its rows are
 * committed with its state: the rows of all outputs commit together.
 */
public final class StageStream<O> {
    private final StageBuilder stage;
    private final @Nullable OutputTag<?> sideOutput;
    private final List<Step> steps;

    StageStream(StageBuilder stage, List<Step> steps) {
        this(stage, null, steps);
    }

    private StageStream(StageBuilder stage, @Nullable OutputTag<?> sideOutput, List<Step> steps) {
        this.stage = stage;
        this.sideOutput = sideOutput;
        this.steps = List.copyOf(steps);
    }

    /**
     * The stage's identity, by which its state is found again: required, unique in the pipeline, never changed. 1 to 64
     * letters, digits, {@code _ . -}.
     *
     * @throws PipelineDefinitionException on a side output, which has no identity of its own
     */
    public StageStream<O> uid(String uid) {
        refuseOnSideOutput("uid");
        stage.uid(uid);
        return this;
    }

    /**
     * The stage's name for people. Default: its uid.
     *
     * @throws PipelineDefinitionException on a side output, which is a part of the stage
     */
    public StageStream<O> name(String name) {
        refuseOnSideOutput("name");
        stage.name(name);
        return this;
    }

    /**
     * What becomes of a record that the stage's functions throw at, those on its side outputs among them. Default:
     * {@link ErrorPolicy#fail()}.
     *
     * @throws PipelineDefinitionException on a side output, which commits with the stage and so shares its policy
     */
    public StageStream<O> errorPolicy(ErrorPolicy policy) {
        refuseOnSideOutput("errorPolicy");
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

    /**
     * The values that the stage's function puts out to a side output. They run through the functions on this stream and
     * to its sinks; without a sink they are dropped, as in Flink. It is the stage's side output wherever this is called:
     * behind a {@code map} or on another side output too, and several times for one tag.
     *
     * @throws PipelineDefinitionException if the stage has a tag of this id with another class
     */
    public <X> StageStream<X> getSideOutput(OutputTag<X> sideOutputTag) {
        stage.sideOutput(sideOutputTag);
        return new StageStream<>(stage, sideOutputTag, List.of());
    }

    /** Refuses the stage unless something is written of a side output. */
    void requireSink(OutputTag<?> lateOutput) {
        stage.requireSink(lateOutput);
    }

    /** Writes the results, in one transaction with the state that they came from. */
    @SuppressWarnings("unchecked")
    public StageStream<O> sinkTo(Sink<? super O> sink) {
        stage.output(new OutputPlan(sideOutput, steps, (DynamoDbSink<Object>) sink));
        return this;
    }

    private <R> StageStream<R> with(Step step) {
        List<Step> extended = new ArrayList<>(steps);
        extended.add(step);
        return new StageStream<>(stage, sideOutput, extended);
    }

    private void refuseOnSideOutput(String setting) {
        if (sideOutput != null) {
            throw PipelineDefinitionException.settingOnSideOutput(setting, sideOutput);
        }
    }
}
