package io.millrace.local.testing;

import io.millrace.PipelineDefinition;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Makes a method a JUnit test of a pipeline, with a {@link PipelineTestDriver} as its parameter:
 *
 * <pre>{@code
 * @PipelineTest(OrderTotals.class)
 * void ordersAreAddedUp(PipelineTestDriver driver) { ... }
 * }</pre>
 *
 * <p>An {@link io.millrace.local.EmbeddedAws} as a further parameter is the driver's. Both are closed behind the test.
 * Needs JUnit Jupiter 6.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Test
@ExtendWith(MillraceExtension.class)
public @interface PipelineTest {
    /** The pipeline, with a constructor without parameters. */
    Class<? extends PipelineDefinition> value();

    /** How many shards each stream has. */
    int shards() default 1;
}
