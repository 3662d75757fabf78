package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.Row;
import io.millrace.internal.item.UnacceptableException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How a growing unit counts what its transaction will take. */
class SegmentTest {
    private static final int ROW_BYTES = Segment.ROWS_BYTES_MAX / 10;
    private static final int REST_BYTES = Segment.ROWS_BYTES_MAX - 9 * ROW_BYTES;

    private final Segment segment = newSegment(Cell.absent(CellStore.key("a")));

    private static Segment newSegment(Cell cell) {
        StageTime time = StageTime.withoutWatermark(Instant.EPOCH);
        return new Segment(EngineRules.PROTOCOL, "events", EngineHarness.LANE, cell, time, Map.of());
    }

    private static Row row(String id, int bytes) {
        Row.Key key = new Row.Key("id", Row.KeyType.STRING);
        ObjectNode attributes =
                JsonNodeFactory.instance.objectNode().put("id", id).put("text", "");
        int room = bytes - Row.of("rows", key, null, attributes).size();
        return Row.of("rows", key, null, attributes.put("text", "x".repeat(room)));
    }

    private void add(Row row) {
        int position = segment.works().size() + 1;
        segment.add(new Work.OfRecord(EngineHarness.record(position, new byte[0])), List.of(row));
    }

    private void fill() {
        for (int i = 1; i <= 9; i++) {
            add(row("row" + i, ROW_BYTES));
        }
    }

    @Test
    void rowsMayFillATransactionToTheLastByte() {
        fill();
        add(row("last", REST_BYTES));
        assertThat(segment.fitsTransaction()).isTrue();

        add(row("last", REST_BYTES + 1));
        assertThat(segment.fitsTransaction()).isFalse();
    }

    /** Dead letters alone, since they must be able to move the fence of a cell that records may not fill. */
    @Test
    void deadLettersMayFillACellToTheLastByte() {
        int room = 400 * 1024 - CellItems.size(sealedOverState(0).item());

        assertThat(CellItems.size(sealedOverState(room).item())).isEqualTo(400 * 1024);
        assertThatThrownBy(() -> sealedOverState(room + 1))
                .isInstanceOf(UnacceptableException.class)
                .hasMessageContaining("would take 409601 bytes; 409600 are allowed");
    }

    private static Unit sealedOverState(int bytes) {
        Cell cell = new Cell(
                CellStore.key("a"),
                "v1",
                Fence.EMPTY,
                Map.of("state", new StoredState.Value(Ledger.randomBytes(bytes), false)));
        InputRecord record = EngineHarness.record(1, new byte[0]);
        Segment segment = newSegment(cell);
        segment.add(
                record, new DeadLetter(EngineHarness.LANE, record, "a", RecordFailure.Kind.PROCESS_KILLED, "error", 1));
        return segment.seal(new StateRegistry("ledger"), "v2");
    }

    @Test
    void rowThatReplacesAnotherTakesItsPlaceAndNoMore() {
        fill();
        for (int i = 0; i < 20; i++) {
            add(row("last", REST_BYTES - i));
        }
        assertThat(segment.fitsTransaction()).isTrue();
    }
}
