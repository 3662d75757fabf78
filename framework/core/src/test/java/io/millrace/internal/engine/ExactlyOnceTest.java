package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The engine under at-least-once delivery: batches of random composition, redelivered, run over stale cells, crashed
 * half-committed, stopped for time, of several lanes at once. What is committed must be what a sequential run gives.
 */
class ExactlyOnceTest {
    private static final int SEEDS = 250;

    @Test
    void everySeedGivesWhatASequentialRunGives() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            check(seed, false);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void unitsThatMustBeDividedGiveTheSameToo(long seed) {
        check(seed, true);
    }

    private static void check(long seed, boolean manyRows) {
        DeliverySimulation simulation = new DeliverySimulation(seed, manyRows);
        try {
            simulation.run();
            simulation.assertExactlyOnce();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + (manyRows ? " with many rows" : "") + ": " + e.getMessage(), e);
        }
    }

    @Test
    void simulationMeetsWhatItIsMeantToMeet() {
        DeliverySimulation.Met met = new DeliverySimulation.Met();
        for (int seed = 1; seed <= 30; seed++) {
            DeliverySimulation simulation = new DeliverySimulation(seed, seed % 3 == 0);
            simulation.run();
            met.add(simulation.met());
        }

        assertThat(met.counts.keySet())
                .contains("duplicate", "conflict", "already committed", "crash", "stopped", "condemned", "divided");
        assertThat(met.counts.values()).allSatisfy(count -> assertThat(count).isGreaterThan(5));
    }
}
