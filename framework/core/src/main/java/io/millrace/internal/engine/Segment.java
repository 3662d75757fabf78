package io.millrace.internal.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.Row;
import io.millrace.internal.item.UnacceptableException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A unit while it grows: a cell's content and timers, and what the timers and records run over it have put out. */
final class Segment {
    /** What a transaction has left for rows beside the largest cell. */
    static final int ROWS_BYTES_MAX = ItemSize.TRANSACTION_BYTES_MAX - ItemSize.ITEM_BYTES_MAX;

    /** What records leave free of a cell, some 100 fence entries, so that a dead letter can move the fence of any. */
    static final int FENCE_BYTES_RESERVED = 4 * 1024;

    private final EngineRules rules;
    private final String stream;
    private final @Nullable Lane lane;
    private final Cell base;
    private final StageTime time;
    private final Map<String, LiveState.Content> contents;
    private final SortedMap<Timer, Integer> timers;
    private final List<Work> works = new ArrayList<>();
    private final Map<Row.Identity, Row> rows = new LinkedHashMap<>();
    private final Set<Row.Identity> overgrown = new HashSet<>();
    private final List<DeadLetter> deadLetters = new ArrayList<>();
    private @Nullable InputRecord last;
    private int rowsBytes;
    private int late;

    /** @param lane the lane whose records run; null if only timers do */
    Segment(
            EngineRules rules,
            String stream,
            @Nullable Lane lane,
            Cell base,
            StageTime time,
            Map<String, LiveState.Content> contents) {
        this.rules = rules;
        this.stream = stream;
        this.lane = lane;
        this.base = base;
        this.time = time;
        this.timers = CellTime.copyOf(base.time().timers());
        this.contents = contents;
    }

    Cell base() {
        return base;
    }

    Map<String, LiveState.Content> contents() {
        return contents;
    }

    StageTime time() {
        return time;
    }

    /** The watermark by which elements are late. */
    long watermark() {
        return rules.watermarkOf(base.time(), time);
    }

    List<Work> works() {
        return works;
    }

    boolean isEmpty() {
        return works.isEmpty();
    }

    boolean covers(Position position) {
        return rules.isAbsorbed(base.fence(), Objects.requireNonNull(lane), position)
                || (last != null && last.position().compareTo(position) >= 0);
    }

    void register(Timer timer) {
        timers.putIfAbsent(timer, 0);
    }

    void delete(Timer timer) {
        timers.remove(timer);
    }

    boolean hasTimer(Timer timer) {
        return timers.containsKey(timer);
    }

    void countLate() {
        late++;
    }

    private void note(Work work) {
        works.add(work);
        if (work instanceof Work.OfRecord record) {
            last = record.input();
        }
    }

    void add(Work work, List<Row> newRows) {
        note(work);
        for (Row row : newRows) {
            Row.Identity identity = row.identity();
            Row before = rows.get(identity);
            Row merged = before == null ? row : rules.merged(before, row);
            rows.put(identity, merged);
            rowsBytes += merged.size() - (before == null ? 0 : before.size());
            if (merged.fits()) {
                overgrown.remove(identity);
            } else {
                overgrown.add(identity);
            }
        }
    }

    void add(InputRecord record, DeadLetter deadLetter) {
        note(new Work.OfRecord(record));
        deadLetters.add(deadLetter);
        rowsBytes += deadLetter.size();
    }

    /** Whether one transaction can take it, however large the cell has become, and no row has grown over its limits. */
    boolean fitsTransaction() {
        return overgrown.isEmpty()
                && 1 + rows.size() + deadLetters.size() <= Unit.ACTIONS_MAX
                && rowsBytes <= ROWS_BYTES_MAX;
    }

    /**
     * The unit of all records so far.
     *
     * @throws UnacceptableException if DynamoDB cannot take it
     */
    Unit seal(StateRegistry registry, String version) {
        if (lane == null || last == null) {
            return seal(registry, version, base.fence(), base.redrives(), null);
        }
        Fence fence = rules.raised(base.fence(), lane, last.position());
        return seal(registry, version, fence, base.redrives(), new Unit.Progress(lane, last.position()));
    }

    /**
     * The unit of a redriven record.
     *
     * @throws UnacceptableException if DynamoDB cannot take it
     */
    Unit sealRedriven(StateRegistry registry, String version, Redrive redrive) {
        return seal(
                registry,
                version,
                rules.fenceAfterRedrive(base.fence(), redrive),
                rules.redrivesAfter(base.redrives(), redrive),
                null);
    }

    private List<Timer> firedTimers() {
        return works.stream()
                .filter(Work.OfTimer.class::isInstance)
                .map(work -> ((Work.OfTimer) work).timer())
                .toList();
    }

    private CellTime timeAfter() {
        return new CellTime(timers, rules.cellWatermark(base.time(), time));
    }

    private Unit seal(
            StateRegistry registry,
            String version,
            Fence fence,
            DoneRedrives redrives,
            Unit.@Nullable Progress progress) {
        boolean onlyDeadLetters = deadLetters.size() == works.size();
        Cell after = onlyDeadLetters
                ? base.withFence(version, fence)
                : new Cell(base.key(), version, fence, registry.store(base, contents), redrives, timeAfter(), null);
        ObjectNode item = CellItems.toItem(after);
        if (!onlyDeadLetters) {
            after = CellItems.compressedIfCheaper(after, item);
            if (after.compressed() != null) {
                item.put(CellItems.STATE, after.compressed());
            }
        }
        int bytes = CellItems.size(item);
        int bytesMax = ItemSize.ITEM_BYTES_MAX - (onlyDeadLetters ? 0 : FENCE_BYTES_RESERVED);
        if (bytes > bytesMax) {
            throw new UnacceptableException(
                    "The state of one key of stage '" + base.key().stage() + "' would take "
                            + bytes + " bytes; " + bytesMax + " are allowed, since DynamoDB takes "
                            + ItemSize.ITEM_BYTES_MAX + " an item. That is after compression, where it helps and the"
                            + " state has no more than " + CompressedStates.INFLATED_BYTES_MAX
                            + " bytes before. Keep less a key, or divide the key.");
        }
        rows.values().forEach(Row::checkFits);
        if (!fitsTransaction()) {
            throw new UnacceptableException("One record or timer puts out " + rows.size() + " rows of " + rowsBytes
                    + " bytes; a DynamoDB transaction takes " + (Unit.ACTIONS_MAX - 1) + " rows of " + ROWS_BYTES_MAX
                    + " bytes beside the state. Put out less at once.");
        }
        return new Unit(
                stream,
                progress,
                base,
                after,
                item,
                after.time().timers().isEmpty() ? registry.expiry(after.states()) : null,
                (int) works.stream().filter(Work.OfRecord.class::isInstance).count(),
                firedTimers(),
                late,
                SeenIds.repetitions(contents),
                List.copyOf(rows.values()),
                List.copyOf(deadLetters));
    }
}
