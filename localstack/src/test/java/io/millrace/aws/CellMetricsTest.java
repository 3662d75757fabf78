package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.BatchReport.Maximum;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.item.ItemSize;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.LoggingEvent;

/** What an invocation reports of the cells that it wrote. */
class CellMetricsTest {
    private static int fenceBytes(ObjectNode cell) {
        return ItemSize.of(cell) - ItemSize.of(cell.deepCopy().without("fence"));
    }

    @Test
    void theLargestCellAndTheLargestFenceOfABatchAreReported() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 3)) {
            for (int shard = 0; shard < 3; shard++) {
                fixture.put(shard, event("everywhere", 1), event("a-key-that-is-somewhat-longer-than-that", 2));
                fixture.process(shard, 0, shard < 2 ? 1 : 2);
            }
            List<ObjectNode> cells = fixture.scan("counting-state");

            assertThat(fixture.lastReport().get(Maximum.CELL_BYTES))
                    .isEqualTo(cells.stream().mapToInt(ItemSize::of).max().orElseThrow());
            assertThat(fixture.lastReport().get(Maximum.FENCE_BYTES))
                    .isEqualTo(cells.stream()
                            .mapToInt(CellMetricsTest::fenceBytes)
                            .max()
                            .orElseThrow())
                    .isGreaterThan(3 * 10);
            assertThat(fixture.lastReport().get(Count.LARGE_CELLS)).isZero();

            fixture.process(2, 0, 2);
            assertThat(fixture.lastReport().get(Maximum.CELL_BYTES))
                    .as("nothing was written")
                    .isZero();
        }
    }

    @Test
    void aCellNearTheLimitIsWarnedOfOnceABatch() {
        Concatenating pipeline = new Concatenating(ErrorPolicy.fail());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, "\"" + RandomText.of(1, 200_000) + "\"", "\"" + RandomText.of(2, 270_000) + "\"", "\"c\"");
            assertThat(RecordedLogs.warningsOf(() -> fixture.process(0, 0, 1))).isEmpty();

            List<LoggingEvent> warnings = RecordedLogs.warningsOf(() -> fixture.process(0, 1, 3));

            assertThat(warnings)
                    .singleElement()
                    .satisfies(warning -> assertThat(RecordedLogs.describe(warning))
                            .contains("pipeline=\"concatenating\"", "stage=\"concatenate\"")
                            .contains("keyHash=\"" + CellItems.sha256("all"))
                            .contains("cellBytes=\""
                                    + ItemSize.of(
                                            fixture.scan("concatenating-state").get(0))));
            assertThat(fixture.lastReport().get(Count.LARGE_CELLS)).isEqualTo(1);
        }
    }
}
