package io.millrace.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The protocol under many seeds, without and with a rule broken on purpose. More seeds:
 * {@code -Dmillrace.simulation.seeds=5000 -Dmillrace.simulation.first=1}.
 */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("millrace.simulation.seeds", 500);
    private static final int FIRST = Integer.getInteger("millrace.simulation.first", 1);

    /** Within so many seeds each mutant must be caught. */
    private static final int MUTANT_SEEDS_MAX = 2_000;

    /** Seeds that caught the slowest mutants when they were last looked for: tried first, to save minutes. */
    private static final Map<String, Long> CAUGHT_LAST_BY = Map.of(
            "contiguity-read-behind-an-aggregate", 288L,
            "version-as-counter", 546L,
            "throttle-taken-as-own-fault", 104L,
            "attempt-not-taken-back", 176L,
            "keyed-mark-ignored", 540L,
            "late-by-the-stage-alone", 800L,
            "lanes-taken-as-complete", 180L,
            "row-version-as-counter", 505L);

    @Test
    void noRuleIsBrokenUnderAnySeedAndEverythingIsExercised() throws InterruptedException {
        Simulations.Summary summary = Simulations.run(FIRST, SEEDS, null, progress -> {});

        assertThat(summary.violation()).isNull();
        assertThat(summary.seeds()).isEqualTo(SEEDS);
        for (Exercised.Event event : Exercised.Event.values()) {
            if (event != Exercised.Event.UNKNOWABLE_PARTS) {
                assertThat(summary.exercised().get(event)).as(event.toString()).isPositive();
            }
        }
    }

    static Stream<Mutant> mutants() {
        return Mutant.all().stream();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void aMutantIsCaught(Mutant mutant) throws InterruptedException {
        Long known = CAUGHT_LAST_BY.get(mutant.name());
        Simulations.Summary summary = Simulations.run(
                known == null ? 1 : known, known == null ? MUTANT_SEEDS_MAX : 1, mutant, progress -> {});
        if (summary.violation() == null && known != null) {
            summary = Simulations.run(1, MUTANT_SEEDS_MAX, mutant, progress -> {});
        }

        assertThat(summary.violation()).as(mutant.rule()).isNotNull();
        assertThat(summary.violation().toString())
                .contains("seed " + summary.violation().seed())
                .contains("step " + summary.violation().step());
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 68, 1206})
    void theSameSeedGivesTheSameTrace(long seed) {
        List<String> trace = traceOf(seed);

        assertThat(trace).hasSizeGreaterThan(100);
        assertThat(traceOf(seed)).isEqualTo(trace);
    }

    @Test
    void anotherSeedGivesAnotherTrace() {
        assertThat(traceOf(3)).isNotEqualTo(traceOf(4));
    }

    @Test
    void aViolationIsFoundAgainAtTheSameStep() {
        Mutant mutant = Mutant.named("no-fence");
        Violation violation = Simulation.run(1, mutant, null).violation();

        assertThat(violation).isNotNull();
        assertThat(violation.history()).isNotEmpty();
        assertThat(Simulation.run(1, mutant, null).violation()).isEqualTo(violation);
    }

    private static List<String> traceOf(long seed) {
        List<String> trace = new ArrayList<>();
        Simulation.Result result = Simulation.run(seed, null, trace::add);
        trace.add(result.steps() + " steps, " + result.exercised() + ", " + result.violation());
        return trace;
    }
}
