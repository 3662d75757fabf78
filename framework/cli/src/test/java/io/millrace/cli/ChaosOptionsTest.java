package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChaosOptionsTest {
    /** Batches are made smaller when there would be too few of them for all that is to happen. */
    @ParameterizedTest
    @CsvSource({"0,20000,500,0", "25,20000,500,5", "26,20000,468,6", "100,20000,125,20", "5,3000,375,1", "100,50,1,20"})
    void batchesAreSmallEnoughForAllKills(int kills, long records, int batchRecords, int timeOuts) {
        ChaosOptions options = new ChaosOptions(kills, null, null, 1, List.of());
        assertThat(options.batchRecords(records)).isEqualTo(batchRecords);
        assertThat(options.timeOuts()).isEqualTo(timeOuts);
    }
}
