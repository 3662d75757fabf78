package io.millrace.aws;

import io.millrace.aws.internal.ShellRules;
import io.millrace.internal.engine.EngineRules;

/** Functions, ticks and redrives that follow given rules instead of the protocol's. */
public final class RuledFunctions {
    private RuledFunctions() {}

    /** Gives the function that the builder makes its rules, and returns the builder. */
    public static MillraceFunction.Builder with(
            MillraceFunction.Builder builder, EngineRules engine, ShellRules shell) {
        return builder.rules(engine, shell);
    }

    /** Gives the ticks that the builder makes their rules, and returns the builder. */
    public static TickHandler.Builder with(TickHandler.Builder builder, EngineRules engine, ShellRules shell) {
        return builder.rules(engine, shell);
    }

    /** Gives the redrives that the builder makes their rules, and returns the builder. */
    public static DeadLetters.Builder with(DeadLetters.Builder builder, EngineRules engine, ShellRules shell) {
        return builder.rules(engine, shell);
    }
}
