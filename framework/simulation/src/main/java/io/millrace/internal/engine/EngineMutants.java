package io.millrace.internal.engine;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Engines that break one rule of the protocol each. A comment says which interleaving makes the result wrong. Some
 * remember what they met, so each function instance gets rules of its own.
 */
public final class EngineMutants {
    private EngineMutants() {}

    /** The fence is never raised. Wrong when a record is delivered again whose cell is committed and whose lane is not. */
    public static EngineRules fenceNotRaised() {
        return new EngineRules() {
            @Override
            Fence raised(Fence fence, Lane lane, Position last) {
                return fence;
            }
        };
    }

    /**
     * The fence is raised and not looked at. Wrong when a batch that is delivered again begins with records whose cell is
     * committed and goes on with some behind the fence: the former are absorbed once more.
     */
    public static EngineRules fenceNotConsulted() {
        return new EngineRules() {
            @Override
            boolean isAbsorbed(Fence fence, Lane lane, Position position) {
                return false;
            }

            @Override
            Fence raised(Fence fence, Lane lane, Position last) {
                return fence.covers(lane, last) ? fence : fence.raisedTo(lane, last);
            }
        };
    }

    /**
     * The fence knows Kinesis records only. Wrong when a unit ends inside an aggregate: the user records behind it count as
     * absorbed, and are lost.
     */
    public static EngineRules fenceWithoutSubSequence() {
        return new EngineRules() {
            @Override
            boolean isAbsorbed(Fence fence, Lane lane, Position position) {
                Position highest = fence.at(lane);
                return highest != null && highest.sequenceNumber().compareTo(position.sequenceNumber()) >= 0;
            }
        };
    }

    /** A redrive asks the fence. Wrong always: the fence has passed each record that was given up with its cell. */
    public static EngineRules fenceAskedByRedrive() {
        return new EngineRules() {
            @Override
            boolean mayAbsorb(Cell cell, Redrive redrive) {
                return !cell.fence().covers(redrive.lane(), redrive.input().position());
            }
        };
    }

    /**
     * Positions are compared as strings. Wrong when a sequence number has more digits than the one before it: "10" counts
     * as absorbed behind "9", and is lost.
     */
    public static EngineRules fenceComparedAsStrings() {
        return new EngineRules() {
            @Override
            boolean isAbsorbed(Fence fence, Lane lane, Position position) {
                Position highest = fence.at(lane);
                return highest != null && highest.toString().compareTo(position.toString()) >= 0;
            }

            @Override
            Fence raised(Fence fence, Lane lane, Position last) {
                return fence.covers(lane, last) ? fence : fence.raisedTo(lane, last);
            }
        };
    }

    /** A cell has one fence for all lanes. Wrong when two lanes write a key: what the one behind brings is lost. */
    public static EngineRules fenceWithoutLane() {
        return new EngineRules() {
            @Override
            boolean isAbsorbed(Fence fence, Lane lane, Position position) {
                return fence.positions().values().stream().anyMatch(highest -> highest.compareTo(position) >= 0);
            }
        };
    }

    /**
     * A unit drops the fence's entries of other lanes. Wrong when a lane commits a cell and dies before its cursor, another
     * lane writes the cell, and the first one's batch is delivered again.
     */
    public static EngineRules fenceEntriesDropped() {
        return new EngineRules() {
            @Override
            Fence raised(Fence fence, Lane lane, Position last) {
                return Fence.of(Map.of(lane.fenceName(), last));
            }
        };
    }

    /**
     * The fence is raised to the highest record that was met instead of the last one absorbed. Wrong when a record throws:
     * the records before it are committed with a fence that covers it, and it is never run again.
     */
    public static EngineRules fenceRaisedToWhatWasMet() {
        Map<Lane, Position> met = new ConcurrentHashMap<>();
        return new EngineRules() {
            @Override
            boolean isAbsorbed(Fence fence, Lane lane, Position position) {
                met.merge(lane, position, EngineMutants::higher);
                return fence.covers(lane, position);
            }

            @Override
            Fence raised(Fence fence, Lane lane, Position last) {
                Position highest = higher(last, met.getOrDefault(lane, last));
                return fence.covers(lane, highest) ? fence : fence.raisedTo(lane, highest);
            }
        };
    }

    private static Position higher(Position one, Position other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /**
     * A version is a counter. Wrong when a writer has read a cell, its time to live takes it, another lane makes it anew
     * and comes to the same number, and the first one commits: what the other lane wrote is overwritten.
     */
    public static EngineRules versionAsCounter() {
        return new EngineRules() {
            @Override
            String version(Cell before, Supplier<String> nonces) {
                return before.version() == null ? "1" : Long.toString(Long.parseLong(before.version()) + 1);
            }
        };
    }

    /**
     * What is in memory of a cell is kept as long as its version stands. Wrong when a record throws: what it changed, and
     * the records before it did, is there when they run again, and is committed.
     */
    public static EngineRules uncommittedContentKept() {
        record Content(@Nullable String version, Map<String, LiveState.Content> states) {}
        Map<CellKey, Content> kept = new ConcurrentHashMap<>();
        return new EngineRules() {
            @Override
            Map<String, LiveState.Content> contents(Cell cell, StateRegistry registry) {
                return kept.compute(
                                cell.key(),
                                (key, before) -> before != null && Objects.equals(before.version(), cell.version())
                                        ? before
                                        : new Content(cell.version(), registry.load(cell)))
                        .states();
            }
        };
    }

    /** A record that is given up meets user code once more. Wrong when it throws again, or kills the process: no end. */
    public static EngineRules condemnedRecordRun() {
        return new EngineRules() {
            @Override
            @Nullable
            DeadLetter deadLetter(Condemned condemned, Lane lane, InputRecord record, String key) {
                return null;
            }
        };
    }

    /**
     * What is late is decided on the watermark that the invocation saw, not the cell's. Wrong when another invocation has
     * seen a higher one and fired the window: it is made once more, with what comes late.
     */
    public static EngineRules lateByTheStageAlone() {
        return new EngineRules() {
            @Override
            long watermarkOf(CellTime cell, StageTime now) {
                return now.watermark();
            }
        };
    }

    /** A cell has the watermark of who wrote it last. Wrong when that was behind: what is late is taken as on time. */
    public static EngineRules cellWatermarkSetBack() {
        return new EngineRules() {
            @Override
            long cellWatermark(CellTime before, StageTime now) {
                return now.watermark();
            }
        };
    }

    /** A timer stays when it has fired. Wrong always: it fires again at each visit. */
    public static EngineRules timerFiredTwice() {
        return new EngineRules() {
            @Override
            void fired(Segment segment, Timer timer) {}
        };
    }
}
