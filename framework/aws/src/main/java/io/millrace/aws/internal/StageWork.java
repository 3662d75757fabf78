package io.millrace.aws.internal;

import io.millrace.internal.engine.Condemned;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.plan.StagePlan;

/** What differs between a stage with state and one without: how its records run, and what is written. */
sealed interface StageWork permits KeyedWork, RowWork {
    /** The stage. */
    StagePlan plan();

    /** Whether a record that is given up lies in its cells' transactions. */
    boolean hasCells();

    /**
     * A round over records of a lane that are not routed yet.
     *
     * @param time the time that the invocation sees
     */
    Round newRound(Lane lane, long generation, StageTime time, Condemned condemned);
}
