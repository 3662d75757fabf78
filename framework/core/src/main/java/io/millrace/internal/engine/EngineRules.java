package io.millrace.internal.engine;

import io.millrace.internal.item.Row;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the protocol page that the engine follows, each a method, so that a simulation can show what follows
 * when one of them is broken. Nothing that is deployed follows others. Thread-safe.
 */
public class EngineRules {
    /** The protocol's own rules. */
    public static final EngineRules PROTOCOL = new EngineRules();

    EngineRules() {}

    /** A cell has absorbed a record of a lane if its fence's entry of that lane is at or above the record's position. */
    boolean isAbsorbed(Fence fence, Lane lane, Position position) {
        return fence.covers(lane, position);
    }

    /** A unit raises its lane's entry of the fence to its last record, and keeps all others as they are. */
    Fence raised(Fence fence, Lane lane, Position last) {
        return fence.raisedTo(lane, last);
    }

    /** A cell's version is a nonce: no two writes ever have the same, whatever became of the cell between them. */
    String version(Cell before, Supplier<String> nonces) {
        return nonces.get();
    }

    /** Each run over a cell begins with what is committed of it: nothing that was not committed is ever kept. */
    Map<String, LiveState.Content> contents(Cell cell, StateRegistry registry) {
        return registry.load(cell);
    }

    /** A condemned part of a record becomes its dead letter and meets no user code; null for one that may run. */
    @Nullable
    DeadLetter deadLetter(Condemned condemned, Lane lane, InputRecord record, String key) {
        return condemned.deadLetter(lane, record, key);
    }

    /** A cell's watermark is the highest one at which its timers have fired: it never goes back. */
    long cellWatermark(CellTime before, StageTime now) {
        return Math.max(before.watermark(), now.watermark());
    }

    /** The watermark by which lateness is judged: the stage's, or the cell's, if another lane's invocation was ahead. */
    long watermarkOf(CellTime cell, StageTime now) {
        return Math.max(cell.watermark(), now.watermark());
    }

    /** The timers that fire before a cell absorbs its first record of a run. */
    List<Timer> due(CellTime cell, StageTime now) {
        return cell.due(now);
    }

    /** A timer goes when it fires. */
    void fired(Segment segment, Timer timer) {
        segment.delete(timer);
    }

    /** Several changes of one row in a unit come to one, in their order. */
    Row merged(Row earlier, Row later) {
        return earlier.followedBy(later);
    }

    /** A row of a stage without state keeps an entry for each lane, like a cell, and raises its own only. */
    Fence rowFence(Fence before, Lane lane, Position last) {
        return before.raisedTo(lane, last);
    }

    /** A row's version is a nonce, like a cell's. */
    String rowVersion(StoredRow before, Supplier<String> nonces) {
        return nonces.get();
    }

    /**
     * A row's fence counts for the generation that wrote it: a later one begins at its own cut, and writes again what an
     * abandoned timeline wrote.
     */
    boolean isFenceCounted(long writtenBy, long generation) {
        return writtenBy == generation;
    }

    /**
     * A cell absorbs a redrive whatever its fence covers: it covers each record that was given up with it. Only a restored cell can
     * have absorbed a redrive whose dead letter is open: it was read behind that, and others of the same letter before.
     */
    boolean mayAbsorb(Cell cell, Redrive redrive) {
        return !cell.redrives().expiries().containsKey(redrive.id());
    }

    /** A redrive is no lane's: the cell's fence stays as it is, whatever the position. */
    Fence fenceAfterRedrive(Fence fence, Redrive redrive) {
        return fence;
    }

    /** A cell keeps the ids of the redrives that it has absorbed. */
    DoneRedrives redrivesAfter(DoneRedrives before, Redrive redrive) {
        return before.with(redrive);
    }
}
