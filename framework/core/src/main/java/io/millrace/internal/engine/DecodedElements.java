package io.millrace.internal.engine;

import io.millrace.Collector;
import io.millrace.MillraceException;
import io.millrace.serde.RecordDecoder;
import io.millrace.serde.StreamRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The elements that a decoder makes of one record, while it does. */
final class DecodedElements implements Collector<Object> {
    private final List<Object> elements = new ArrayList<>(1);
    private boolean closed;

    private DecodedElements() {}

    /**
     * The elements of a record, decoded afresh.
     *
     * @throws Exception if it cannot be decoded
     */
    static List<Object> of(RecordDecoder<Object> decoder, InputRecord record) throws Exception {
        if (record.packing() instanceof InputRecord.EmptyAggregate) {
            return List.of();
        }
        if (record.packing() instanceof InputRecord.BrokenAggregate broken) {
            throw new MillraceException("An aggregate of the Kinesis Producer Library, whose MD5 is right, cannot be"
                    + " taken apart: " + broken.defect() + " Its producer is broken.");
        }
        DecodedElements decoded = new DecodedElements();
        try {
            decoder.decode(view(record), decoded);
        } finally {
            decoded.closed = true;
        }
        return decoded.elements;
    }

    /** What the decoder sees: nothing through which it could change the record for a rerun. */
    private static StreamRecord view(InputRecord record) {
        Position position = record.position();
        return StreamRecord.of(record.payload())
                .withPartitionKey(record.partitionKey())
                .withArrival(record.arrival())
                .withPosition(position.sequenceNumber().digits(), position.subSequence());
    }

    @Override
    public void collect(Object element) {
        if (closed) {
            throw new IllegalStateException(
                    "The collector is used after the call that it was passed to, so its elements"
                            + " would be lost. Collect only during decode.");
        }
        elements.add(Objects.requireNonNull(element, "the decoder put out a null"));
    }
}
