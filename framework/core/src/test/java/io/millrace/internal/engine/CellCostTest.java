package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** That the guide's table of what a cell costs is what the prices and DynamoDB's units make of it. */
class CellCostTest {
    private static final Path GUIDE = Path.of("..", "docs", "guides", "state.md");

    @Test
    void updateTakesAReadAndAWriteAndInATransactionTwiceTheWrites() {
        assertThat(CellCost.dollarsPerMillion(1_024, 0)).isEqualTo(0.125 + 0.625);
        assertThat(CellCost.dollarsPerMillion(1_025, 0)).isEqualTo(0.125 + 2 * 0.625);
        assertThat(CellCost.dollarsPerMillion(4_096, 0)).isEqualTo(0.125 + 4 * 0.625);
        assertThat(CellCost.dollarsPerMillion(4_097, 0)).isEqualTo(2 * 0.125 + 5 * 0.625);
        assertThat(CellCost.dollarsPerMillion(1_024, 1)).isEqualTo(0.125 + 2 * (1 + 1) * 0.625);
        assertThat(CellCost.dollarsPerMillion(1_024, 3)).isEqualTo(0.125 + 2 * (1 + 3) * 0.625);
    }

    @Test
    void guideHasTheTable() throws IOException {
        assertThat(Files.readString(GUIDE)).contains(CellCost.table());
    }

    @Test
    void guideNamesTheLimitsThatAreBuilt() throws IOException {
        assertThat(Files.readString(GUIDE))
                .contains("above " + CompressedStates.PLAIN_BYTES_MAX / 1024 + " KB")
                .contains(String.format(Locale.ROOT, "%,d bytes", CompressedStates.INFLATED_BYTES_MAX));
    }
}
