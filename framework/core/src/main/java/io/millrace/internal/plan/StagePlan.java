package io.millrace.internal.plan;

import io.millrace.ErrorPolicy;
import java.util.List;

/** One stage, which runs as one Lambda function: with state by key, or without. */
public sealed interface StagePlan permits KeyedStagePlan, RowStagePlan {
    /** The stage's identity. */
    String uid();

    /** The stage's name for people. */
    String name();

    /** What it reads. */
    SourcePlan source();

    /** The stateless steps before its key or its rows. */
    List<Step> steps();

    /** What becomes of a record that fails. */
    ErrorPolicy errorPolicy();

    /** Where its results go. */
    List<OutputPlan> outputs();

    /** The fingerprint of what decides under which key, or in which rows, a record is fenced. */
    String topology();
}
