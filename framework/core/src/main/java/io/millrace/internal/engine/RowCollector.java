package io.millrace.internal.engine;

import io.millrace.Collector;
import io.millrace.OutputTag;
import io.millrace.internal.item.Row;
import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes rows of what the function puts out during one run, to its main output or to side outputs. It makes them at once,
 * since the function may change an object after it was put out. What a step or a sink throws is kept until
 * {@link #rows}, so that the function cannot swallow it and lose a result.
 */
final class RowCollector implements Collector<Object> {
    private final List<OutputPlan> outputs;
    private final List<Row> rows = new ArrayList<>();
    private @Nullable Throwable failure;
    private boolean closed;

    RowCollector(List<OutputPlan> outputs) {
        this.outputs = outputs;
    }

    @Override
    public void collect(Object result) {
        if (closed) {
            throw new IllegalStateException("The collector is used after the call that it was passed to, so its results"
                    + " would be lost. Collect only during processElement and onTimer.");
        }
        Objects.requireNonNull(result, "the function put out a null");
        put(null, result);
    }

    /** Collects a value of a side output; dropped if no sink listens to it. */
    void collect(OutputTag<?> tag, Object value) {
        Objects.requireNonNull(value, () -> "the function put out a null to the side output '" + tag.getId() + "'");
        if (!tag.getType().isInstance(value)) {
            throw new IllegalArgumentException("A " + value.getClass().getName() + " is put out to the side output '"
                    + tag.getId() + "', whose tag is of class " + tag.getType().getName()
                    + ". Put out what the tag says, or make the tag of another class.");
        }
        put(tag, value);
    }

    private void put(@Nullable OutputTag<?> tag, Object value) {
        if (failure != null) {
            return;
        }
        try {
            for (OutputPlan output : outputs) {
                if (Objects.equals(output.sideOutput(), tag)) {
                    checkClass(output.sideOutput(), tag);
                    Step.applyAll(
                            output.steps(),
                            value,
                            element -> rows.add(output.sink().row(element)));
                }
            }
        } catch (Exception | StackOverflowError e) {
            failure = e;
        }
    }

    /** The steps behind a side output were written for the class of the pipeline's tag. */
    private static void checkClass(@Nullable OutputTag<?> ofPipeline, @Nullable OutputTag<?> ofFunction) {
        if (ofPipeline != null && ofFunction != null && ofPipeline.getType() != ofFunction.getType()) {
            throw new IllegalArgumentException("The side output '" + ofFunction.getId() + "' is of class "
                    + ofPipeline.getType().getName() + " where the pipeline gets it, and of class "
                    + ofFunction.getType().getName()
                    + " where the function puts out to it. Use one tag object in both places.");
        }
    }

    /** The rows of all results. */
    List<Row> rows() throws Throwable {
        if (failure != null) {
            throw failure;
        }
        return rows;
    }

    /** Refuses all further results. */
    void close() {
        closed = true;
    }
}
