package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.LaneTime;
import io.millrace.internal.engine.Unit;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shells that break one rule each of event time, sweeps, and lanes that come and go. A comment says which interleaving
 * makes the result wrong.
 */
public final class TimeMutants {
    private TimeMutants() {}

    /** What is late is decided on the own lane's watermark. Wrong when another lane is behind: windows close before it. */
    public static ShellRules lateByItsOwnLane() {
        return new ShellRules() {
            @Override
            long watermark(LaneRecord own, long ofStage) {
                return own.time().watermark();
            }
        };
    }

    /**
     * A lane's watermark is stored before its records are committed. Wrong when they are not, for whatever reason: windows
     * close that they belong to.
     */
    public static ShellRules watermarkBeforeCommits() {
        return new ShellRules() {
            @Override
            void beforeCommits(LaneSession session, long watermark) {
                session.update(lane -> lane.withWatermark(watermark));
            }
        };
    }

    /** A unit of timers is written whatever its cell's version is. Wrong when a record comes between: it is lost. */
    public static ShellRules sweepWithoutVersion() {
        return new ShellRules() {
            @Override
            CellCondition timersCondition(Unit unit) {
                return CellCondition.always();
            }
        };
    }

    /** A lane counts when it has spoken. Wrong when it speaks late: the others' windows are closed, and its records lost. */
    public static ShellRules silentLaneForgotten() {
        return new ShellRules() {
            @Override
            boolean counts(LaneView view, LaneRecord lane) {
                return lane.cursor() != null && super.counts(view, lane);
            }
        };
    }

    /** A lane is idle when nothing was committed of it for a while. Wrong when it is behind: its records are late. */
    public static ShellRules idleBySilence() {
        return new ShellRules() {
            @Override
            boolean isIdle(LaneRecord lane, @Nullable Instant provenEmptyAt, Instant now, Duration timeout) {
                return isSilent(lane, now, timeout);
            }
        };
    }

    /**
     * An idle lane does not count, until it has a record again; its own watermark stays. Wrong when it wakes: the stage's
     * watermark goes back. The flag is the watermark that takes no part in a minimum.
     */
    public static ShellRules idleAsFlag() {
        return new ShellRules() {
            @Override
            LaneRecord idled(LaneRecord lane, long watermark) {
                return lane.withWatermark(WatermarkStrategy.END_OF_INPUT);
            }

            @Override
            LaneRecord advanced(LaneRecord lane, InputRecord last, long watermark) {
                LaneTime ofData = new LaneTime(lane.time().ofData(), lane.time().ofData());
                LaneRecord awake = new LaneRecord(
                        lane.version(),
                        lane.cursor(),
                        lane.lastArrival(),
                        lane.batch(),
                        lane.alone(),
                        ofData,
                        lane.lineage());
                return super.advanced(awake, last, watermark);
            }
        };
    }

    /** A lane is marked as finished before its children have records. Wrong when the process dies between: they are forgotten. */
    public static ShellRules finishedBeforeChildren() {
        return new ShellRules() {
            @Override
            boolean finish(Runnable prepareChildren, BooleanSupplier markFinished) {
                boolean isMarked = markFinished.getAsBoolean();
                prepareChildren.run();
                return isMarked;
            }
        };
    }

    /** A child's batch proves that its parents are finished. Wrong when it is an old one's: order is lost. */
    public static ShellRules childTakenAtItsWord() {
        return new ShellRules() {
            @Override
            LaneEnding.@Nullable Unfinished unfinished(
                    LaneEnding ending, String parent, ShardList shards, BatchReport report) {
                return null;
            }
        };
    }

    /** A closed shard's lane is finished, whatever the stream holds behind its cursor. Wrong when it holds something. */
    public static ShellRules finishedWithoutProof() {
        return new ShellRules() {
            @Override
            boolean isFinished(LaneTail tail) {
                return true;
            }
        };
    }

    /** Whatever lanes have records are all lanes. Wrong when who makes the records dies before the last one. */
    public static ShellRules lanesTakenAsComplete() {
        return new ShellRules() {
            @Override
            boolean isComplete(@Nullable Set<String> complete, Set<String> shardIds) {
                return true;
            }
        };
    }
}
