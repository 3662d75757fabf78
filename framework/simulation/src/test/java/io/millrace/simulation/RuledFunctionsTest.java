package io.millrace.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.aws.MillraceFunction;
import io.millrace.aws.RuledFunctions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RuledFunctionsTest {

    @ParameterizedTest
    @MethodSource("io.millrace.simulation.Mutant#all")
    void aBuilderTakesTheRulesOfEachMutant(Mutant mutant) {
        MillraceFunction.Builder builder = MillraceFunction.builder();
        assertThat(RuledFunctions.with(builder, mutant.engineRules(), mutant.shellRules()))
                .isSameAs(builder);
    }
}
