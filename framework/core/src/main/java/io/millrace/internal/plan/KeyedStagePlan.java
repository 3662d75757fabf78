package io.millrace.internal.plan;

import io.millrace.ErrorPolicy;
import io.millrace.KeySelector;
import io.millrace.KeyedProcessFunction;
import io.millrace.serde.KeyCodec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stage with state: a source, stateless steps, a key, a function with state, and sinks.
 *
 * @param eventTime where elements get their event time; null if it is their arrival and there are no watermarks
 * @param deduplication how elements that producers repeat are dropped before the function; null if they are not
 * @param topology the fingerprint of all that comes before the state
 */
public record KeyedStagePlan(
        String uid,
        String name,
        SourcePlan source,
        List<Step> steps,
        @Nullable EventTimePlan eventTime,
        KeySelector<Object, Object> keySelector,
        KeyCodec<Object> keyCodec,
        @Nullable Deduplication deduplication,
        KeyedProcessFunction<Object, Object, Object> function,
        ErrorPolicy errorPolicy,
        List<OutputPlan> outputs,
        String topology)
        implements StagePlan {}
