package io.millrace.internal.engine;

import io.millrace.Collector;
import io.millrace.internal.item.Row;
import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes rows of what the function puts out during one run. It makes them at once, since the function may change an
 * object after it was put out. What a step or a sink throws is kept until {@link #rows}, so that the function cannot
 * swallow it and lose a result.
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
                    + " would be lost. Collect only during processElement.");
        }
        Objects.requireNonNull(result, "the function put out a null");
        if (failure != null) {
            return;
        }
        try {
            for (OutputPlan output : outputs) {
                Step.applyAll(
                        output.steps(),
                        result,
                        element -> rows.add(output.sink().row(element)));
            }
        } catch (Exception | StackOverflowError e) {
            failure = e;
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
