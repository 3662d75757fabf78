package io.millrace.internal.plan;

import io.millrace.ErrorPolicy;
import io.millrace.serde.RecordDecoder;
import io.millrace.serde.Serde;

/** A Kinesis stream, how its records are decoded, and what becomes of those that cannot be. */
public record SourcePlan(String stream, RecordDecoder<Object> decoder, ErrorPolicy undecodablePolicy) {
    /** A source of records that are one value each. */
    public SourcePlan(String stream, Serde<Object> serde, ErrorPolicy undecodablePolicy) {
        this(stream, RecordDecoder.of(serde), undecodablePolicy);
    }
}
