package io.millrace;

import java.util.Locale;

/**
 * A pipeline: the class that a test, a laptop and AWS Lambda run alike. It needs a public constructor without
 * parameters; {@link #define} is called once for each function instance and must define the same pipeline each time.
 */
@FunctionalInterface
public interface PipelineDefinition {

    /** Defines the stages. Reads no data and talks to nobody. */
    void define(PipelineBuilder pipeline);

    /**
     * The pipeline's name: the prefix of its tables, and what the command line calls it. 1 to 64 letters, digits,
     * {@code _ . -}. Default: the class's simple name in kebab case ({@code OnTimeBoard} is {@code on-time-board}).
     * A changed name is another pipeline, with no state.
     */
    default String name() {
        return getClass()
                .getSimpleName()
                .replaceAll("([a-z0-9])([A-Z])", "$1-$2")
                .toLowerCase(Locale.ROOT);
    }
}
