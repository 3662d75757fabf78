package io.millrace.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The examples that the command knows. */
final class Examples {
    /** All of them. */
    static final List<Example> ALL = List.of(new FlightsExample(), new OrdersExample(), new VisitsExample());

    private Examples() {}

    /** The example that a pipeline is, or null. It is told by its class, since others can have its name. */
    static @Nullable Example of(FoundPipeline pipeline) {
        return ALL.stream()
                .filter(example -> example.type() == pipeline.type())
                .findFirst()
                .orElse(null);
    }
}
