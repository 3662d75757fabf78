package io.millrace.cli;

import io.millrace.ErrorPolicy;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import java.util.concurrent.atomic.AtomicBoolean;

/** A pipeline that joins the texts of a key, and cannot take those with a question mark until it is mended. */
public final class Fragile implements PipelineDefinition {
    static final String STREAM = "fragile-words";
    static final String TABLE = "fragile-lines";

    /** Whether the code is mended, for each new instance of the pipeline. */
    static final AtomicBoolean MENDED = new AtomicBoolean();

    /** A word of a key, or all of a key's. */
    public record Word(@PartitionKey String key, String text) {}

    @Override
    public String name() {
        return "fragile";
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis(STREAM, Json.of(Word.class))
                .keyBy(Word::key)
                .reduce((all, word) -> {
                    if (word.text().contains("?") && !MENDED.get()) {
                        throw new IllegalArgumentException("what is " + word.text());
                    }
                    return new Word(all.key(), all.text() + word.text());
                })
                .uid("join")
                .errorPolicy(ErrorPolicy.deadLetter())
                .sinkTo(DynamoDbSink.rows(TABLE, Word.class));
    }
}
