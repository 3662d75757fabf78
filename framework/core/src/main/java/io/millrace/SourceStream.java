package io.millrace;

import io.millrace.internal.plan.SourcePlan;
import io.millrace.serde.RecordDecoder;
import java.util.List;

/** The elements of a source. */
public final class SourceStream<T> extends DataStream<T> {
    private final Settings settings;

    SourceStream(PipelineBuilder pipeline, String stream, RecordDecoder<T> decoder) {
        this(pipeline, new Settings(stream, decoder), decoder);
    }

    private SourceStream(PipelineBuilder pipeline, Settings settings, RecordDecoder<T> decoder) {
        super(pipeline, settings::plan, List.of(), null, decoder.elementSerde().orElse(null));
        this.settings = settings;
    }

    /** What becomes of records that cannot be decoded. Default: {@link ErrorPolicy#deadLetter()}. */
    public SourceStream<T> undecodable(ErrorPolicy policy) {
        settings.undecodablePolicy = policy;
        return this;
    }

    private static final class Settings {
        private final String stream;
        private final RecordDecoder<?> decoder;
        private ErrorPolicy undecodablePolicy = ErrorPolicy.deadLetter();

        Settings(String stream, RecordDecoder<?> decoder) {
            this.stream = stream;
            this.decoder = decoder;
        }

        @SuppressWarnings("unchecked")
        SourcePlan plan() {
            return new SourcePlan(stream, (RecordDecoder<Object>) decoder, undecodablePolicy);
        }
    }
}
