package io.millrace.serde;

import io.millrace.Collector;
import java.util.Objects;
import java.util.Optional;

/** The decoder of records that are one value each. */
record SerdeDecoder<T>(Serde<T> serde) implements RecordDecoder<T> {
    @Override
    public void decode(StreamRecord record, Collector<T> out) throws Exception {
        out.collect(Objects.requireNonNull(serde.deserialize(record.payload()), "the serde gave null"));
    }

    @Override
    public Optional<Serde<T>> elementSerde() {
        return Optional.of(serde);
    }

    @Override
    public String description() {
        return serde.description();
    }
}
