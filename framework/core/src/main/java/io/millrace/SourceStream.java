package io.millrace;

import io.millrace.internal.plan.SourcePlan;
import io.millrace.serde.Serde;
import java.util.List;

/** The elements of a source. */
public final class SourceStream<T> extends DataStream<T> {
    private final Settings settings;

    SourceStream(PipelineBuilder pipeline, String stream, Serde<T> serde) {
        this(pipeline, new Settings(stream, serde), serde);
    }

    private SourceStream(PipelineBuilder pipeline, Settings settings, Serde<T> serde) {
        super(pipeline, settings::plan, List.of(), serde);
        this.settings = settings;
    }

    /** What becomes of records that cannot be decoded. Default: {@link ErrorPolicy#deadLetter()}. */
    public SourceStream<T> undecodable(ErrorPolicy policy) {
        settings.undecodablePolicy = policy;
        return this;
    }

    private static final class Settings {
        private final String stream;
        private final Serde<?> serde;
        private ErrorPolicy undecodablePolicy = ErrorPolicy.deadLetter();

        Settings(String stream, Serde<?> serde) {
            this.stream = stream;
            this.serde = serde;
        }

        @SuppressWarnings("unchecked")
        SourcePlan plan() {
            return new SourcePlan(stream, (Serde<Object>) serde, undecodablePolicy);
        }
    }
}
