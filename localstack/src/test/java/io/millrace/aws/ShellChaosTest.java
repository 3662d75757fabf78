package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The shell under everything that Lambda, AWS and the user's code do at their worst. More seeds:
 * {@code -Dmillrace.chaos.seeds=5000 -Dmillrace.chaos.first=1}.
 */
class ShellChaosTest {
    private static final int SEEDS = Integer.getInteger("millrace.chaos.seeds", 300);
    private static final int FIRST = Integer.getInteger("millrace.chaos.first", 1);

    @Test
    void eachRecordIsAccountedForOnceUnderEachSeed() {
        for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
            assertHolds(seed);
        }
    }

    /** Seeds that have found a mistake. */
    @ParameterizedTest
    @ValueSource(longs = {1})
    void seedsThatFoundAMistakeOnce(long seed) {
        assertHolds(seed);
    }

    private static void assertHolds(long seed) {
        assertThatCode(() -> new ShellChaos(seed).run()).as("seed %s", seed).doesNotThrowAnyException();
    }
}
