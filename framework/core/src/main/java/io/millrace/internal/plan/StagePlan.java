package io.millrace.internal.plan;

import io.millrace.ErrorPolicy;
import io.millrace.KeySelector;
import io.millrace.KeyedProcessFunction;
import io.millrace.serde.KeyCodec;
import java.util.List;

/**
 * One stage: a source, stateless steps, a key, a function with state, and sinks. It runs as one Lambda function.
 *
 * @param topology the fingerprint of all that comes before the state
 */
public record StagePlan(
        String uid,
        String name,
        SourcePlan source,
        List<Step> stepsBeforeKey,
        KeySelector<Object, Object> keySelector,
        KeyCodec<Object> keyCodec,
        KeyedProcessFunction<Object, Object, Object> function,
        ErrorPolicy errorPolicy,
        List<OutputPlan> outputs,
        String topology) {}
