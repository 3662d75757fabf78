package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The shell under everything that Lambda, AWS and the user's code do at their worst. More seeds:
 * {@code -Dmillrace.chaos.seeds=5000 -Dmillrace.chaos.first=1}.
 */
class ShellChaosTest {
    private static final int SEEDS = Integer.getInteger("millrace.chaos.seeds", 300);
    private static final int FIRST = Integer.getInteger("millrace.chaos.first", 1);

    @Test
    void eachRecordIsAccountedForOnceUnderEachSeed() {
        IntStream.range(FIRST, FIRST + SEEDS).parallel().forEach(ShellChaosTest::assertHolds);
    }

    private static void assertHolds(long seed) {
        assertThatCode(() -> new ShellChaos(seed).run()).as("seed %s", seed).doesNotThrowAnyException();
    }
}
