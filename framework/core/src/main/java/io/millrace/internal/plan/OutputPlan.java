package io.millrace.internal.plan;

import io.millrace.sink.DynamoDbSink;
import java.util.List;

/** The way of a stage's results to a sink. */
public record OutputPlan(List<Step> steps, DynamoDbSink<Object> sink) {}
