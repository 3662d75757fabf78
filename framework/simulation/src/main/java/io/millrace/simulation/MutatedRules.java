package io.millrace.simulation;

import io.millrace.aws.DeadLetters;
import io.millrace.aws.MillraceFunction;
import io.millrace.aws.RuledFunctions;
import io.millrace.aws.TickHandler;
import org.jspecify.annotations.Nullable;

/**
 * The rules that the code of a simulation follows.
 *
 * @param mutant which of them is broken; null for none
 */
record MutatedRules(@Nullable Mutant mutant) {

    MillraceFunction.Builder of(MillraceFunction.Builder builder) {
        return mutant == null ? builder : RuledFunctions.with(builder, mutant.engineRules(), mutant.shellRules());
    }

    TickHandler.Builder of(TickHandler.Builder builder) {
        return mutant == null ? builder : RuledFunctions.with(builder, mutant.engineRules(), mutant.shellRules());
    }

    DeadLetters.Builder of(DeadLetters.Builder builder) {
        return mutant == null ? builder : RuledFunctions.with(builder, mutant.engineRules(), mutant.shellRules());
    }
}
