package io.millrace.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.Collector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordDecoderTest {
    private static final class Named implements RecordDecoder<String> {
        @Override
        public void decode(StreamRecord record, Collector<String> out) {}
    }

    @Test
    void aDecoderIsDescribedByItsClassAndALambdaByTheClassThatHoldsIt() {
        RecordDecoder<String> lambda = (record, out) -> {};
        assertThat(new Named().description()).isEqualTo(Named.class.getName());
        assertThat(lambda.description()).isEqualTo(RecordDecoderTest.class.getName());
        assertThat(new Named().elementSerde()).isEmpty();
    }

    @Test
    void aSerdeIsADecoderOfOneElement() throws Exception {
        Json<String> json = Json.of(String.class);
        RecordDecoder<String> decoder = RecordDecoder.of(json);
        List<String> elements = new ArrayList<>();
        decoder.decode(StreamRecord.of(json.serialize("text")), elements::add);

        assertThat(elements).containsExactly("text");
        assertThat(decoder.description()).isEqualTo(json.description());
        assertThat(decoder.elementSerde()).contains(json);
    }

    @Test
    void aRecordIsTheSameWhateverADecoderDoesWithItsPayload() {
        StreamRecord record = StreamRecord.of(new byte[] {1, 2, 3});
        record.payload()[0] = 9;

        assertThat(record.payload()).containsExactly(1, 2, 3);
        assertThat(record.size()).isEqualTo(3);
    }

    @Test
    void aRecordHasItsMetadataAndShowsNoPayload() {
        StreamRecord bare = StreamRecord.of(new byte[] {'s'});
        assertThat(bare.partitionKey()).isNull();
        assertThat(bare.arrival()).isEqualTo(Instant.EPOCH);
        assertThat(bare).hasToString("record 0 of 1 bytes");

        StreamRecord full = bare.withPosition("49", 2)
                .withPartitionKey("k")
                .withArrival(Instant.ofEpochSecond(5))
                .withPayload(new byte[2]);
        assertThat(full.partitionKey()).isEqualTo("k");
        assertThat(full.arrival()).isEqualTo(Instant.ofEpochSecond(5));
        assertThat(full.sequenceNumber()).isEqualTo("49");
        assertThat(full.subSequence()).isEqualTo(2);
        assertThat(full).hasToString("record 49:2 of 2 bytes");
    }
}
