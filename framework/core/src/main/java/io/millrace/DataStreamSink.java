package io.millrace;

import io.millrace.internal.plan.OutputPlan;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.Sink;
import java.util.List;

/**
 * A stage without state: elements of a {@link DataStream} that are written into rows. Each row is exactly-once by itself;
 * several rows of one record are not there at the same moment. Its tables belong to it alone.
 */
public final class DataStreamSink<T> {
    private final StageBuilder stage;

    DataStreamSink(StageBuilder stage) {
        this.stage = stage;
    }

    /**
     * The stage's identity, by which its place in the stream is found again: required, unique in the pipeline, never
     * changed. 1 to 64 letters, digits, {@code _ . -}.
     */
    public DataStreamSink<T> uid(String uid) {
        stage.uid(uid);
        return this;
    }

    /** The stage's name for people. Default: its uid. */
    public DataStreamSink<T> name(String name) {
        stage.name(name);
        return this;
    }

    /**
     * What becomes of a record that a function throws at, or whose rows DynamoDB does not take. Default: {@link
     * ErrorPolicy#fail()}. A dead letter is put before the shard goes on; rows of the record that were written in an
     * earlier attempt stay.
     */
    public DataStreamSink<T> errorPolicy(ErrorPolicy policy) {
        stage.errorPolicy(policy);
        return this;
    }

    /** Writes the same elements into one more sink of this stage. */
    @SuppressWarnings("unchecked")
    public DataStreamSink<T> sinkTo(Sink<? super T> sink) {
        stage.output(new OutputPlan(null, List.of(), (DynamoDbSink<Object>) sink));
        return this;
    }
}
