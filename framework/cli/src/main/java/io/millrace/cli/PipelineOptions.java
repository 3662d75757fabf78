package io.millrace.cli;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The pipeline and where it runs: what all commands that take a pipeline have in common. */
final class PipelineOptions {
    @Parameters(
            arity = "0..1",
            paramLabel = "PIPELINE",
            description =
                    "The pipeline, by its name, such as flights, or its class. With --jar it can be left out if the"
                            + " jar holds only one.")
    private @Nullable String pipeline;

    @Option(
            names = "--jar",
            paramLabel = "FILE",
            description =
                    "Takes the pipeline from your own jar, which holds all that it needs but Java. It runs on this"
                            + " command's version of Millrace.")
    private @Nullable Path jar;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "Runs on the AWS stand-in at a URL. Default: the embedded AWS.")
    private @Nullable String endpoint;

    @Option(names = "--verbose", description = "Shows the stack trace of an error.")
    boolean verbose;

    /** The pipelines among which the one that is meant is. */
    PipelineCatalog catalog() {
        return PipelineCatalog.of(jar);
    }

    /** The pipeline that is meant. */
    FoundPipeline find(PipelineCatalog catalog) {
        return catalog.find(pipeline);
    }

    /** The pipeline that is meant; one of the command's own if the user names neither a pipeline nor a jar. */
    FoundPipeline findOr(PipelineCatalog catalog, String own) {
        return catalog.find(pipeline == null && jar == null ? own : pipeline);
    }

    /** Where it runs; null for the embedded AWS. */
    @Nullable
    URI endpoint() {
        return endpoint == null ? null : RemotePlace.url("--endpoint", endpoint);
    }
}
