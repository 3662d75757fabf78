package io.millrace.internal.plan;

import io.millrace.OutputTag;
import io.millrace.sink.DynamoDbSink;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of a stage's results to a sink.
 *
 * @param sideOutput the side output that they come from; null for the main results
 */
public record OutputPlan(@Nullable OutputTag<?> sideOutput, List<Step> steps, DynamoDbSink<Object> sink) {}
