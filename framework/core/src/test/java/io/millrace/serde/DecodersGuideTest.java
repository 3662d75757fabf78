package io.millrace.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.Collector;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The decoder of the guide to decoders. */
class DecodersGuideTest {
    record Measurement(@Nullable String sensor, Instant at, double value) {}

    static final class Measurements implements RecordDecoder<Measurement> {
        @Override
        public void decode(StreamRecord record, Collector<Measurement> out) {
            ByteBuffer data = ByteBuffer.wrap(record.payload());
            while (data.hasRemaining()) {
                out.collect(new Measurement(record.partitionKey(), record.arrival(), data.getDouble()));
            }
        }

        @Override
        public Optional<Serde<Measurement>> elementSerde() {
            return Optional.of(Json.of(Measurement.class));
        }

        @Override
        public String description() {
            return "measurements v1";
        }
    }

    @Test
    void measurementsAreDecodedWithTheirSensor() throws Exception {
        byte[] data = ByteBuffer.allocate(16).putDouble(1.5).putDouble(-2).array();
        List<Measurement> measurements = new ArrayList<>();
        Gzip<Measurement> decoder = Gzip.of(new Measurements());

        decoder.decode(StreamRecord.of(Compressed.gzip(data)).withPartitionKey("s1"), measurements::add);

        assertThat(measurements)
                .containsExactly(new Measurement("s1", Instant.EPOCH, 1.5), new Measurement("s1", Instant.EPOCH, -2));
        assertThat(decoder.description()).isEqualTo("gzip(measurements v1)");
        assertThatThrownBy(() -> new Measurements().decode(StreamRecord.of(new byte[9]), measurements::add))
                .isInstanceOf(BufferUnderflowException.class);
    }
}
