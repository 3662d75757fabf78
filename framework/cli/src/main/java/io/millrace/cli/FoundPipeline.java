package io.millrace.cli;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline that can be built.
 *
 * @param type its class
 * @param plan what it defines
 * @param jar where it was found; null for the command's own class path
 */
record FoundPipeline(
        Class<?> type, PipelinePlan plan, @Nullable Path jar) {

    /**
     * The pipeline of a class.
     *
     * @throws CommandFailure if it is none or cannot be made
     */
    static FoundPipeline of(Class<?> type, @Nullable Path jar) {
        if (!PipelineDefinition.class.isAssignableFrom(type)) {
            throw CommandFailure.usage(type.getName() + " is no pipeline: it does not implement "
                    + PipelineDefinition.class.getName() + ".");
        }
        try {
            return new FoundPipeline(type, PipelineBuilder.plan(instantiate(type)), jar);
        } catch (LinkageError e) {
            throw CommandFailure.usage(
                    "The pipeline " + type.getName() + " cannot be loaded: " + e
                            + ". Either its jar lacks a dependency (build"
                            + " one with all of them, as the starter project does), or it is compiled against another"
                            + " version of Millrace than this command's.",
                    e);
        }
    }

    /** A new definition object of a class. */
    static PipelineDefinition instantiate(Class<?> type) {
        try {
            return (PipelineDefinition) type.getConstructor().newInstance();
        } catch (InvocationTargetException e) {
            throw CommandFailure.usage(
                    "The pipeline " + type.getName() + " cannot be made: its constructor threw " + e.getCause() + ".",
                    e);
        } catch (ReflectiveOperationException e) {
            throw CommandFailure.usage(
                    "The pipeline " + type.getName()
                            + " cannot be made; a public class with a public constructor without"
                            + " parameters is needed.",
                    e);
        }
    }

    /** A new definition: each function instance gets its own. */
    PipelineDefinition definition() {
        return instantiate(type);
    }

    String name() {
        return plan.name();
    }

    /** The streams that the stages read, each once. */
    List<String> streams() {
        return plan.stages().stream()
                .map(stage -> stage.source().stream())
                .distinct()
                .toList();
    }

    /** The first stage that reads a stream. */
    StagePlan stageOn(String stream) {
        return plan.stages().stream()
                .filter(stage -> stage.source().stream().equals(stream))
                .findFirst()
                .orElseThrow();
    }

    /** Does something with the pipeline's class loader as that of the thread and those that it starts, as on Lambda. */
    <T> T inItsClassLoader(Callable<T> work) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(type.getClassLoader());
        try {
            return work.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
