package io.millrace.local.testing;

import io.millrace.PipelineDefinition;
import io.millrace.local.EmbeddedAws;
import java.lang.reflect.Constructor;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The JUnit Jupiter extension that gives tests an {@link EmbeddedAws} of their own, and a {@link PipelineTestDriver} where
 * {@link PipelineTest} names the pipeline. Each test gets new ones, which are closed behind it. Use it by
 * {@code @ExtendWith(MillraceExtension.class)}, or by {@code @PipelineTest} alone. Needs JUnit Jupiter 6.
 */
public final class MillraceExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(MillraceExtension.class);

    /** Made by JUnit. */
    public MillraceExtension() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == EmbeddedAws.class || type == PipelineTestDriver.class;
    }

    /**
     * The driver or the AWS of the test.
     *
     * @throws ParameterResolutionException if a driver is asked for and no pipeline is named, or it cannot be made
     */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Optional<PipelineTest> test =
                context.getTestMethod().flatMap(method -> AnnotationSupport.findAnnotation(method, PipelineTest.class));
        boolean wantsDriver = parameter.getParameter().getType() == PipelineTestDriver.class;
        if (test.isPresent()) {
            PipelineTestDriver driver = context.getStore(NAMESPACE)
                    .computeIfAbsent(PipelineTestDriver.class, absent -> driver(test.get()), PipelineTestDriver.class);
            return wantsDriver ? driver : driver.aws();
        }
        if (wantsDriver) {
            throw new ParameterResolutionException("The test " + context.getDisplayName()
                    + " asks for a PipelineTestDriver and names no pipeline. Mark it @PipelineTest(YourPipeline.class)"
                    + " instead of @Test.");
        }
        return context.getStore(NAMESPACE)
                .computeIfAbsent(EmbeddedAws.class, absent -> EmbeddedAws.create(), EmbeddedAws.class);
    }

    private static PipelineTestDriver driver(PipelineTest test) {
        return PipelineTestDriver.builder(() -> instance(test.value()))
                .shards(test.shards())
                .build();
    }

    private static PipelineDefinition instance(Class<? extends PipelineDefinition> type) {
        try {
            Constructor<? extends PipelineDefinition> constructor = type.getDeclaredConstructor();
            constructor.trySetAccessible();
            return constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new ParameterResolutionException(
                    "The pipeline " + type.getName() + " cannot be made: it must be no inner class, and have a"
                            + " constructor without parameters that does not throw.",
                    e);
        }
    }
}
