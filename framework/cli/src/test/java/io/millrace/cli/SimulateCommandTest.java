package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.simulation.Mutant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulateCommandTest {
    private static final String LAST_LINE =
            "%s seeds, %s violations, in [0-9.]+ s, [0-9.]+ seeds/s: [0-9,]+ records, [0-9,]+ aggregates, [0-9,]+ invocations, .* crashes, .*";

    @Test
    void soundCodeBreaksNoRule() {
        Commands run = Commands.run("simulate", "--seeds", "2");
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("simulating 100 %  2 of 2 seeds, ");
        assertThat(lastLine(run)).matches(LAST_LINE.formatted("2", "0"));
    }

    @Test
    void aMutantIsCaughtAndTheCommandThatShowsItsStepsGivesTheSameViolation() {
        Commands run = Commands.run("simulate", "--seeds", "50", "--mutant", "fence-not-consulted");
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(Millrace.EXIT_FAILED);
        String rule = Mutant.named("fence-not-consulted").rule();
        assertThat(run.out()).startsWith("The mutant 'fence-not-consulted' breaks a rule on purpose. " + rule);
        assertThat(lastLine(run)).matches(LAST_LINE.formatted("[0-9]+", "1"));
        List<String> told = run.err().lines().toList();
        assertThat(told.get(0)).matches("seed [0-9]+, step [0-9]+: .+");
        assertThat(run.err())
                .contains("\n  what happened before:\n    step ")
                .contains("\nmillrace: the mutant 'fence-not-consulted' is caught. " + rule);
        String replay = told.get(told.size() - 1);
        assertThat(replay)
                .matches(
                        "Step by step: \\./millrace simulate --seeds 1 --first [0-9]+ --mutant fence-not-consulted --trace");

        Commands again = Commands.run(replay.replaceFirst(".*/millrace ", "").split(" "));
        assertThat(again.exitCode()).isEqualTo(Millrace.EXIT_FAILED);
        assertThat(again.err()).isEqualTo(run.err());
        String step = told.get(0).replaceFirst(".*, (step [0-9]+):.*", "$1");
        assertThat(again.out()).contains("\n" + step + ", +");
    }

    @Test
    void aMutantThatIsNotCaughtIsToldAboutLoudly() {
        Commands run = Commands.run("simulate", "--seeds", "1", "--first", "1", "--mutant", "version-as-counter");
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.err())
                .startsWith("millrace: the mutant 'version-as-counter' is NOT CAUGHT: 1 seeds show no violation")
                .hasLineCount(1);
        assertThat(lastLine(run)).matches(LAST_LINE.formatted("1", "0"));
    }

    @Test
    void theTraceTellsEachSeedOfItsOwn() {
        Commands run = Commands.run("simulate", "--seeds", "2", "--first", "7", "--trace");
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out())
                .startsWith("seed 7" + System.lineSeparator() + "step 0, +0 ms: Scenario[")
                .containsPattern("\nstep [0-9]+, \\+[0-9]+ ms: invocation 1 .* begins")
                .containsPattern("\nseed 7 ends after [0-9]+ steps\\R")
                .containsPattern("\nseed 8 ends after [0-9]+ steps\\R");
        assertThat(lastLine(run)).matches(LAST_LINE.formatted("2", "0"));
    }

    @Test
    void theListHasEachMutantAndItsRule() {
        Commands run = Commands.run("simulate", "--list-mutants", "--seeds", "5");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).hasSameSizeAs(Mutant.all());
        for (Mutant mutant : Mutant.all()) {
            assertThat(run.out()).containsPattern("(^|\n)" + mutant.name() + " +\\Q" + mutant.rule() + "\\E");
        }
    }

    @Test
    void thePageOnHowWeKnowNamesEachMutantAndItsRule() throws IOException {
        assertThat(Files.readAllLines(Path.of("../docs/how-we-know.md")))
                .containsAll(Mutant.all().stream()
                        .map(mutant -> "| `" + mutant.name() + "` | " + mutant.rule() + " |")
                        .toList());
    }

    private static String lastLine(Commands run) {
        List<String> lines = run.out().lines().toList();
        return lines.get(lines.size() - 1);
    }
}
