package io.millrace.cli;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What all commands that need a pipeline's code are told: which one, and where it runs. */
final class OperatedPipeline {
    @Parameters(
            index = "0",
            paramLabel = "PIPELINE",
            description = "The pipeline's name, such as flights, or its class.")
    private String name = "";

    @Option(names = "--jar", paramLabel = "FILE", description = "Takes the pipeline from your own jar.")
    private @Nullable Path jar;

    @Mixin
    private OperatedPlace place = new OperatedPlace();

    @Option(names = "--json", description = "Prints one JSON object a line.")
    private boolean json;

    boolean json() {
        return json;
    }

    String name() {
        return name;
    }

    /** How the pipeline and the place are named in another command. */
    String arguments() {
        return name + (jar == null ? "" : " --jar " + jar) + place.arguments();
    }

    /** What a command does with a pipeline. */
    @FunctionalInterface
    interface Work {
        /**
         * Does it.
         *
         * @param clients empty for AWS itself, by the SDK's default chains
         */
        int run(FoundPipeline found, Optional<OperatedPlace.Clients> clients) throws Exception;
    }

    /** Connects, does the work and closes the connections. */
    int work(Work work) throws Exception {
        try (PipelineCatalog catalog = PipelineCatalog.of(jar)) {
            FoundPipeline found = catalog.find(name);
            return found.inItsClassLoader(() -> place.work(clients -> work.run(found, clients)));
        }
    }
}
