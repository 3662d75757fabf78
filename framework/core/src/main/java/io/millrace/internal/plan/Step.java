package io.millrace.internal.plan;

import io.millrace.Collector;
import io.millrace.FilterFunction;
import io.millrace.FlatMapFunction;
import io.millrace.MapFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A stateless step: one element in, none, one or many out. */
public sealed interface Step {
    /** Runs the step over one element. */
    void apply(Object element, Collector<Object> out) throws Exception;

    /** The user's function. */
    Object function();

    /** Runs an element through steps, one after the other. */
    static void applyAll(List<Step> steps, Object element, Collector<Object> out) throws Exception {
        if (steps.isEmpty()) {
            out.collect(element);
            return;
        }
        List<Step> rest = steps.subList(1, steps.size());
        List<Object> results = new ArrayList<>(1);
        steps.get(0).apply(element, result -> results.add(Objects.requireNonNull(result, "a null element")));
        for (Object result : results) {
            applyAll(rest, result, out);
        }
    }

    /** One to one. */
    record Map(MapFunction<Object, Object> function) implements Step {
        @Override
        public void apply(Object element, Collector<Object> out) throws Exception {
            out.collect(
                    Objects.requireNonNull(function.map(element), "map returned null; use filter to drop elements"));
        }
    }

    /** One to one or none. */
    record Filter(FilterFunction<Object> function) implements Step {
        @Override
        public void apply(Object element, Collector<Object> out) throws Exception {
            if (function.filter(element)) {
                out.collect(element);
            }
        }
    }

    /** One to any number. */
    record FlatMap(FlatMapFunction<Object, Object> function) implements Step {
        @Override
        public void apply(Object element, Collector<Object> out) throws Exception {
            function.flatMap(element, out);
        }
    }
}
