package io.millrace.cli;

import io.millrace.PipelineDefinition;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The pipelines on the class path: those that announce themselves as services, and any other by its class name. */
final class PipelineCatalog {
    private PipelineCatalog() {}

    /**
     * What makes definitions of the pipeline of a name, or of a class name.
     *
     * @throws CommandFailure if there is none
     */
    static Supplier<PipelineDefinition> find(String name) {
        for (PipelineDefinition definition : announced()) {
            if (definition.name().equals(name)) {
                return () -> instantiate(definition.getClass().getName());
            }
        }
        instantiate(name);
        return () -> instantiate(name);
    }

    private static PipelineDefinition instantiate(String className) {
        try {
            Class<?> type = Class.forName(className);
            if (!PipelineDefinition.class.isAssignableFrom(type)) {
                throw CommandFailure.usage(className + " is no pipeline: it does not implement "
                        + PipelineDefinition.class.getName() + ".");
            }
            return (PipelineDefinition) type.getConstructor().newInstance();
        } catch (ClassNotFoundException e) {
            throw CommandFailure.usage("There is no pipeline '" + className + "'; there are: " + names() + ".", e);
        } catch (ReflectiveOperationException e) {
            throw CommandFailure.usage(
                    "The pipeline " + className + " cannot be made; a public class with a public constructor without"
                            + " parameters is needed.",
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
}
