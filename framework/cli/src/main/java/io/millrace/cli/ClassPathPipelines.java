package io.millrace.cli;

import io.millrace.PipelineDefinition;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The pipelines on the class path: those that announce themselves as services, and any other by its class. */
final class ClassPathPipelines implements PipelineCatalog {
    @Override
    public FoundPipeline find(@Nullable String name) {
        if (name == null) {
            throw CommandFailure.usage(
                    "A pipeline is missing; there are: " + names() + ". With --jar FILE it is one of that jar.");
        }
        for (PipelineDefinition definition : announced()) {
            if (definition.name().equals(name)
                    || definition.getClass().getSimpleName().equals(name)) {
                return FoundPipeline.of(definition.getClass(), null);
            }
        }
        try {
            return FoundPipeline.of(Class.forName(name), null);
        } catch (ClassNotFoundException e) {
            throw CommandFailure.usage(
                    "There is no pipeline '" + name + "'; there are: " + names()
                            + ". One of your own is found in its jar, with --jar FILE.",
                    e);
        }
    }

    private static String names() {
        return announced().stream().map(PipelineDefinition::name).sorted().collect(Collectors.joining(", "));
    }

    private static List<PipelineDefinition> announced() {
        return ServiceLoader.load(PipelineDefinition.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    @Override
    public void close() {}
}
