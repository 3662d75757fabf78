package io.millrace.internal.plan;

import io.millrace.ErrorPolicy;
import io.millrace.serde.Serde;

/** A Kinesis stream, how its records are decoded, and what becomes of those that cannot be. */
public record SourcePlan(String stream, Serde<Object> serde, ErrorPolicy undecodablePolicy) {}
