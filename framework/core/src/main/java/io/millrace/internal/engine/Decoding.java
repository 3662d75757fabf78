package io.millrace.internal.engine;

import io.millrace.internal.plan.SourcePlan;
import java.util.List;

/** Decodes records, with a failure that is the record's own. */
final class Decoding {
    private Decoding() {}

    static List<Object> decode(SourcePlan source, InputRecord record) throws RecordFailure {
        try {
            return DecodedElements.of(source.decoder(), record);
        } catch (Throwable e) {
            RecordFailure.throwIfNotOfRecord(e);
            throw new RecordFailure(RecordFailure.Kind.UNDECODABLE, record.position(), null, e);
        }
    }
}
