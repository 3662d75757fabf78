package io.millrace.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The pipelines that a command can run, by class or by name. Closing it ends the use of what was found in it. */
interface PipelineCatalog extends AutoCloseable {
    /** The pipelines of a jar, or those that come with the command. */
    static PipelineCatalog of(@Nullable Path jar) {
        return jar == null ? new ClassPathPipelines() : JarPipelines.open(jar);
    }

    /**
     * The pipeline of a name.
     *
     * @param name its class, its class's simple name or its own name; null for the only one that there is
     * @throws CommandFailure if there is none, or several
     */
    FoundPipeline find(@Nullable String name);

    @Override
    void close();
}
