package io.millrace.aws.internal.checkpoint;

import io.millrace.MillraceException;
import io.millrace.TimeDomain;
import io.millrace.aws.internal.DeadLetterId;
import io.millrace.aws.internal.Items;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.Redrive;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.engine.TimerItems;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Decides which dead letters belong to restored cells: those that the cells account for. The others come again when their
 * records are replayed. Pure, but for the cells that it asks for.
 */
final class RestoredLetters {
    private static final String GAP = "GAP";
    private static final String TIMER = "TIMER_THREW";
    private static final String OPEN = "open";
    private static final String DONE = "done";

    /** What a letter has only once it is closed. */
    private static final List<String> OF_CLOSED = List.of("closed", "ttl");

    private final Map<String, Map<String, LaneRecord>> lanesByStage;
    private final List<String> sources;
    private final BiFunction<String, String, Cell> cells;

    /**
     * @param lanesByStage the cut
     * @param cells the restored cell of a stage and key
     */
    RestoredLetters(
            Map<String, Map<String, LaneRecord>> lanesByStage,
            List<String> sources,
            BiFunction<String, String, Cell> cells) {
        this.lanesByStage = lanesByStage;
        this.sources = sources;
        this.cells = cells;
    }

    /** A letter as it is restored, still under its old key; empty if the cells do not account for it. */
    Optional<Map<String, AttributeValue>> restored(Map<String, AttributeValue> item) {
        DeadLetterId id = DeadLetterId.ofItem(item);
        AttributeValue key = item.get("key");
        String kind = text(item, "kind");
        if (key == null || kind.equals(GAP)) {
            return isCut(id) ? Optional.of(kind.equals(GAP) ? item : opened(item)) : Optional.empty();
        }
        Cell cell = cells.apply(id.stage(), key.s());
        if (kind.equals(TIMER)) {
            return isGone(timer(id, item), cell) ? Optional.of(opened(item)) : Optional.empty();
        }
        Lane lane = Lane.named(id.lane(), sources);
        if (!cell.fence().covers(lane, id.position())) {
            return Optional.empty();
        }
        return Optional.of(isRedriven(cell, lane, id.position(), key.s()) ? item : opened(item));
    }

    private boolean isCut(DeadLetterId id) {
        LaneRecord lane = lanesByStage.getOrDefault(id.stage(), Map.of()).get(id.lane());
        return lane != null && lane.covers(id.position());
    }

    private static boolean isRedriven(Cell cell, Lane lane, Position position, String key) {
        InputRecord record = new InputRecord(position, new byte[0], Instant.EPOCH);
        return cell.redrives().expiries().containsKey(new Redrive(lane, record, key, Instant.EPOCH).id());
    }

    /** A letter that was dropped stays so; one whose redrive the cells do not know is open again. */
    private static Map<String, AttributeValue> opened(Map<String, AttributeValue> item) {
        if (!text(item, "status").equals(DONE)) {
            return item;
        }
        Map<String, AttributeValue> opened = new HashMap<>(item);
        OF_CLOSED.forEach(opened::remove);
        opened.put("status", AttributeValue.fromS(OPEN));
        return opened;
    }

    private static Timer timer(DeadLetterId id, Map<String, AttributeValue> item) {
        String text = Objects.requireNonNull(item.get("payload"), "payload").b().asString(StandardCharsets.UTF_8);
        try {
            return TimerItems.parse(text);
        } catch (IOException e) {
            throw new MillraceException("The dead letter " + id + " is of a timer, but its payload is none.", e);
        }
    }

    /**
     * Whether a cell has given its timer up. One of event time that lies ahead of the cell's watermark is not registered yet. By
     * the clock nothing tells these two apart: then it is kept, since a timer too many is better than one too few.
     */
    private static boolean isGone(Timer timer, Cell cell) {
        boolean isThere = cell.time().timers().containsKey(timer);
        return !isThere
                && (timer.domain() == TimeDomain.PROCESSING_TIME || cell.time().watermark() >= timer.time());
    }

    private static String text(Map<String, AttributeValue> item, String name) {
        return Items.required(item, name).s();
    }
}
