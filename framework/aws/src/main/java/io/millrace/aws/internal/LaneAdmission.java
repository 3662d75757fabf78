package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Lane;

/**
 * Lets a batch begin when its lane is discovered and the lanes that it came of are finished: a child's records come behind
 * its parents' last ones, whatever an old mapping delivers. For one use by one thread.
 */
final class LaneAdmission {
    private final StageRuntime runtime;
    private final StageLanes lanes;
    private final BatchReport report;

    LaneAdmission(StageRuntime runtime, StageLanes lanes, BatchReport report) {
        this.runtime = runtime;
        this.lanes = lanes;
        this.report = report;
    }

    /**
     * Discovers the lane if it is unknown, and proves its parents finished.
     *
     * @throws io.millrace.aws.UnfinishedParentException if one of them is not
     */
    void admit(Lane lane, LaneSession session) {
        if (session.record().lineage().discovered() == null) {
            lanes.discover();
            session.readAgain();
        }
        if (session.record().lineage().openParents().isEmpty()) {
            return;
        }
        ShardList shards = lanes.shards();
        for (String parent : session.record().lineage().openParents()) {
            LaneEnding.Unfinished unfinished = runtime.rules.unfinished(lanes.ending(), parent, shards, report);
            if (unfinished != null) {
                report.add(Count.UNFINISHED_PARENTS, 1);
                throw ShellErrors.unfinishedParent(lane, unfinished.lane(), unfinished.cursor(), unfinished.tail());
            }
        }
        // Its own record has got the parents' watermark meanwhile.
        session.readAgain();
        session.update(record -> record.withLineage(record.lineage().withParentsFinished()));
    }
}
