package io.millrace.aws;

import io.millrace.ErrorPolicy;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;

/** A pipeline whose only state grows by each record. */
public final class Concatenating implements PipelineDefinition {
    static final String TABLE = "lengths";

    /** How long the text is. */
    public record LengthRow(@PartitionKey String key, int length) {}

    private final ErrorPolicy policy;

    Concatenating(ErrorPolicy policy) {
        this.policy = policy;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("texts", Json.of(String.class))
                .keyBy(text -> "all")
                .reduce((before, text) -> before + text)
                .uid("concatenate")
                .errorPolicy(policy)
                .map(text -> new LengthRow("all", text.length()))
                .sinkTo(DynamoDbSink.rows(TABLE, LengthRow.class));
    }
}
