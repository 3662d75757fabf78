package io.millrace.aws.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.BatchReport.Maximum;
import io.millrace.aws.RecordedLogs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.LoggingEvent;

class CellSizeTest {
    private static final int EIGHTY_PERCENT = 327_680;

    private final BatchReport report = new BatchReport("counts", "events/shardId-000000000000");

    private List<LoggingEvent> warningsOf(CellSize... sizes) {
        return RecordedLogs.warningsOf(() -> {
            for (CellSize size : sizes) {
                size.addTo(report, "clicks");
            }
        });
    }

    @Test
    void reportHasTheLargestOfEach() {
        assertThat(report.get(Maximum.CELL_BYTES)).isZero();

        warningsOf(new CellSize("a", 500, 60), new CellSize("b", 900, 30), new CellSize("c", 700, 40));

        assertThat(report.get(Maximum.CELL_BYTES)).isEqualTo(900);
        assertThat(report.get(Maximum.FENCE_BYTES)).isEqualTo(60);
        assertThat(report.get(Count.LARGE_CELLS)).isZero();
    }

    @Test
    void warnsAbove80PercentOfTheLimit() {
        assertThat(warningsOf(new CellSize("a", EIGHTY_PERCENT, 30))).isEmpty();
        assertThat(report.get(Count.LARGE_CELLS)).isZero();

        assertThat(warningsOf(new CellSize("ada@example.org", EIGHTY_PERCENT + 1, 30)))
                .singleElement()
                .satisfies(warning -> assertThat(RecordedLogs.describe(warning))
                        .startsWith("A cell takes more than 80 % of what DynamoDB allows an item.")
                        .contains("divide the key")
                        .contains("pipeline=\"clicks\"", "stage=\"counts\"", "lane=\"events/shardId-000000000000\"")
                        .contains("cellBytes=\"327681\"", "fenceBytes=\"30\"", "cellBytesMax=\"409600\"")
                        .contains("keyHash=\"" + io.millrace.internal.engine.CellItems.sha256("ada@example.org"))
                        .doesNotContain("ada@"));
        assertThat(report.get(Count.LARGE_CELLS)).isEqualTo(1);
    }

    @Test
    void warnsFiveTimesABatchAndCountsAll() {
        CellSize large = new CellSize("a", 400_000, 30);

        assertThat(warningsOf(large, large, large, large)).hasSize(4);
        assertThat(warningsOf(large, large, large)).hasSize(1);
        assertThat(report.get(Count.LARGE_CELLS)).isEqualTo(7);
    }
}
