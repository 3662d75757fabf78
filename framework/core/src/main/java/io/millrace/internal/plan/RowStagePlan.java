package io.millrace.internal.plan;

import io.millrace.ErrorPolicy;
import java.util.List;

/**
 * A stage without state: a source, stateless steps, and sinks, whose rows carry their own fences.
 *
 * @param topology the fingerprint of all that decides which rows a record changes
 */
public record RowStagePlan(
        String uid,
        String name,
        SourcePlan source,
        List<Step> steps,
        ErrorPolicy errorPolicy,
        List<OutputPlan> outputs,
        String topology)
        implements StagePlan {}
